// Puts items into a store that is being filled: there, collections have other numbers.
import { sameShape } from '../collection.ts';
import type { KnownCollection } from '../engine/engine.ts';
import type { Loading, SnapshotItem, SnapshotState } from '../engine/snapshot.ts';
import type { CollectionId } from '../engine/stored.ts';
import { StoreArgumentError, StoreCorruptError } from '../errors.ts';
import type { Revision } from '../store.ts';

export class ItemLoader {
  readonly #loading: Loading;
  #numbers: ReadonlyMap<CollectionId, CollectionId> = new Map();
  /** The latest change that was loaded. */
  #logged: Revision | undefined;

  constructor(loading: Loading) {
    this.#loading = loading;
  }

  /** Must be called before items that use these numbers are added; their changes are those after a revision. */
  async begin(collections: readonly KnownCollection[], after: Revision): Promise<void> {
    this.#logged ??= after;
    const definitions = collections.map(({ definition }) => definition);
    const found = await this.#loading.declare(definitions);
    for (const [index, { definition }] of found.entries())
      if (!sameShape(definition, collections[index]?.definition ?? definition))
        throw new StoreArgumentError(
          `The collection '${definition.name}' exists with another shape in the store that is to be filled. Choose a new location.`,
          { collection: definition.name },
        );
    this.#numbers = new Map(collections.map(({ id }, index) => [id, (found[index] as KnownCollection).id]));
  }

  async add(items: readonly SnapshotItem[]): Promise<void> {
    await this.#loading.add(items.map((item) => this.#translated(item)));
  }

  async finish(state: SnapshotState): Promise<void> {
    if (this.#logged !== state.revision) throw gap(state.revision, this.#logged);
    await this.#loading.finish(state);
  }

  #translated(item: SnapshotItem): SnapshotItem {
    if (item.kind !== 'logged') return { ...item, collection: this.#number(item.collection) };
    const { revision, changes } = item.row;
    if (revision !== (this.#logged ?? 0) + 1) throw gap(revision, this.#logged);
    this.#logged = revision;
    return {
      kind: 'logged',
      row: {
        revision,
        changes: changes.map((change) => ({ ...change, collection: this.#number(change.collection) })),
      },
    };
  }

  #number(id: CollectionId): CollectionId {
    const number = this.#numbers.get(id);
    if (number === undefined)
      throw new StoreCorruptError(`An item to be loaded is of the unknown collection ${id}. Use another backup.`, {
        id,
      });
    return number;
  }
}

function gap(revision: Revision, after: Revision | undefined): StoreCorruptError {
  return new StoreCorruptError(
    `The change log to be loaded has revision ${revision} after ${after ?? 0}. Use another backup, or verify the store.`,
    { revision },
  );
}
