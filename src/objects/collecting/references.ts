// The references in stored rows, found by the exact structure of records, parts of collections and index entries. A
// heuristic is not enough: the target of an overlooked reference would be removed.
import type { Key } from '../../store/door.ts';
import { isStrongReference, type Encoded } from '../instances/encoded.ts';
import { idText } from '../node.ts';
import type { ListRoot } from '../collections/list.ts';
import type { MapRoot } from '../collections/map.ts';

export type VisitValue = (value: Encoded) => void;

/** The object that a value keeps. Weak references and references into other spaces keep nothing. */
export function keptBy(value: Encoded, space: string): string | undefined {
  if (!isStrongReference(value)) return undefined;
  const [, id] = value;
  return id.includes('/') ? undefined : idText(space, id);
}

/**
 * Visits the values in a record. Returns how many elements are stored in separate parts, or undefined if this is not a
 * valid record.
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

/** Visits the values in a part of a collection. Returns its number of elements, or undefined if it is not a valid part. */
export function visitPart(key: Key, value: unknown, visit: VisitValue): number | undefined {
  const [, , kind] = key;
  if (typeof kind === 'number') return Array.isArray(value) ? visitElements(value, visit) : undefined;
  // The number of the chunk of a key.
  if (isKeyEntry(key)) return 0;
  const entries = kind === 'c' ? (value as { entries?: unknown } | null)?.entries : undefined;
  return Array.isArray(entries) ? visitEntries(entries, visit) : undefined;
}

/** Parts that map a key to its chunk. They sort after the chunks of their map. */
export function isKeyEntry([, , kind]: Key): boolean {
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

// A leaf of a list has values, an inner node pairs of numbers; no value is a pair of numbers.
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
