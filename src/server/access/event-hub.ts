// Events of jobs for many readers at once. One follower reads the store's feed for all of them: five hundred streams cost the
// worker no more than one. A reader who is slow does not hold up the others: what it has missed it reads from the store.
import { everythingChanged, noticesOf, type ChangeNotice } from './change-notice.ts';
import { eventsOf, jobEventRows, pastJobEvents, type JobEventRow, type JobStreamEvent } from '../../jobs/door.ts';
import type { Key } from '../../store/door.ts';
import type { Statek } from '../../kit/statek.ts';

interface Reader {
  waiting: (JobStreamEvent | ChangeNotice)[];
  /** It is also told what has changed besides jobs. */
  readonly notices: boolean;
  /** More came than could wait. */
  isBehind: boolean;
  wake: () => void;
}

/** What a reader has seen: everything before `revision`, and so many events of it. */
interface Seen {
  revision: number;
  events: number;
}

export class EventHub {
  readonly #kit: Statek;
  readonly #maxWaiting: number;
  /** Readers of all jobs under undefined. */
  readonly #readers = new Map<string | undefined, Set<Reader>>();
  #count = 0;
  #stop: AbortController | undefined;
  /** The revision up to which events were handed to the readers. */
  #head = 0;
  #started: Promise<void> = Promise.resolve();
  #failure: Error | undefined;

  /** @param maxWaiting events that wait for a reader before it has to read them from the store */
  constructor(kit: Statek, maxWaiting = 1000) {
    this.#kit = kit;
    this.#maxWaiting = maxWaiting;
  }

  /** Events after a revision (default: from now on), each once and in order, until the signal aborts. */
  async *events(options: {
    readonly job?: string | undefined;
    readonly since?: number | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<JobStreamEvent, void, undefined> {
    for await (const event of this.#read(options, false)) if (!isNotice(event)) yield event;
  }

  /** The same for all jobs, and what has changed besides them; notices come from now on, each as often as it is true. */
  everything(options: {
    readonly since?: number | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<JobStreamEvent | ChangeNotice, void, undefined> {
    return this.#read(options, true);
  }

  async *#read(
    options: { readonly job?: string | undefined; readonly since?: number | undefined; readonly signal: AbortSignal },
    notices: boolean,
  ): AsyncGenerator<JobStreamEvent | ChangeNotice, void, undefined> {
    const { job, signal } = options;
    const reader: Reader = { waiting: [], notices, isBehind: false, wake: () => undefined };
    const aborted = (): void => reader.wake();
    signal.addEventListener('abort', aborted);
    this.#add(job, reader);
    try {
      await this.#started;
      const seen: Seen = { revision: options.since ?? this.#head, events: Number.POSITIVE_INFINITY };
      yield* this.#past(job, seen, signal);
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure;
        if (reader.isBehind) {
          reader.isBehind = false;
          reader.waiting = [];
          yield* this.#past(job, seen, signal);
          if (notices) yield everythingChanged;
          continue;
        }
        const event = reader.waiting.shift();
        if (event !== undefined) {
          if (isNotice(event) || isNew(seen, event)) yield event;
          continue;
        }
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', aborted);
      this.#remove(job, reader);
    }
  }

  /** What the store has after what was seen, up to what is handed out now. */
  async *#past(
    job: string | undefined,
    seen: Seen,
    signal: AbortSignal,
  ): AsyncGenerator<JobStreamEvent, void, undefined> {
    const until = this.#head;
    // A commit of which not all events were seen is read again, and what was seen of it is passed over.
    const since = seen.events === Number.POSITIVE_INFINITY ? seen.revision : seen.revision - 1;
    const skip = { revision: seen.revision, events: seen.events };
    let number = 0;
    let revision = -1;
    for await (const event of pastJobEvents({ store: this.#kit.store }, { job, since, until })) {
      if (signal.aborted) return;
      number = event.revision === revision ? number + 1 : 1;
      ({ revision } = event);
      if (revision === skip.revision && number <= skip.events) continue;
      seen.revision = revision;
      seen.events = number;
      yield event;
    }
    if (until >= seen.revision) {
      seen.revision = until;
      seen.events = Number.POSITIVE_INFINITY;
    }
  }

  #add(job: string | undefined, reader: Reader): void {
    const readers = this.#readers.get(job) ?? new Set();
    this.#readers.set(job, readers.add(reader));
    if (this.#count++ > 0) return;
    this.#stop = new AbortController();
    this.#failure = undefined;
    this.#started = this.#start(this.#stop.signal);
  }

  #remove(job: string | undefined, reader: Reader): void {
    const readers = this.#readers.get(job);
    if (readers?.delete(reader) !== true) return;
    if (readers.size === 0) this.#readers.delete(job);
    if (--this.#count === 0) this.#stop?.abort();
  }

  #hand(reader: Reader, event: JobStreamEvent | ChangeNotice): void {
    if (reader.waiting.length < this.#maxWaiting) reader.waiting.push(event);
    else reader.isBehind = true;
    reader.wake();
  }

  async #start(signal: AbortSignal): Promise<void> {
    this.#head = await this.#kit.store.revision();
    void this.#follow(this.#head, signal);
  }

  /** The rows of jobs that somebody watches, in order; what nobody watches is not read. Somebody may join while it reads. */
  async #watchedRows(keys: readonly Key[]): Promise<readonly (readonly [index: number, row: JobEventRow])[]> {
    const rows = new Map<number, JobEventRow | undefined>();
    for (;;) {
      const missing = [...keys.keys()].filter((index) => !rows.has(index) && this.#isWatched(String(keys[index]?.[0])));
      if (missing.length === 0) break;
      const entries = await this.#kit.store.read(
        jobEventRows,
        missing.map((index) => keys[index] ?? []),
      );
      // What was deleted since is passed over.
      for (const [position, index] of missing.entries()) rows.set(index, entries[position]?.value);
    }
    return [...rows]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, row]) => (row === undefined ? [] : [[index, row] as const]));
  }

  #isWatched(job: string): boolean {
    return this.#readers.has(undefined) || this.#readers.has(job);
  }

  async #follow(since: number, signal: AbortSignal): Promise<void> {
    try {
      const { store } = this.#kit;
      for await (const { changes, revision } of store.follow({ since, signal })) {
        const keys = changes.flatMap(({ kind, collection, key }) =>
          kind === 'put' && collection === jobEventRows.name ? [key] : [],
        );
        const rows = await this.#watchedRows(keys);
        // From here on nothing waits: whoever joins later finds all of it in the store.
        this.#head = revision;
        for (const [index, row] of rows) {
          const job = String(keys[index]?.[0]);
          for (const event of eventsOf(keys[index] ?? [], row, revision))
            for (const readers of [this.#readers.get(job), this.#readers.get(undefined)])
              for (const reader of readers ?? []) this.#hand(reader, event);
        }
        // After the events of the same commit.
        for (const notice of noticesOf(changes))
          for (const reader of this.#readers.get(undefined) ?? []) if (reader.notices) this.#hand(reader, notice);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = error as Error;
      for (const readers of this.#readers.values()) for (const reader of readers) reader.wake();
    }
  }
}

function isNotice(event: JobStreamEvent | ChangeNotice): event is ChangeNotice {
  return event.kind === 'changed' || event.kind === 'deleted';
}

/** Counts an event as seen; false if it was seen before. */
function isNew(seen: Seen, { revision }: JobStreamEvent): boolean {
  if (revision < seen.revision || (revision === seen.revision && seen.events === Number.POSITIVE_INFINITY))
    return false;
  seen.events = revision === seen.revision ? seen.events + 1 : 1;
  seen.revision = revision;
  return true;
}
