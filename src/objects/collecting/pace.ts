// Paces background work: yields to other work, can be aborted, and reports progress.
import { setImmediate } from 'node:timers/promises';
import type { Collection, Entry, Key, Range, Revision, Store, ValueOf } from '../../store/door.ts';

export interface CollectProgress {
  readonly phase: 'read' | 'mark' | 'condemn' | 'remove';
  /** Rows read, references followed, objects condemned or pardoned, or objects removed so far. */
  readonly done: number;
}

export class Pace {
  readonly signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: CollectProgress) => void) | undefined;
  readonly #done = { read: 0, mark: 0, condemn: 0, remove: 0 };

  constructor(signal: AbortSignal | undefined, onProgress: ((progress: CollectProgress) => void) | undefined) {
    this.signal = signal;
    this.#onProgress = onProgress;
  }

  /** Call between steps of a few milliseconds. Throws if the work was aborted. */
  async step(phase: CollectProgress['phase'], more: number): Promise<void> {
    this.signal?.throwIfAborted();
    this.#done[phase] += more;
    this.#onProgress?.({ phase, done: this.#done[phase] });
    // Some engines answer reads without yielding to the event loop.
    await setImmediate();
    this.signal?.throwIfAborted();
  }
}

const pageSize = 1000;

/** Visits every entry in a range. `handle` may return a key to skip ahead to. */
export async function eachEntry<C extends Collection>(
  store: Store,
  collection: C,
  options: { readonly range?: Range; readonly at?: Revision | undefined; readonly pace: Pace },
  handle: (entry: Entry<ValueOf<C>>) => Key | void,
): Promise<void> {
  const { range = {}, at, pace } = options;
  let from: Key | undefined;
  let cursor: string | undefined;
  for (;;) {
    const rest = from === undefined ? range : { ...range, from };
    const page = await store.scan(collection, rest, { limit: pageSize, cursor, at });
    let skipTo: Key | undefined;
    // Skipping only saves reads after the last entry of a page.
    for (const entry of page.entries) skipTo = handle(entry) ?? undefined;
    await pace.step('read', page.entries.length);
    if (page.cursor === undefined) return;
    cursor = skipTo === undefined ? page.cursor : undefined;
    from = skipTo ?? from;
  }
}
