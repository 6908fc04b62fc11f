// Retention and forgetting die after each of their commits in turn, and are done again: nothing that is kept is lost, and in the end
// nothing is left that should go.
import { expect, it } from 'vitest';
import { Durable, program, Statek, tags } from '../../src/index.ts';
import { openStore, type CommitResult, type Store, type Transaction } from '../../src/store.ts';
import { StoreAround } from '../../src/store/around/store-around.ts';

/** A store whose process dies after so many commits. */
class DyingStore extends StoreAround {
  left = Number.POSITIVE_INFINITY;

  override async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    if (this.left-- <= 0) throw new Error('the process died');
    return super.commit(transactions);
  }
}

class Pet extends Durable {
  name = 'Rex';
}

const asking = program({ role: 'asking', source: 'const kept = secret; await ask("?"); kept' });

/** Runs an action on a store that dies after 0, 1, 2 … commits, until it survives; returns how often it died. */
async function survive(inner: Store, action: (kit: Statek) => Promise<unknown>): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    const store = new DyingStore(inner, false);
    const kit = await Statek.open({ store, drivers: [asking] });
    store.left = deaths;
    const died = await action(kit).then(
      () => false,
      () => true,
    );
    store.left = Number.POSITIVE_INFINITY;
    await kit.close();
    if (!died) return deaths;
  }
}

it('retention can be killed after any commit', async () => {
  const inner = await openStore('memory:');
  const before = await Statek.open({ store: inner });
  const workspace = await before.workspace('long');
  await workspace.run('let n = 0');
  for (let step = 0; step < 30; step++) await workspace.run('n += 1; print(n)');
  const step = await workspace.run('const day = await ask("When?"); day + n');
  await before.close();
  expect(await survive(inner, (kit) => kit.gc({ retention: { last: 3 } }))).toBeGreaterThan(3);
  const after = await Statek.open({ store: inner });
  const again = await after.workspace('long');
  expect(await again.commits({ limit: 100 })).toHaveLength(3);
  expect((await again.console()).length).toBeLessThan(5);
  expect((await after.gc({ retention: { last: 3 } })).rowsRemoved).toBe(0);
  await after.answer(step.waiting[0]?.id ?? '', 'day ');
  expect((await again.settled()).value).toBe('day 30');
  await after.close();
  await inner.close();
});

it('forgetting can be killed after any commit', async () => {
  const inner = await openStore('memory:');
  const before = await Statek.open({ store: inner, drivers: [asking], classes: [Pet] });
  for (const id of ['one', 'two', 'other'])
    await before.submit(asking, { id, vars: { secret: 1 }, labels: [id === 'other' ? 'user:7' : 'user:42'] });
  await before.memory.bind(['user:42']).remember('street', 'long');
  await before.transaction(() => {
    for (const tag of ['user:42', 'user:42', 'user:7']) tags(new Pet()).add(tag);
  });
  await before.runUntilIdle();
  for (const id of ['one', 'two']) await (await before.job(id)).cancel();
  await before.runUntilIdle();
  await before.close();
  expect(await survive(inner, (kit) => kit.forget({ label: 'user:42' }))).toBeGreaterThan(3);
  const after = await Statek.open({ store: inner, drivers: [asking], classes: [Pet] });
  expect((await after.jobs()).map(({ id }) => id)).toEqual(['other']);
  expect((await after.memory.list()).facts).toEqual([]);
  expect(after.find(Pet).count()).toBe(1);
  await after.answer('other/1', 'yes');
  expect(await (await after.job('other')).result()).toBe(1);
  await after.close();
  await inner.close();
});
