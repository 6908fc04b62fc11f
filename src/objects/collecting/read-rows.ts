// Reads all object rows at one revision into a graph, each collection sequentially.
import type { Key, Revision, Store } from '../../store/door.ts';
import type { CondemnedRecord } from './condemned.ts';
import { ReferenceGraph } from './reachable.ts';
import { eachEntry, type Pace } from './pace.ts';
import { isKeyEntry, keptBy, visitPart, visitRecord } from './references.ts';
import { referenceIn, type Encoded } from '../instances/encoded.ts';
import { idText, placeOf } from '../node.ts';
import { extentRows, indexRows, nodeRows, partRows, rootRows, tagRows } from '../rows.ts';

/** A count with a few examples. */
export interface Sample<Item> {
  readonly count: number;
  readonly examples: readonly Item[];
}

export const maxExamples = 20;

export class Sampler<Item> implements Sample<Item> {
  count = 0;
  readonly examples: Item[] = [];

  add(item: Item): void {
    if (this.count++ < maxExamples) this.examples.push(item);
  }
}

/** A root row whose object does not exist. */
export interface EmptyRoot {
  readonly key: Key;
  readonly revision: Revision;
  readonly target: string;
}

export interface ReadObjects {
  readonly graph: ReferenceGraph;
  /** The number of objects. */
  readonly count: number;
  /** Singletons, pinned and tagged objects. */
  readonly roots: readonly number[];
  readonly emptyRoots: readonly EmptyRoot[];
  /** Index entries whose object or index is gone. */
  readonly emptyEntries: readonly Key[];
  /** Index entries for objects of another space, which they do not keep. */
  readonly entriesAcross: ReadonlyMap<number, readonly Key[]>;
  /** Condemned objects that have changed since. */
  readonly touched: ReadonlySet<number>;
  readonly problems: Sample<string>;
  /** Something could not be read, so its references are unknown. */
  readonly isDamaged: boolean;
}

export async function readObjects(
  store: Store,
  at: Revision,
  condemned: ReadonlyMap<string, CondemnedRecord>,
  pace: Pace,
): Promise<ReadObjects> {
  const graph = new ReferenceGraph();
  const problems = new Sampler<string>();
  const touched = new Set<number>();
  const roots: number[] = [];
  const emptyRoots: EmptyRoot[] = [];
  const emptyEntries: Key[] = [];
  const entriesAcross = new Map<number, Key[]>();
  /** How many elements of a collection have not been found in its parts yet. */
  const awaited = new Map<number, number>();
  const options = { at, pace };
  let count = 0;
  let isDamaged = false;

  const damage = (problem: string): void => {
    isDamaged = true;
    problems.add(problem);
  };
  const look = (number: number, revision: Revision): void => {
    const since = condemned.get(graph.texts[number] as string)?.revision;
    if (since !== undefined && revision > since) touched.add(number);
  };

  await eachEntry(store, nodeRows, options, ({ key, value, revision }) => {
    const [space, id] = key as [string, string];
    const number = graph.numberOf(idText(space, id));
    graph.setThere(number);
    count++;
    look(number, revision);
    const inParts = visitRecord(value, (member) => {
      const target = keptBy(member, space);
      if (target !== undefined) graph.connect(number, graph.numberOf(target));
    });
    if (inParts === undefined) damage(`The record of ${graph.texts[number]} is not a valid object record.`);
    else if (inParts > 0) awaited.set(number, inParts);
  });

  await eachEntry(store, partRows, options, ({ key, value, revision }) => {
    const [space, id] = key as [string, string];
    const text = idText(space, id);
    const number = graph.find(text);
    const missing = number === undefined ? undefined : awaited.get(number);
    if (number === undefined || missing === undefined) {
      problems.add(`The part ${JSON.stringify(key.slice(2))} of ${text} belongs to no object.`);
      return undefined;
    }
    look(number, revision);
    const found = visitPart(key, value, (member) => {
      const target = keptBy(member, space);
      if (target !== undefined) graph.connect(number, graph.numberOf(target));
    });
    if (found === undefined)
      damage(`The part ${JSON.stringify(key.slice(2))} of ${text} is not a valid part of a collection.`);
    else if (found > 0) awaited.set(number, missing - found);
    // After the chunks of a map comes a part per key, which has no references.
    return isKeyEntry(key) ? [space, id, 'l'] : undefined;
  });
  for (const [number, missing] of awaited)
    if (missing !== 0) damage(`The parts of ${graph.texts[number]} do not have as many elements as its record says.`);

  await eachEntry(store, indexRows, options, ({ key, value, revision }) => {
    const [space, id] = key as [string, string];
    const index = graph.find(idText(space, id));
    const reference = referenceIn(value);
    const place = reference && placeOf(reference[1], space);
    const target = place && graph.find(idText(place.space, place.id));
    if (index === undefined || !graph.isThere(index) || target === undefined || !graph.isThere(target)) {
      emptyEntries.push(key);
      return;
    }
    look(index, revision);
    if (place?.space === space) graph.connect(index, target);
    else entriesAcross.set(target, [...(entriesAcross.get(target) ?? []), key]);
  });

  await eachEntry(store, rootRows, options, ({ key, value, revision }) => {
    if (!isRoot(key)) return;
    const target = targetOfRoot(key, value);
    const number = graph.find(target);
    if (number !== undefined && graph.isThere(number)) roots.push(number);
    else emptyRoots.push({ key, revision, target });
  });

  for (const [rows, name] of [
    [tagRows, 'tag'],
    [extentRows, 'class'],
  ] as const) {
    await eachEntry(store, rows, options, ({ key }) => {
      const [space, label, id] = key as [string, string, string];
      const number = graph.find(idText(space, id));
      if (number === undefined || !graph.isThere(number))
        problems.add(`The ${name} '${label}' names ${idText(space, id)}, which does not exist.`);
      else if (rows === tagRows) roots.push(number);
    });
  }
  return { graph, count, roots, emptyRoots, emptyEntries, entriesAcross, touched, problems, isDamaged };
}

/** Whether a row of `object_roots` names an object; the others count removed singletons. */
export function isRoot([, kind]: Key): boolean {
  return kind !== 'removed';
}

/** The object a row of `object_roots` names. */
export function targetOfRoot([space]: Key, value: Encoded): string {
  const place = placeOf(referenceIn(value)?.[1] ?? '', String(space));
  return idText(place.space, place.id);
}
