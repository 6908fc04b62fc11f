// Fills contents in memory: everything is gathered in other contents first, which replace those of the store at the end.
import type { Collection } from '../collection.ts';
import { notEmpty } from '../engine/empty.ts';
import type { KnownCollection } from '../engine/engine.ts';
import type { Loading, SnapshotItem, SnapshotState } from '../engine/snapshot.ts';
import { Contents } from './contents.ts';

export class MemoryLoading implements Loading {
  readonly #current: () => Contents;
  readonly #replace: (contents: Contents) => Promise<void>;
  #gathered = new Contents();

  /** @param replace makes these the contents of the store, if it is still empty then. */
  constructor(current: () => Contents, replace: (contents: Contents) => Promise<void>) {
    this.#current = current;
    this.#replace = replace;
    checkEmpty(current());
    // A store that is open may know numbers of collections already.
    for (const { known } of current().tables) this.#declare(known.definition);
  }

  declare(collections: readonly Collection[]): Promise<readonly KnownCollection[]> {
    return Promise.resolve(collections.map((definition) => this.#declare(definition)));
  }

  add(items: readonly SnapshotItem[]): Promise<void> {
    for (const item of items) this.#gathered.restore(item);
    return Promise.resolve();
  }

  async finish(state: SnapshotState): Promise<void> {
    this.#gathered.restoreState(state);
    checkEmpty(this.#current());
    await this.#replace(this.#gathered);
  }

  abandon(): Promise<void> {
    this.#gathered = new Contents();
    return Promise.resolve();
  }

  #declare(definition: Collection): KnownCollection {
    if (this.#gathered.named(definition) === undefined) this.#gathered.apply([{ kind: 'declared', definition }]);
    return this.#gathered.named(definition) as KnownCollection;
  }
}

export function checkEmpty(contents: Contents): void {
  if (contents.head > 0) throw notEmpty(contents.head);
}
