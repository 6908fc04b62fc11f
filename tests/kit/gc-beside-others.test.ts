// Garbage is collected while others delete jobs and drop commits: what is gone is not missed, and what is kept is not touched.
import { expect, it, onTestFinished } from 'vitest';
import { Statek } from '../../src/index.ts';
import { hashes } from '../../src/history/collections.ts';
import { StoreAround } from '../../src/store/around/store-around.ts';
import type { Collection, ValueOf } from '../../src/store/collection.ts';
import type { Key } from '../../src/store/key.ts';
import { openStore } from '../../src/store/open.ts';
import type { Entry, ReadOptions, Store } from '../../src/store/store.ts';

/** Does something else right before the revision of a commit is looked up for the first time. */
class Meddling extends StoreAround {
  #meddle: (() => Promise<unknown>) | undefined;

  constructor(inner: Store, meddle: () => Promise<unknown>) {
    super(inner, false);
    this.#meddle = meddle;
  }

  override async read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
    if (collection.name === hashes.name) {
      const meddle = this.#meddle;
      this.#meddle = undefined;
      await meddle?.();
    }
    return super.read(collection, keys, options);
  }
}

async function opened(meddle: (others: Statek) => Promise<unknown>): Promise<{ others: Statek; kit: Statek }> {
  const store = await openStore('memory:');
  const others = await Statek.open({ store });
  for (const name of ['first', 'second']) {
    const workspace = await others.workspace(name);
    for (let step = 0; step < 5; step++) await workspace.run(`globalThis.count = ${step}; count`);
  }
  const kit = await Statek.open({ store: new Meddling(store, () => meddle(others)) });
  onTestFinished(async () => {
    await kit.close();
    await others.close();
    await store.close();
  });
  return { others, kit };
}

it('survives a workspace that is removed after its commits were listed', async () => {
  const { others, kit } = await opened((all) => all.deleteWorkspace('first'));
  const report = await kit.gc();
  expect(report.objects.problems.count).toBe(0);
  expect((await others.verify()).problems).toEqual([]);
});

it('survives commits that are dropped after they were listed, and keeps what is left readable', async () => {
  const { others, kit } = await opened((all) => all.gc({ retention: { last: 2 } }));
  await kit.gc();
  for (const name of ['first', 'second']) {
    const workspace = await others.workspace(name);
    const commits = await workspace.commits();
    expect(commits).toHaveLength(2);
    for (const { hash } of commits) expect((await workspace.at(hash)).locals()['count']).toBeTypeOf('number');
  }
  expect((await others.verify()).problems).toEqual([]);
});
