// Retention in the background: by one process, now and then, by a policy for each program.
import { expect, it, onTestFinished } from 'vitest';
import { InvalidOptionError, Statek, type StatekOptions } from '../../src/index.ts';
import { openServices } from '../../src/agents/services.ts';
import { Maintenance } from '../../src/kit/maintenance.ts';
import { openStore } from '../../src/store.ts';
import { SimulatedClock } from '../../src/testing.ts';

const hour = 3_600_000;

async function open(options: Partial<StatekOptions>): Promise<Statek> {
  const kit = await Statek.open({ store: 'memory:', ...options });
  onTestFinished(() => kit.close());
  return kit;
}

async function steps(kit: Statek, name: string, count: number): Promise<void> {
  const workspace = await kit.workspace(name);
  for (let step = 0; step < count; step++) await workspace.run(`print(${step})`);
}

async function commitsOf(kit: Statek, name: string): Promise<number> {
  return (await (await kit.workspace(name)).commits({ limit: 1000 })).length;
}

it('is applied while a worker runs, and by default leaves what is recent', async () => {
  const clock = new SimulatedClock(0);
  const store = await openStore('memory:', { clock });
  const kit = await open({ store, clock, retention: { last: 5 } });
  await steps(kit, 'main', 30);
  const worker = kit.start();
  clock.advance(5 * hour);
  expect(await commitsOf(kit, 'main')).toBe(32);
  clock.advance(2 * hour);
  for (let tries = 0; tries < 200 && (await commitsOf(kit, 'main')) > 5; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await commitsOf(kit, 'main')).toBe(5);
  expect((await (await kit.workspace('main')).run('40 + 2')).value).toBe(42);
  await worker.stop();
});

it('chooses by program, and is done by one process at a time', async () => {
  const clock = new SimulatedClock(0);
  const store = await openStore('memory:', { clock });
  const kit = await open({ store, clock, retention: false });
  for (const name of ['kept', 'trimmed', 'usual']) await steps(kit, name, 20);
  const seen: string[] = [];
  const { workspaces, close } = await openServices({ store, clock });
  onTestFinished(() => close({}));
  const maintenance = (): Maintenance =>
    new Maintenance({
      store,
      clock,
      context: workspaces.context,
      retention: ({ workspace }) => {
        seen.push(workspace);
        return workspace === 'trimmed' ? { last: 3 } : workspace === 'usual' ? { last: 1000 } : undefined;
      },
      dropOthers: () => Promise.resolve(5),
    });
  clock.advance(7 * hour);
  const reports = await Promise.all([maintenance().run(), maintenance().run(), maintenance().run()]);
  expect(reports.filter((report) => report !== undefined)).toMatchObject([{ commitsDropped: 19 }]);
  expect(seen.toSorted()).toEqual(['kept', 'trimmed', 'usual']);
  expect([await commitsOf(kit, 'kept'), await commitsOf(kit, 'trimmed'), await commitsOf(kit, 'usual')]).toEqual([
    22, 3, 22,
  ]);
  // It is done, and not due again for hours.
  expect(await maintenance().run()).toBeUndefined();
});

it('rejects an invalid retention', async () => {
  for (const retention of [{ lost: 1 }, { last: -1 }, 'all', true, 5])
    await expect(Statek.open({ store: 'memory:', retention: retention as never })).rejects.toThrow(InvalidOptionError);
});
