// The known collections with their keys.
import { sameShape, type Collection } from '../collection.ts';
import type { KnownCollection } from '../engine/engine.ts';
import type { CollectionId } from '../engine/stored.ts';
import type { Connections, Reply } from './connections.ts';
import type { SeenHistory } from './history.ts';
import { collectionKeys, type CollectionKeys, type StoreKeys } from './keys.ts';
import { declareScript, hashScript } from './scripts.ts';

export interface StoredCollection {
  readonly known: KnownCollection;
  readonly keys: CollectionKeys;
}

export class Collections {
  readonly #connections: Connections;
  readonly #history: SeenHistory;
  readonly #keys: StoreKeys;
  readonly #keyPrefix: string;
  readonly #collections = new Map<CollectionId, StoredCollection>();

  constructor(connections: Connections, history: SeenHistory, keys: StoreKeys, keyPrefix: string) {
    this.#connections = connections;
    this.#history = history;
    this.#keys = keys;
    this.#keyPrefix = keyPrefix;
  }

  /** A declared collection. */
  get(id: CollectionId): StoredCollection {
    return this.#collections.get(id) as StoredCollection;
  }

  async list(): Promise<readonly KnownCollection[]> {
    const { meta, log, collections } = this.#keys;
    const { rest } = await this.#connections.useWithRetry((session) =>
      session.run(hashScript, this.#history, [meta, log, collections], []),
    );
    return this.#learn(rest);
  }

  async declare(definitions: readonly Collection[]): Promise<readonly KnownCollection[]> {
    let known = await this.list();
    const has = (name: string): boolean => known.some(({ definition }) => definition.name === name);
    const missing = definitions.filter(({ name }) => !has(name));
    if (missing.length > 0) {
      const { meta, log, collections } = this.#keys;
      // A name passed twice is created in its first shape; the caller then rejects a different second one.
      const words = missing.flatMap(({ name, holds, keeps, leased }) => [
        name,
        `${holds} ${keeps} ${leased ? 'leased' : 'plain'}`,
      ]);
      const { rest } = await this.#connections.useWithRetry((session) =>
        session.runDurably(declareScript, this.#history, [meta, log, collections], words),
      );
      known = this.#learn(rest);
    }
    return definitions.map((definition) => {
      const found = known.find((candidate) => candidate.definition.name === definition.name) as KnownCollection;
      return sameShape(found.definition, definition) ? { ...found, definition } : found;
    });
  }

  #learn(pairs: Reply): readonly KnownCollection[] {
    const known: KnownCollection[] = [];
    for (let index = 0; index < pairs.length; index += 2) {
      const [id, holds, keeps, leased] = String(pairs[index + 1]).split(' ');
      const definition = { name: String(pairs[index]), holds, keeps, leased: leased === 'leased' } as Collection;
      const one: KnownCollection = { id: Number(id), definition };
      known.push(one);
      if (!this.#collections.has(one.id))
        this.#collections.set(one.id, { known: one, keys: collectionKeys(this.#keyPrefix, one) });
    }
    return known.toSorted((a, b) => a.id - b.id);
  }
}
