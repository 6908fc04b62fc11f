// The change feed, written once over every engine's log. Followers pull: each keeps only its own position, so a slow one
// costs nothing and one that stops harms nobody. Those near the end share one small window of recent rows in memory.
import type { Engine } from './engine.ts';
import { StoreArgumentError, StoreClosedError, StoreCorruptError } from '../errors.ts';
import type { LogRow } from './log.ts';
import type { Revision } from '../store.ts';

const windowRows = 4096;
const pageRows = 512;
// Wake-ups make followers prompt; this makes them certain, should one be lost.
const slowPollMilliseconds = 1000;

/** What the feed needs of an engine. */
type FollowedEngine = Pick<Engine, 'onWake' | 'readLog' | 'revision'>;

export class Feed {
  readonly #engine: FollowedEngine;
  /** The latest rows, without gaps; all followers that keep up read them from here. */
  #window: LogRow[] = [];
  /** A look at the log that all followers share; tells how many wake-ups there had been when it began. */
  #refreshing: Promise<number> | undefined;
  #unsubscribe: (() => void) | undefined;
  #waiters = new Set<() => void>();
  #wakes = 0;
  /** How many wake-ups there had been when the window was last brought up to date. */
  #windowWakes = 0;
  #closed = false;

  constructor(engine: FollowedEngine) {
    this.#engine = engine;
  }

  /** Log rows after `since` (from now on if undefined), each once and in order, until `signal` aborts or the feed closes. */
  follow(since: Revision | undefined, signal: AbortSignal | undefined): AsyncIterable<LogRow> {
    this.#unsubscribe ??= this.#engine.onWake(() => this.#wake());
    // Asked for at once, so that what is committed after this call is seen even if iteration starts later.
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
    // One who has seen more than there is follows the wrong store, and would miss what comes next.
    if (!Number.isInteger(since) || since < 0 || since > head)
      throw new StoreArgumentError(`There is no revision ${since} to follow from; the latest is ${head}.`, {
        revision: since,
        head,
      });
    // Refuses what was pruned, also where this process still remembers it.
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
      // Whatever has come since this look began has woken or will wake us; there is no need to look twice.
      if (rows.length < pageRows) await this.#wakeAfter(wakes, signal);
    }
  }

  /** Rows after a position, and how many wake-ups there had been when they were looked for. */
  async #rowsAfter(position: Revision): Promise<{ readonly rows: readonly LogRow[]; readonly wakes: number }> {
    const first = this.#window[0]?.revision;
    const last = this.#window.at(-1)?.revision;
    let wakes = this.#wakes;
    if (first === undefined || last === undefined || position < first - 1 || position > last) {
      const rows = await this.#engine.readLog(position, pageRows);
      // The window starts where the first follower that has caught up reads.
      if (this.#window.length === 0 && rows.length < pageRows) {
        this.#window = [...rows];
        this.#windowWakes = wakes;
      }
      return { rows, wakes };
    }
    if (position === last) wakes = await (this.#refreshing ??= this.#refresh(last));
    // What others have read for the window may be older than the last wake-up.
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
      this.#window.push(...rows);
      if (this.#window.length > windowRows) this.#window.splice(0, this.#window.length - windowRows);
      // After a full page there is more to be read, and nobody may wait for a wake-up.
      this.#windowWakes = rows.length < pageRows ? wakes : -1;
      return this.#windowWakes;
    } finally {
      this.#refreshing = undefined;
    }
  }

  #wake(): void {
    this.#wakes++;
    for (const waiter of [...this.#waiters]) waiter();
  }

  /** Resolves at the first wake-up later than `wakes`, after the slow poll's time, or when `signal` aborts. */
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
