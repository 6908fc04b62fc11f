// The items of a store on their way into another one in which their values have another form.
import type { Collection } from '../collection.ts';
import type { SnapshotItem, SnapshotState } from '../engine/snapshot.ts';
import type { CollectionId, KnownCollection, StoredValue } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';

/** What a copy has that is not in the store it is made from: values in another form, and rows of one more commit. */
export interface Recoding {
  value(definition: Collection, key: EncodedKey, value: StoredValue): StoredValue;
  /** Collections that are not copied. */
  leavesOut(definition: Collection): boolean;
  readonly more: readonly { readonly collection: Collection; readonly key: EncodedKey; readonly value: StoredValue }[];
}

export class Recoded {
  readonly collections: readonly KnownCollection[];
  readonly #recoding: Recoding;
  readonly #byId: ReadonlyMap<CollectionId, Collection>;

  constructor(recoding: Recoding, collections: readonly KnownCollection[]) {
    this.#recoding = recoding;
    const known = new Set(collections.map(({ definition }) => definition.name));
    const free = Math.max(0, ...collections.map(({ id }) => id)) + 1;
    const added = recoding.more.filter(({ collection }) => !known.has(collection.name));
    this.collections = [
      ...collections,
      ...added.map(({ collection }, index) => ({ id: free + index, definition: collection })),
    ];
    this.#byId = new Map(this.collections.map(({ id, definition }) => [id, definition]));
  }

  items(items: readonly SnapshotItem[]): readonly SnapshotItem[] {
    return items.flatMap((item): readonly SnapshotItem[] => {
      if (item.kind === 'logged' || item.kind === 'removed') return [item];
      const definition = this.#byId.get(item.collection);
      if (definition === undefined) return [item];
      if (this.#recoding.leavesOut(definition)) return [];
      if (item.kind === 'entry') return [{ ...item, entry: this.#entry(definition, item.entry) }];
      return [{ ...item, version: this.#entry(definition, item.version) }];
    });
  }

  /** The rows that are added are a commit of their own. */
  state(state: SnapshotState): SnapshotState {
    return { ...state, revision: state.revision + 1 };
  }

  more(revision: Revision): readonly SnapshotItem[] {
    const added = this.#recoding.more.map(({ collection, key, value }) => ({
      collection: this.collections.find(({ definition }) => definition.name === collection.name)?.id ?? 0,
      entry: { key, value, revision },
    }));
    return [
      {
        kind: 'logged',
        row: {
          revision,
          changes: added.map(({ collection, entry: { key } }) => ({ kind: 'put', collection, key })),
        },
      },
      ...added.map(({ collection, entry }): SnapshotItem => ({ kind: 'entry', collection, entry })),
    ];
  }

  #entry<Entry extends { readonly key: EncodedKey; readonly value: StoredValue }>(
    definition: Collection,
    entry: Entry,
  ): Entry {
    return { ...entry, value: this.#recoding.value(definition, entry.key, entry.value) };
  }
}
