// A snapshot of a file, read on another thread.
import type { KnownCollection } from '../../engine/engine.ts';
import type { LogRow } from '../../engine/log.ts';
import type { Snapshot, SnapshotOptions, SnapshotState, StoredVersion } from '../../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../../engine/stored.ts';
import type { EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';
import type { DatabaseSettings } from '../database.ts';
import type { SnapshotStart } from './snapshot-thread.ts';
import { ThreadCalls } from './thread-calls.ts';

export class SqliteSnapshot implements Snapshot {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
  readonly #thread: ThreadCalls;

  static async open(settings: DatabaseSettings, options: SnapshotOptions): Promise<SqliteSnapshot> {
    const file = new URL('./snapshot-thread.ts', import.meta.url);
    const thread = new ThreadCalls(file, settings, `Reading ${settings.file}`);
    try {
      await thread.opened;
      return new SqliteSnapshot(thread, await thread.call<SnapshotStart>('start', options));
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  private constructor(thread: ThreadCalls, { state, collections }: SnapshotStart) {
    this.#thread = thread;
    this.state = state;
    this.collections = collections;
  }

  count(): Promise<number> {
    return this.#thread.call('count');
  }

  log(after: Revision): Promise<readonly LogRow[]> {
    return this.#thread.call('log', after);
  }

  entries(collection: CollectionId, after: EncodedKey | undefined): Promise<readonly StoredEntry[]> {
    return this.#thread.call('entries', collection, after);
  }

  versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): Promise<readonly StoredVersion[]> {
    return this.#thread.call('versions', collection, after && { key: after.key, until: after.until });
  }

  read(collection: CollectionId, keys: readonly EncodedKey[]): Promise<readonly StoredEntry[]> {
    return this.#thread.call('read', collection, keys);
  }

  readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): Promise<readonly StoredVersion[]> {
    return this.#thread.call('readVersions', collection, replaced);
  }

  damaged(): Promise<readonly string[]> {
    return this.#thread.call('damaged');
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
