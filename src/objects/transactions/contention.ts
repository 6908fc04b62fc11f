// Which durable objects were in the way of others: conflicts over each, counted in this process until somebody takes the counts away.
import { encodeKey, type Conflict, type Key } from '../../store/door.ts';
import { nodeRows, partRows } from '../rows.ts';

/** Conflicts over one object. */
export interface ContendedObject {
  readonly space: string;
  readonly id: string;
  readonly conflicts: number;
}

/** So many objects are counted; then the rarer half is forgotten, so that those that matter stay. */
const maxObjects = 1000;

/** Counts conflicts by object, in bounded memory. Conflicts over queries are of no object, and are not counted. */
export class Contention {
  #objects = new Map<string, ContendedObject>();

  note({ collection, key }: Conflict): void {
    const place = key === undefined ? undefined : placeIn(collection, key);
    if (place === undefined) return;
    const name = encodeKey([place.space, place.id]);
    const conflicts = (this.#objects.get(name)?.conflicts ?? 0) + 1;
    this.#objects.set(name, { ...place, conflicts });
    if (this.#objects.size > maxObjects) this.#objects = commonest(this.#objects, maxObjects / 2);
  }

  /** What was counted since this was last asked. */
  take(): readonly ContendedObject[] {
    const taken = [...this.#objects.values()];
    this.#objects = new Map();
    return taken;
  }
}

/** The entries with the most conflicts. */
export function commonest<Entry extends { readonly conflicts: number }>(
  entries: ReadonlyMap<string, Entry>,
  most: number,
): Map<string, Entry> {
  return new Map([...entries].toSorted(([, a], [, b]) => b.conflicts - a.conflicts).slice(0, most));
}

/** Parts of a large collection are counted as the collection. */
function placeIn(collection: string, [space, id]: Key): { space: string; id: string } | undefined {
  if (collection !== nodeRows.name && collection !== partRows.name) return undefined;
  return { space: String(space), id: String(id) };
}
