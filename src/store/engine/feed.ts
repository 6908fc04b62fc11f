// The change feed, shared by all engines. Followers pull from the log and keep only their position, so a slow or stopped
// follower costs nothing. Followers near the end share one window of recent rows in memory.
import type { Engine } from './engine.ts';
import { StoreArgumentError, StoreClosedError, StoreCorruptError } from '../errors.ts';
import type { LogRow } from './log.ts';
import type { Revision } from '../store.ts';

const windowRows = 4096;
const pageRows = 512;
// A safety net: wake-ups may be lost.
const slowPollMilliseconds = 1000;

/** What the feed needs of an engine. */
type FollowedEngine = Pick<Engine, 'onWake' | 'readLog' | 'revision'>;

export class Feed {
  readonly #engine: FollowedEngine;
  /** The latest rows, without gaps, for all followers that keep up. */
  #window: LogRow[] = [];
  /** The shared read of the log in progress; resolves to the number of wake-ups counted when it started. */
  #refreshing: Promise<number> | undefined;
  #unsubscribe: (() => void) | undefined;
  #waiters = new Set<() => void>();
  #wakes = 0;
  /** The number of wake-ups counted when the window was last refreshed. */
  #windowWakes = 0;
  #closed = false;

  constructor(engine: FollowedEngine) {
    this.#engine = engine;
  }

  /** Log rows after `since` (from now on if undefined), each once and in order, until `signal` aborts or the feed closes. */
  follow(since: Revision | undefined, signal: AbortSignal | undefined): AsyncIterable<LogRow> {
    this.#unsubscribe ??= this.#engine.onWake((rows) => this.#wake(rows));
    // Read immediately, so that commits after this call are seen even if iteration starts later.
    const start = this.#startOf(since);
    start.catch(() => undefined);
    return { [Symbol.asyncIterator]: () => this.#rows(start, signal) };
  }

  close(): void {
    this.#closed = true;
    this.#unsubscribe?.();
    this.#wake();
  }

  async #startOf(since: Revision | undefined): Promise<Revision> {
    const head = await this.#engine.revision();
    if (since === undefined) return head;
    // A position beyond the head belongs to another store; following from it would miss changes.
    if (!Number.isInteger(since) || since < 0 || since > head)
      throw new StoreArgumentError(
        `Cannot follow from revision ${since}; the latest revision is ${head}. Check that this is the right store.`,
        {
          revision: since,
          head,
        },
      );
    // Throws if the revision was pruned, even if the window still has it.
    await this.#engine.readLog(since, 1);
    return since;
  }

  async *#rows(start: Promise<Revision>, signal: AbortSignal | undefined): AsyncGenerator<LogRow, void, undefined> {
    let position = await start;
    const aborted = (): boolean => signal?.aborted === true;
    while (!aborted()) {
      if (this.#closed) throw new StoreClosedError('The store was closed while its changes were being followed.');
      const { rows, wakes } = await this.#rowsAfter(position);
      for (const row of rows) {
        if (aborted()) return;
        if (row.revision !== position + 1) {
          throw new StoreCorruptError(
            `The change log has no revision ${position + 1}; the next one is ${row.revision}.`,
            { revision: position + 1 },
          );
        }
        position = row.revision;
        yield row;
      }
      // Later commits have woken or will wake this follower, so there is no need to read again.
      if (rows.length < pageRows) await this.#wakeAfter(wakes, signal);
    }
  }

  /** Rows after a position, and the number of wake-ups counted before they were read. */
  async #rowsAfter(position: Revision): Promise<{ readonly rows: readonly LogRow[]; readonly wakes: number }> {
    const first = this.#window[0]?.revision;
    const last = this.#window.at(-1)?.revision;
    let wakes = this.#wakes;
    if (first === undefined || last === undefined || position < first - 1 || position > last) {
      const rows = await this.#engine.readLog(position, pageRows);
      // The first follower to catch up starts the window.
      if (this.#window.length === 0 && rows.length < pageRows) {
        this.#window = [...rows];
        this.#windowWakes = wakes;
      }
      return { rows, wakes };
    }
    if (position === last) wakes = await (this.#refreshing ??= this.#refresh(last));
    // Other followers may have filled the window before the last wake-up.
    else wakes = this.#windowWakes;
    const offset = position - (this.#window[0]?.revision ?? position) + 1;
    const rows =
      offset < 0 ? await this.#engine.readLog(position, pageRows) : this.#window.slice(offset, offset + pageRows);
    return { rows, wakes };
  }

  async #refresh(last: Revision): Promise<number> {
    const wakes = this.#wakes;
    try {
      const rows = await this.#engine.readLog(last, pageRows);
      this.#extend(rows);
      // After a full page there may be more rows, so followers must not wait for a wake-up.
      this.#windowWakes = rows.length < pageRows ? wakes : -1;
      return this.#windowWakes;
    } finally {
      this.#refreshing = undefined;
    }
  }

  /** Adds rows that follow those in the window. */
  #extend(rows: readonly LogRow[]): void {
    const last = this.#window.at(-1)?.revision;
    this.#window.push(...(last === undefined ? rows : rows.filter(({ revision }) => revision > last)));
    if (this.#window.length > windowRows) this.#window.splice(0, this.#window.length - windowRows);
  }

  /** `rows` are what this process itself has just committed; if the window reaches up to them, they need not be read. */
  #wake(rows: readonly LogRow[] = []): void {
    this.#wakes++;
    const last = this.#window.at(-1)?.revision;
    if (rows.length > 0 && rows[0]?.revision === (last ?? Number.NaN) + 1) {
      this.#extend(rows);
      // The window has everything that the wake-ups before this one could tell of.
      if (this.#windowWakes === this.#wakes - 1) this.#windowWakes = this.#wakes;
    }
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Resolves at the first wake-up later than `wakes`, after the poll interval, or when `signal` aborts. */
  #wakeAfter(wakes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#wakes !== wakes) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.#waiters.delete(done);
        resolve();
      };
      const timer = setTimeout(done, slowPollMilliseconds);
      signal?.addEventListener('abort', done);
      this.#waiters.add(done);
    });
  }
}
