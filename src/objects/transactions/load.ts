// Loading ahead on stores that cannot read at once: what was asked for, and what it leads to.
import { encodeKey, type Key } from '../../store/key.ts';
import { referenceIn } from '../instances/encoded.ts';
import { scanAll } from '../../store/scan-all.ts';
import { nodeOf, placeOf } from '../node.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { nodeRows, partRows } from '../rows.ts';
import type { BlockingReads } from '../../store/store.ts';
import { LoadedSource, type CommittedRow, type Need } from './row-source.ts';

/** How many objects are loaded along with those that were asked for. */
const mostAlong = 300;

/** How many parts of a collection are loaded along: few at first, and more each time it is read on. */
const fewestParts = 8;
const mostParts = 256;

/** How often each collection was read on, by those who load for one transaction. */
const faults = new WeakMap<LoadedSource, Map<string, number>>();

/** Loads what a fault named, and the objects that it refers to. */
export async function loadGenerously(source: LoadedSource, need: Need): Promise<void> {
  const needs = generously(source, need);
  for (let next = needs.next(); next.done !== true;) next = needs.next(await source.load(next.value));
}

/** The same, while the thread stands still. */
export function loadGenerouslyBlocking(source: LoadedSource, need: Need, reads: BlockingReads): void {
  const needs = generously(source, need);
  for (let next = needs.next(); next.done !== true;) next = needs.next(source.loadBlocking(next.value, reads));
}

/** What is worth loading for a need: the rows of each part say what the next one is. */
function* generously(source: LoadedSource, need: Need): Generator<Need, void, readonly CommittedRow[]> {
  const rows = [...(yield need)];
  if (need.kind === 'rows' && need.collection === partRows) rows.push(...(yield ahead(source, need.keys[0] as Key)));
  const along = new Map<string, Key>();
  for (const row of rows) {
    const [space, id] = row.key;
    // Rows of tags, classes and indexes end in the id of the object they are about.
    if (need.collection !== nodeRows && typeof row.key.at(-1) === 'string' && need.kind === 'scan')
      along.set(`${String(space)}/${String(row.key.at(-1))}`, [space as string, row.key.at(-1) as string]);
    for (const reference of referencesIn(row.value)) {
      const place = placeOf(reference, String(space));
      if (place.id !== id) along.set(`${place.space}/${place.id}`, [place.space, place.id]);
      if (along.size >= mostAlong) break;
    }
  }
  if (along.size > 0) yield { kind: 'rows', collection: nodeRows, keys: [...along.values()].slice(0, mostAlong) };
}

/** Whoever reads one part of a collection will probably read those that follow. */
function ahead(source: LoadedSource, from: Key): Need {
  const prefix = from.slice(0, 2);
  const known = faults.get(source) ?? new Map<string, number>();
  faults.set(source, known);
  const before = known.get(encodeKey(prefix)) ?? 0;
  known.set(encodeKey(prefix), before + 1);
  const limit = Math.min(fewestParts * 2 ** before, mostParts);
  const options = { reverse: false, limit, cursor: undefined };
  return { kind: 'scan', collection: partRows, range: { prefix, from }, options };
}

/** Loads an object with its collections and what it refers to, for use outside a transaction; returns it. */
export async function load<Target extends object>(objects: ObjectGraph, target: Target): Promise<Target> {
  const node = nodeOf(target);
  if (node === undefined) throw new TypeError('load is for durable objects and their collections.');
  // A store that reads at once has nothing to load.
  if (objects.store.synchronous !== undefined) return target;
  const { loaded } = objects.turns;
  const source = new LoadedSource(objects.store, await objects.store.revision());
  const keep = async (key: Key): Promise<readonly string[]> => {
    const [row] = await source.load({ kind: 'rows', collection: nodeRows, keys: [key] });
    loaded.keep(nodeRows, key, row);
    const found = referencesIn(row?.value);
    if (row === undefined || 'class' in (row.value as object)) return found;
    for await (const part of scanAll(objects.store, partRows, { prefix: key }, { at: source.revision })) {
      loaded.keep(partRows, part.key, part);
      found.push(...referencesIn(part.value));
    }
    return found;
  };
  for (const reference of await keep(node.key)) {
    const place = placeOf(reference, node.space);
    await keep([place.space, place.id]);
  }
  return target;
}

/** The ids of everything a stored value refers to, however deep it lies. */
export function referencesIn(value: unknown): string[] {
  const found: string[] = [];
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if (!Array.isArray(part)) {
      for (const member of Object.values(part)) look(member);
      return;
    }
    const reference = referenceIn(part);
    if (reference !== undefined && typeof reference[1] === 'string') found.push(reference[1]);
    else for (const member of part) look(member);
  };
  look(value);
  return found;
}
