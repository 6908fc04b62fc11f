// Work in the background: it gives others their turn, stops when it is told to, and says how far it is.
import { setImmediate } from 'node:timers/promises';
import type { Collection, ValueOf } from '../../store/collection.ts';
import type { Key } from '../../store/key.ts';
import type { Range } from '../../store/range.ts';
import type { Entry, Revision, Store } from '../../store/store.ts';

export interface CollectProgress {
  readonly phase: 'read' | 'mark' | 'condemn' | 'remove';
  /** Rows that were read, references followed, objects condemned or pardoned, objects removed, so far. */
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

  /** Between two steps, each of a few milliseconds. Throws if this should stop. */
  async step(phase: CollectProgress['phase'], more: number): Promise<void> {
    this.signal?.throwIfAborted();
    this.#done[phase] += more;
    this.#onProgress?.({ phase, done: this.#done[phase] });
    // Some engines answer reads without ever leaving the thread.
    await setImmediate();
    this.signal?.throwIfAborted();
  }
}

const pageSize = 1000;

/** Every entry in a range. `handle` may answer a key to go on from instead of reading what lies before it. */
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
    // Only what is said of the last entry saves reading anything.
    for (const entry of page.entries) skipTo = handle(entry) ?? undefined;
    await pace.step('read', page.entries.length);
    if (page.cursor === undefined) return;
    cursor = skipTo === undefined ? page.cursor : undefined;
    from = skipTo ?? from;
  }
}
