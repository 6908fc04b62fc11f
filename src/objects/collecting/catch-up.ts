// Catches up with changes made since the graph was read. Every object written since, and everything reachable from a row
// written since, is kept: to make something reachable, a process must write a row that refers to it.
import {
  encodeKey,
  type Change,
  type Key,
  type RecordCollection,
  type Revision,
  type Store,
} from '../../store/door.ts';
import type { ReferenceGraph } from './reachable.ts';
import type { Pace } from './pace.ts';
import { isRoot, targetOfRoot } from './read-rows.ts';
import { visitPart, visitRecord, keptBy } from './references.ts';
import type { ExtraRoots } from './roots.ts';
import { referenceIn, type Encoded } from '../instances/encoded.ts';
import { idText, placeOf } from '../node.ts';
import { indexRows, nodeRows, partRows, rootRows, tagRows } from '../rows.ts';

/** Collections whose rows can make an object reachable. */
export const keepingRows: readonly RecordCollection<unknown>[] = [nodeRows, partRows, tagRows, indexRows, rootRows];

const keysPerRead = 500;

export class CatchUp {
  readonly #store: Store;
  readonly #graph: ReferenceGraph;
  readonly #roots: ExtraRoots;
  readonly #pace: Pace;
  #revision: Revision;

  constructor(store: Store, graph: ReferenceGraph, roots: ExtraRoots, revision: Revision, pace: Pace) {
    this.#store = store;
    this.#graph = graph;
    this.#roots = roots;
    this.#revision = revision;
    this.#pace = pace;
  }

  /** The graph includes all changes up to this revision. */
  get revision(): Revision {
    return this.#revision;
  }

  async run(): Promise<void> {
    const until = await this.#store.revision();
    const changed = until > this.#revision ? await this.#keepChanged(until) : new Set<string>();
    // Changes during this call come after `until`, so the next run finds them.
    if (this.#roots.mayHaveChanged(changed)) {
      const starts = (await this.#roots.ids()).map((text) => this.#graph.numberOf(text));
      await this.#graph.keep(starts, this.#pace);
    }
    this.#revision = until;
  }

  /** Keeps what changes up to a revision refer to. Returns the names of all changed collections. */
  async #keepChanged(until: Revision): Promise<Set<string>> {
    const changed = new Set<string>();
    const { signal } = this.#pace;
    let keys = new Map<string, { readonly collection: RecordCollection<unknown>; readonly key: Key }>();
    for await (const { revision, changes } of this.#store.follow({ since: this.#revision, signal })) {
      for (const change of changes) {
        changed.add(change.collection);
        const collection = keepingRows.find(({ name }) => name === change.collection);
        if (collection === undefined) continue;
        if (change.kind === 'put')
          keys.set(`${collection.name} ${encodeKey(change.key)}`, { collection, key: change.key });
        else this.#noteRemoval(change);
      }
      if (keys.size >= keysPerRead || revision >= until) {
        await this.#keepRows([...keys.values()], until);
        keys = new Map();
      }
      if (revision >= until) break;
    }
    signal?.throwIfAborted();
    return changed;
  }

  #noteRemoval({ collection, key }: Change): void {
    if (collection !== nodeRows.name) return;
    const [space, id] = key as [string, string];
    const number = this.#graph.find(idText(space, id));
    if (number !== undefined) this.#graph.setGone(number);
  }

  async #keepRows(
    rows: readonly { readonly collection: RecordCollection<unknown>; readonly key: Key }[],
    at: Revision,
  ): Promise<void> {
    const starts: number[] = [];
    for (const collection of keepingRows) {
      const keys = rows.filter((row) => row.collection === collection).map(({ key }) => key);
      for (let start = 0; start < keys.length; start += keysPerRead) {
        const entries = await this.#store.read(collection, keys.slice(start, start + keysPerRead), { at });
        for (const entry of entries)
          if (entry !== undefined)
            for (const text of keptByRow(collection, entry.key, entry.value)) starts.push(this.#graph.numberOf(text));
        await this.#pace.step('mark', starts.length);
      }
    }
    await this.#graph.keep(starts, this.#pace);
  }
}

/** The object a row belongs to, and those it refers to. */
function keptByRow(collection: RecordCollection<unknown>, key: Key, value: unknown): string[] {
  const [space, second, third] = key as [string, string, string];
  const found: string[] = [];
  const visit = (member: Encoded): void => {
    const target = keptBy(member, space);
    if (target !== undefined) found.push(target);
  };
  switch (collection) {
    case nodeRows:
      found.push(idText(space, second));
      visitRecord(value, visit);
      break;
    case partRows:
      found.push(idText(space, second));
      visitPart(key, value, visit);
      break;
    case tagRows:
      found.push(idText(space, third));
      break;
    case rootRows:
      if (isRoot(key)) found.push(targetOfRoot(key, value as Encoded));
      break;
    default: {
      found.push(idText(space, second));
      // An index of another space does not keep the object, but its writer is still using it.
      const reference = referenceIn(value);
      const place = reference && placeOf(reference[1], space);
      if (place !== undefined) found.push(idText(place.space, place.id));
    }
  }
  return found;
}
