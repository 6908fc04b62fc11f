// Writes a store, or what changed in it, into a file, while others go on working with it.
import { packageVersion } from '../../base/package.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import type { Revision, Store } from '../store.ts';
import { BackupReader, BackupWriter } from './backup-file.ts';
import { markOf } from './backup-header.ts';
import { ItemCount } from './count-items.ts';
import { snapshotOf } from './engine-of.ts';
import { BackupChainError } from './errors.ts';
import type { MoveReport, ReadWholeOptions } from './progress.ts';
import { allItems, changedItems, checkSince } from './snapshot-items.ts';

/** How a store is backed up. */
export interface BackupOptions extends ReadWholeOptions {
  /** Only what changed since an earlier backup, given as its file or its revision. Default: everything. */
  readonly since?: string | Revision | undefined;
}

/** What a backup has in it. */
export interface BackupReport extends MoveReport {
  readonly file: string;
  /** Of an incremental backup: the revision that it continues from. */
  readonly since: Revision | undefined;
  /** The size of the file. */
  readonly bytes: number;
  /** With `skipDamaged`: what was left out. */
  readonly damaged: readonly string[];
}

/**
 * Writes everything in a store into a new file, as it is at one revision. Others may go on working with the store meanwhile. The file
 * gets its name when it is complete, was synced, and was read again.
 *
 * @example
 * import { backupStore, openStore, restoreStore } from 'statek/store';
 *
 * const store = await openStore('./data');
 * await backupStore(store, './monday.backup');
 * await backupStore(store, './tuesday.backup', { since: './monday.backup' });
 * const other = await openStore('./restored');
 * const { revision } = await restoreStore(other, ['./monday.backup', './tuesday.backup']);
 * console.log(revision === (await store.revision())); // prints true
 * await store.close();
 * await other.close();
 */
export async function backupStore(store: Store, file: string, options: BackupOptions = {}): Promise<BackupReport> {
  refuseUnknownOptions('backupStore', options, { since: true, skipDamaged: true, onProgress: true, signal: true });
  const { onProgress, signal, skipDamaged = false } = options;
  const snapshot = await snapshotOf(store, skipDamaged);
  try {
    const since = await sinceOf(snapshot, options.since);
    const { state, collections } = snapshot;
    const writer = new BackupWriter(file);
    try {
      await writer.begin({
        statek: 'backup',
        version: packageVersion(),
        engine: store.features.engine,
        made: new Date().toISOString(),
        state,
        since,
        collections,
        mark: await markOf(snapshot, state.revision),
        sinceMark: since === undefined ? undefined : await markOf(snapshot, since),
      });
      const count = new ItemCount();
      const total =
        onProgress === undefined ? 0 : since === undefined ? await snapshot.count() : state.revision - since;
      for await (const items of since === undefined ? allItems(snapshot) : changedItems(snapshot, since)) {
        signal?.throwIfAborted();
        await writer.add(items);
        count.add(items);
        const { changes } = count.report(0);
        onProgress?.({ unit: 'rows', done: since === undefined ? count.total : changes, total });
      }
      signal?.throwIfAborted();
      await writer.finish();
      const damaged = await snapshot.damaged();
      return { file, since, bytes: writer.bytes, ...count.report(state.revision), damaged };
    } catch (error) {
      writer.abandon();
      throw error;
    }
  } finally {
    await snapshot.close();
  }
}

async function sinceOf(snapshot: Snapshot, since: string | Revision | undefined): Promise<Revision | undefined> {
  if (since === undefined) return undefined;
  if (typeof since === 'number') {
    if (!Number.isInteger(since) || since < 0)
      throw new InvalidOptionError(`backupStore: since must be a file or a revision from 0, not ${since}.`, { since });
    checkSince(snapshot, since);
    return since;
  }
  const reader = new BackupReader(since);
  try {
    const { state, mark } = await reader.header();
    checkSince(snapshot, state.revision);
    const found = await markOf(snapshot, state.revision);
    if (mark !== undefined && found !== undefined && mark !== found)
      throw new BackupChainError(
        `${since} is of another store, or of another history of this one: its revision ${state.revision} is not the same. Make a full backup.`,
        { file: since, revision: state.revision },
      );
    return state.revision;
  } finally {
    reader.close();
  }
}
