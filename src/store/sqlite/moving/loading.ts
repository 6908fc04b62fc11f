// Fills a file on another thread.
import type { Collection } from '../../collection.ts';
import type { KnownCollection } from '../../engine/engine.ts';
import type { Loading, SnapshotItem, SnapshotState } from '../../engine/snapshot.ts';
import type { DatabaseSettings } from '../database.ts';
import { ThreadCalls } from './thread-calls.ts';

export class SqliteLoading implements Loading {
  readonly #thread: ThreadCalls;
  readonly #loaded: () => void;

  /** @param loaded called when the contents are there. */
  static async open(settings: DatabaseSettings, loaded: () => void): Promise<SqliteLoading> {
    const file = new URL('./load-thread.ts', import.meta.url);
    const thread = new ThreadCalls(file, settings, `Filling ${settings.file}`);
    try {
      await thread.opened;
      return new SqliteLoading(thread, loaded);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  private constructor(thread: ThreadCalls, loaded: () => void) {
    this.#thread = thread;
    this.#loaded = loaded;
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return this.#thread.call('declare', collections);
  }

  add(items: readonly SnapshotItem[]): Promise<void> {
    return this.#thread.call('add', items);
  }

  async finish(state: SnapshotState): Promise<void> {
    await this.#thread.call('finish', state);
    await this.#thread.close();
    this.#loaded();
  }

  abandon(): Promise<void> {
    return this.#thread.close();
  }
}
