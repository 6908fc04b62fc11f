// What stored rows refer to, read by their structure: which values lie in a record, in a part of a large collection, in
// an entry of an index. Guessing by looks is not enough here: whatever is overlooked would be removed.
import type { Key } from '../../store/key.ts';
import { isStrongReference, type Encoded } from '../instances/encoded.ts';
import { idText } from '../node.ts';
import type { ListRoot } from '../collections/list.ts';
import type { MapRoot } from '../collections/map.ts';

export type VisitValue = (value: Encoded) => void;

/** The object that a value keeps. Weak references keep nothing, nor do references into another space. */
export function keptBy(value: Encoded, space: string): string | undefined {
  if (!isStrongReference(value)) return undefined;
  const [, id] = value;
  return id.includes('/') ? undefined : idText(space, id);
}

/**
 * Visits the values in a record. Answers how many elements lie in parts of their own (0 if none do), or undefined if
 * this is no record.
 */
export function visitRecord(record: unknown, visit: VisitValue): number | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  if ('class' in record) {
    const fields = 'fields' in record ? record.fields : undefined;
    if (typeof fields !== 'object' || fields === null) return undefined;
    for (const value of Object.values(fields)) visit(value as Encoded);
    return 0;
  }
  if ('index' in record) return 0;
  if ('array' in record) return visitList(record.array as ListRoot, visit);
  if ('map' in record) return visitMap(record.map as MapRoot, visit);
  if ('set' in record) return visitMap(record.set as MapRoot, visit);
  if ('object' in record) return visitMap(record.object as MapRoot, visit);
  return undefined;
}

/** Visits the values in a part of a collection. Answers how many elements it holds, or undefined if it is no part. */
export function visitPart(key: Key, value: unknown, visit: VisitValue): number | undefined {
  const [, , kind] = key;
  if (typeof kind === 'number') return Array.isArray(value) ? visitElements(value, visit) : undefined;
  // Where a key's chunk is noted: a number.
  if (isKeyNote(key)) return 0;
  const entries = kind === 'c' ? (value as { entries?: unknown } | null)?.entries : undefined;
  return Array.isArray(entries) ? visitEntries(entries, visit) : undefined;
}

/** Parts that say in which chunk of a map a key is. They lie behind the chunks of their map. */
export function isKeyNote([, , kind]: Key): boolean {
  return kind === 'k' || kind === 'h';
}

function visitList(root: ListRoot, visit: VisitValue): number | undefined {
  if ('items' in root) {
    for (const item of root.items) visit(item as Encoded);
    return 0;
  }
  return typeof root.size === 'number' ? root.size : undefined;
}

function visitMap(root: MapRoot, visit: VisitValue): number | undefined {
  if ('entries' in root) {
    visitEntries(root.entries, visit);
    return 0;
  }
  return typeof root.size === 'number' ? root.size : undefined;
}

// A leaf of a list holds values, a node above holds pairs of numbers, and no value is a pair of numbers.
function visitElements(elements: readonly unknown[], visit: VisitValue): number {
  let count = 0;
  for (const element of elements) {
    if (Array.isArray(element) && typeof element[0] === 'number') continue;
    visit(element as Encoded);
    count++;
  }
  return count;
}

function visitEntries(entries: readonly unknown[], visit: VisitValue): number {
  for (const entry of entries) {
    const [, , key, value] = entry as readonly [number, string, Encoded, Encoded];
    visit(key);
    visit(value);
  }
  return entries.length;
}
