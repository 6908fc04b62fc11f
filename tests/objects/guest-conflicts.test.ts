// Objects that change under a slice's hands: it runs again on what is there then, and nobody can tell; if that goes on for
// ever, the author of the step is told.
import { describe, expect, onTestFinished, test } from 'vitest';
import { Durable, openStore, Statek, type Store } from '../../src/index.ts';
import { withCommit } from '../workspace/support/stores.ts';
import { isObjectConflict } from './contention.ts';
import { storeFolder } from './support/open.ts';

class Counter extends Durable {
  static durable = { singleton: true };
  count = 0;
  log: string[] = [];
}

async function openKit(folder: string, around: (store: Store) => Store = (store) => store): Promise<Statek> {
  const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
  const kit = await Statek.open({ store: around(store), classes: [Counter] });
  onTestFinished(async () => {
    await kit.close();
    await store.close();
  });
  return kit;
}

/** A kit of which every commit that concerns a step is overtaken by somebody who changes the counter, so many times. */
async function overtaken(times: number): Promise<{ kit: Statek; other: Statek; conflicts: () => number }> {
  const folder = storeFolder();
  const other = await openKit(folder);
  await other.transaction(() => new Counter());
  let left = times;
  let conflicts = 0;
  const kit = await openKit(folder, (store) =>
    withCommit(store, async (transactions, commit) => {
      const isSlice = transactions.some(({ checks = [] }) =>
        checks.some(({ collection }) => collection.name === 'objects'),
      );
      if (isSlice && left > 0) {
        left--;
        await other.transaction(() => new Counter().count++);
      }
      const results = await commit(transactions);
      conflicts += results.filter(isObjectConflict).length;
      return results;
    }),
  );
  return { kit, other, conflicts: () => conflicts };
}

const source = `
  print('begins at', counter.count);
  runs++;
  const seen = counter.count;
  counter.count += 100;
  counter.log.push('a step');
  const timer = sleep(0).then(() => { counter.log.push('later'); });
  seen`;

describe('a slice whose objects changed', () => {
  test('runs again as if it never had', async () => {
    const { kit, other, conflicts } = await overtaken(7);
    const counter = await kit.transaction(() => new Counter());
    const workspace = await kit.workspace('main', { vars: { counter, runs: 0 } });
    const before = (await workspace.commits()).length;
    const step = await workspace.run(source);
    expect([step.status, step.value, step.console[0]]).toEqual(['done', 7, 'begins at 7']);
    expect(conflicts()).toBe(7);
    await kit.runUntilIdle();
    const { count, log } = await other.transaction(() => ({ count: new Counter().count, log: [...new Counter().log] }));
    expect([count, log]).toEqual([107, ['a step', 'later']]);
    expect((await workspace.locals())['runs']).toBe(1);
    // The step and the slice after its wait, and no trace of the others.
    expect((await workspace.commits()).length).toBe(before + 2);
    expect((await workspace.console()).filter((line) => line.startsWith('begins'))).toEqual(['begins at 7']);
  });

  test('draws the same random numbers and futures again', async () => {
    const values: unknown[] = [];
    for (const times of [0, 3]) {
      const { kit } = await overtaken(times);
      const counter = await kit.transaction(() => new Counter());
      const workspace = await kit.workspace('main', { vars: { counter }, seed: 5 });
      await workspace.run('counter.count++; const drawn = Math.random(); const id = signal("x"); drawn');
      values.push([(await workspace.locals())['drawn'], (await workspace.waiting()).map(({ id }) => id)]);
    }
    expect(values[0]).toEqual(values[1]);
  });

  test('gives up after a bounded number of times, and tells the author', async () => {
    const { kit, other, conflicts } = await overtaken(1_000_000);
    const counter = await kit.transaction(() => new Counter());
    const workspace = await kit.workspace('main', { vars: { counter, runs: 0 } });
    const step = await workspace.run(source);
    expect([step.status, step.error?.code, step.error?.name]).toEqual([
      'failed',
      'OBJECT_CONFLICT',
      'ObjectConflictError',
    ]);
    expect(step.error?.message).toMatch(/conflicted with other changes in all 50 attempts/);
    expect(conflicts()).toBe(50);
    // It never was; the workspace answers the next step.
    expect(step.console).toEqual([]);
    expect((await workspace.locals())['runs']).toBe(0);
    expect(await workspace.waiting()).toEqual([]);
    expect(await other.transaction(() => [...new Counter().log])).toEqual([]);
    expect((await workspace.run('runs')).value).toBe(0);
  });

  test('that only read is as it was at one moment', async () => {
    const { kit, conflicts } = await overtaken(2);
    const counter = await kit.transaction(() => new Counter());
    const workspace = await kit.workspace('main', { vars: { counter } });
    const step = await workspace.run('const copy = counter.count; copy === counter.count && copy');
    expect(step.value).toBe(2);
    expect(conflicts()).toBe(2);
  });
});

test('two kits that change one object all the time lose nothing', async () => {
  const folder = storeFolder();
  const kits = [await openKit(folder), await openKit(folder)];
  const counter = await (kits[0] as Statek).transaction(() => new Counter());
  const rounds = 25;
  const values = await Promise.all(
    kits.map(async (kit, index) => {
      const own = await kit.transaction(() => new Counter());
      const workspace = await kit.workspace(`w${index}`, { vars: { counter: own } });
      const seen: unknown[] = [];
      for (let round = 0; round < rounds; round++) seen.push((await workspace.run('++counter.count')).value);
      return seen as number[];
    }),
  );
  expect(values.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 2 * rounds }, (_, index) => index + 1));
  expect(await (kits[0] as Statek).transaction(() => counter.count)).toBe(2 * rounds);
});
