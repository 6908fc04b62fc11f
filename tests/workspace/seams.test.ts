// What a program sees of the world is the host's to set: modules, time, randomness.
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { errorOf, openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';

const modules = {
  statistics: 'export const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length; export default { version: 3 };',
  'team/names':
    "import { mean } from 'statistics'; export const names = ['Ann', 'Bob']; export const average = () => mean([1, 2, 3]);",
  broken: 'export const = 1;',
};

it('imports modules the application registered', async () => {
  const workspace = await openWorkspace({}, { modules });
  expect(
    await valueOf(
      workspace,
      "import stats, { mean } from 'statistics'; import * as team from 'team/names'; [mean([2, 4]), stats.version, team.names, team.average()]",
    ),
  ).toEqual([3, 3, ['Ann', 'Bob'], 2]);
  expect(await valueOf(workspace, 'mean([10, 20])')).toBe(15);
  expect(await valueOf(workspace, "const again = await import('team/names'); again.names.length")).toBe(2);
});

it('imports nothing else', async () => {
  const workspace = await openWorkspace({}, { modules });
  for (const name of ['fs', 'node:fs', './statistics', 'https://example.org/x.js', 'constructor'])
    expect((await errorOf(workspace, `import x from '${name}';`)).code).toBe('CELL_IMPORT');
  expect((await workspace.run("const found = await import('f' + 's').catch((error) => 'refused'); found")).value).toBe(
    'refused',
  );
  expect((await workspace.run("import { missing } from 'statistics';")).error?.message).toMatch(
    /does not export 'missing'/,
  );
  expect((await workspace.run("import { x } from 'broken';")).status).toBe('failed');
  expect(await valueOf(workspace, '"still fine"')).toBe('still fine');
});

it('keeps what a module is after a restart, and needs it only for new imports', async () => {
  const folder = storeFolder();
  const first = await openKit({ store: folder, modules });
  await (await first.workspace('main')).run("import { mean } from 'statistics'; await signal('go'); mean([1, 3])");
  await first.close();
  const second = await openKit({ store: folder });
  await second.signal('go');
  await second.runUntilIdle();
  expect((await (await second.workspace('main')).step(1)).value).toBe(2);
});

it('tells the time of the kit’s clock', async () => {
  const clock = new ManualClock(Date.UTC(2026, 4, 17, 12));
  const workspace = await openWorkspace({}, { clock });
  expect(
    await valueOf(
      workspace,
      'const started = Date.now(); for (let i = 0; i < 1e5; i++); [new Date().toISOString(), Date.now() - started]',
    ),
  ).toEqual(['2026-05-17T12:00:00.000Z', 0]);
  clock.advance(1500);
  expect(await valueOf(workspace, 'Date.now() - started')).toBe(1500);
});

it('shows times in UTC by default', async () => {
  const workspace = await openWorkspace({}, { clock: new ManualClock(Date.UTC(2026, 6, 1)) });
  expect(await valueOf(workspace, '[new Date().getTimezoneOffset(), new Date().getHours()]')).toEqual([0, 0]);
});

it('has randomness that differs between workspaces and goes on after a restart', async () => {
  const folder = storeFolder();
  const first = await openKit({ store: folder });
  const one = await first.workspace('one');
  const two = await first.workspace('two');
  const draws = [
    await valueOf(one, 'Math.random()'),
    await valueOf(two, 'Math.random()'),
    await valueOf(one, 'Math.random()'),
  ];
  await first.close();
  const second = await openKit({ store: folder });
  draws.push(await valueOf(await second.workspace('one'), 'Math.random()'));
  expect(new Set(draws).size).toBe(4);
});

it('tells local time in the time zone of the workspace', async () => {
  const clock = new ManualClock(Date.UTC(2026, 6, 1));
  const workspace = await openWorkspace({ timeZone: 'Europe/Warsaw' }, { clock });
  expect(
    await valueOf(workspace, '[new Date().getTimezoneOffset(), new Date().getHours(), new Date(0).getHours()]'),
  ).toEqual([-120, 2, 1]);
  await expect(openWorkspace({ timeZone: 'Mars/Base' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

it('draws the same numbers from the same seed', async () => {
  const draw = async (seed: number): Promise<unknown> =>
    valueOf(await openWorkspace({ seed }), '[Math.random(), Math.random()]');
  expect(await draw(7)).toEqual(await draw(7));
  expect(await draw(7)).not.toEqual(await draw(8));
});

it('has no way out of its own', async () => {
  const workspace = await openWorkspace();
  const names = [
    'process',
    'require',
    'module',
    'fetch',
    'setTimeout',
    'setInterval',
    'WebAssembly',
    'Buffer',
    'Worker',
    'Deno',
    'navigator',
  ];
  expect(
    await valueOf(
      workspace,
      `[${names.map((name) => `typeof ${name}`).join()}].filter((type) => type !== 'undefined')`,
    ),
  ).toEqual([]);
});
