// Fills an empty store from another one, as that is at one revision.
import { refuseUnknownOptions } from '../../base/options.ts';
import type { Store } from '../store.ts';
import { ItemCount } from './count-items.ts';
import { loadingOf, snapshotOf } from './engine-of.ts';
import { ItemLoader } from './load-items.ts';
import { Recoded, type Recoding } from './recoded.ts';
import type { MoveReport, ReadWholeOptions } from './progress.ts';
import { allItems } from './snapshot-items.ts';

/** What was copied. */
export interface CopyReport extends MoveReport {
  /** With `skipDamaged`: what was left out. */
  readonly damaged: readonly string[];
}

/**
 * Fills an empty store with the contents of another one, of whichever engine. Revisions, versions and the change feed are afterwards
 * the same; leases are not copied. Stop the workers of the first store before, or jobs go on in both.
 */
export async function copyStore(from: Store, to: Store, options: ReadWholeOptions = {}): Promise<CopyReport> {
  refuseUnknownOptions('copyStore', options, { skipDamaged: true, onProgress: true, signal: true });
  return copyItems(from, to, options);
}

export async function copyItems(
  from: Store,
  to: Store,
  { onProgress, signal, skipDamaged = false }: ReadWholeOptions,
  recoding?: Recoding,
): Promise<CopyReport> {
  const loading = await loadingOf(to);
  try {
    const snapshot = await snapshotOf(from, skipDamaged);
    try {
      const loader = new ItemLoader(loading);
      const count = new ItemCount();
      const total = onProgress === undefined ? 0 : await snapshot.count();
      const recoded = recoding && new Recoded(recoding, snapshot.collections);
      await loader.begin(recoded?.collections ?? snapshot.collections, snapshot.state.horizon);
      for await (const items of allItems(snapshot)) {
        signal?.throwIfAborted();
        await loader.add(recoded?.items(items) ?? items);
        count.add(items);
        onProgress?.({ unit: 'rows', done: count.total, total });
      }
      signal?.throwIfAborted();
      const state = recoded?.state(snapshot.state) ?? snapshot.state;
      if (recoded !== undefined) await loader.add(recoded.more(state.revision));
      await loader.finish(state);
      return { ...count.report(state.revision), damaged: await snapshot.damaged() };
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    await loading.abandon();
    throw error;
  }
}
