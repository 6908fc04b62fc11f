// Locates dangling references, for debugging.
import { scanAll, type Revision, type Store } from '../../store/door.ts';
import type { Child } from '../collections/list-tree.ts';
import type { Entry } from '../collections/map-chunks.ts';
import { keptBy } from './references.ts';
import type { Encoded } from '../instances/encoded.ts';
import { placeOf } from '../node.ts';
import { nodeRows, partRows } from '../rows.ts';

export interface DanglingReference {
  /** The id of the object or collection it is in, or the name of a root. */
  readonly from: string;
  /** The class or the kind of collection. */
  readonly type: string;
  /** The path in it: `name`, `[3]`, `get("name")`. */
  readonly path: string;
  /** The id of the missing object. */
  readonly to: string;
}

/** Finds the path of a reference that an object has at a revision. */
export async function describeDangling(
  store: Store,
  at: Revision,
  from: string,
  to: string,
): Promise<DanglingReference> {
  const { space, id } = placeOf(from);
  const isIt = (value: unknown): boolean => keptBy(value as Encoded, space) === to;
  const [entry] = await store.read(nodeRows, [[space, id]], { at });
  const record = entry?.value;
  if (record === undefined) return { from, type: 'gone', path: '', to };
  if ('class' in record) {
    const path = Object.keys(record.fields).find((name) => isIt(record.fields[name])) ?? '';
    return { from, type: record.class, path, to };
  }
  if ('index' in record) return { from, type: 'index', path: '', to };
  if ('array' in record) {
    const root = record.array;
    const index =
      'items' in root
        ? root.items.findIndex(isIt)
        : await positionIn({ store, at, space, id, isIt }, root.children, root.height, 0);
    return { from, type: 'array', path: `[${index}]`, to };
  }
  const root = 'map' in record ? record.map : 'set' in record ? record.set : record.object;
  const type = Object.keys(record)[0] as 'map' | 'set' | 'object';
  const within = 'entries' in root ? [root.entries] : chunks({ store, at, space, id });
  for await (const entries of within)
    for (const [, , key, value] of entries)
      if (isIt(key) || isIt(value)) return { from, type, path: pathOf(type, key, isIt(key)), to };
  return { from, type, path: '', to };
}

function pathOf(type: string, key: unknown, isKey: boolean): string {
  if (isKey) return type === 'set' ? '(a member)' : '(a key)';
  return type === 'object' ? String(key) : `get(${JSON.stringify(key)})`;
}

interface Place {
  readonly store: Store;
  readonly at: Revision;
  readonly space: string;
  readonly id: string;
}

/** The index of an element in the tree of a list, reading one part at a time. */
async function positionIn(
  place: Place & { isIt(value: unknown): boolean },
  children: readonly Child[],
  height: number,
  before: number,
): Promise<number> {
  const { store, at, space, id } = place;
  let start = before;
  for (const [part, count] of children) {
    const [entry] = await store.read(partRows, [[space, id, part]], { at });
    const content = (entry?.value ?? []) as readonly unknown[];
    const offset =
      height === 1
        ? content.findIndex((element) => place.isIt(element))
        : await positionIn(place, content as readonly Child[], height - 1, 0);
    if (offset >= 0) return start + offset;
    start += count;
  }
  return -1;
}

async function* chunks({ store, at, space, id }: Place): AsyncGenerator<readonly Entry[], void, undefined> {
  for await (const { value } of scanAll(store, partRows, { prefix: [space, id, 'c'] }, { at, limit: 20 }))
    yield (value as { entries: readonly Entry[] }).entries;
}
