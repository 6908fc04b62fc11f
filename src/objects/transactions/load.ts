// Read-ahead for stores without synchronous reads: loads the requested rows and what they refer to.
import { InvalidOptionError } from '../../base/options.ts';
import { encodeKey, scanAll, type BlockingReads, type Key } from '../../store/door.ts';
import { referenceIn } from '../instances/encoded.ts';
import { nodeOf, placeOf } from '../node.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { nodeRows, partRows } from '../rows.ts';
import { LoadedSource, type CommittedRow, type Need } from './row-source.ts';

/** Maximum number of referenced objects to load ahead. */
const maxReferenced = 300;

/** How many parts of a collection to load ahead: doubles with each further read of it. */
const minParts = 8;
const maxParts = 256;

/** How often each collection was read further, per transaction. */
const faults = new WeakMap<LoadedSource, Map<string, number>>();

/** Loads the rows of a fault and the objects they refer to. */
export async function loadAhead(source: LoadedSource, need: Need): Promise<void> {
  const needs = needsAhead(source, need);
  for (let next = needs.next(); next.done !== true;) next = needs.next(await source.load(next.value));
}

/** Like `loadAhead`, but blocks the thread. */
export function loadAheadBlocking(source: LoadedSource, need: Need, reads: BlockingReads): void {
  const needs = needsAhead(source, need);
  for (let next = needs.next(); next.done !== true;) next = needs.next(source.loadBlocking(next.value, reads));
}

/** What to load for a need; each step depends on the rows of the previous one. */
function* needsAhead(source: LoadedSource, need: Need): Generator<Need, void, readonly CommittedRow[]> {
  const rows = [...(yield need)];
  if (need.kind === 'rows' && need.collection === partRows)
    rows.push(...(yield nextParts(source, need.keys[0] as Key)));
  const referenced = new Map<string, Key>();
  for (const row of rows) {
    const [space, id] = row.key;
    // Keys of tag, class and index rows end with the id of their object.
    if (need.collection !== nodeRows && typeof row.key.at(-1) === 'string' && need.kind === 'scan')
      referenced.set(`${String(space)}/${String(row.key.at(-1))}`, [space as string, row.key.at(-1) as string]);
    for (const reference of referencesIn(row.value)) {
      const place = placeOf(reference, String(space));
      if (place.id !== id) referenced.set(`${place.space}/${place.id}`, [place.space, place.id]);
      if (referenced.size >= maxReferenced) break;
    }
  }
  if (referenced.size > 0)
    yield { kind: 'rows', collection: nodeRows, keys: [...referenced.values()].slice(0, maxReferenced) };
}

/** The next parts of a collection, which are likely to be read too. */
function nextParts(source: LoadedSource, from: Key): Need {
  const prefix = from.slice(0, 2);
  const known = faults.get(source) ?? new Map<string, number>();
  faults.set(source, known);
  const before = known.get(encodeKey(prefix)) ?? 0;
  known.set(encodeKey(prefix), before + 1);
  const limit = Math.min(minParts * 2 ** before, maxParts);
  const options = { reverse: false, limit, cursor: undefined };
  return { kind: 'scan', collection: partRows, range: { prefix, from }, options };
}

/** Loads an object, its collections and the objects it refers to, for use outside a transaction. Returns the object. */
export async function load<Target extends object>(objects: ObjectGraph, target: Target): Promise<Target> {
  const node = nodeOf(target);
  if (node === undefined) throw new InvalidOptionError('load takes a durable object or one of its collections.');
  // With synchronous reads there is nothing to load.
  if (objects.store.synchronous !== undefined) return target;
  const { loaded } = objects.plainWrites;
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

/** The ids of all references in a stored value, at any depth. */
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
