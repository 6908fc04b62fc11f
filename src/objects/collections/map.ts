// Maps in insertion order: small ones inline in their record, large ones in chunks. The caller identifies keys by a text.
// Every change returns a new root; the old one must not be used any more.
import { buildChunks, ChunkEdit, chunkKey, destroyChunks, findEntry, indexKey, readChunk } from './map-chunks.ts';
import type { ChunkedMap, Entry } from './map-chunks.ts';
import type { Parts } from './parts.ts';
import { inlineAgain, inlineCapacity, totalWeight, weightOf } from './weight.ts';

interface InlineMap {
  readonly entries: readonly Entry[];
  /** The next sequence number; never decreases, so that running iterations stay correct. */
  readonly next: number;
}

/** The record of a map. */
export type MapRoot = InlineMap | ChunkedMap;

export const emptyMap: MapRoot = { entries: [], next: 0 };

/** If several entries have the same text, the first determines position and key, the last the value. */
export function mapCreate(
  parts: Parts,
  entries: Iterable<readonly [text: string, key: unknown, value: unknown]>,
): MapRoot {
  const found = new Map<string, Entry>();
  let next = 0;
  for (const [text, key, value] of entries) {
    const before = found.get(text);
    found.set(text, before === undefined ? [next++, text, key, value] : [before[0], text, before[2], value]);
  }
  return inlineOrChunks(parts, [...found.values()], next);
}

export function mapSize(root: MapRoot): number {
  return isInline(root) ? root.entries.length : root.size;
}

/** The value of a key; undefined if missing. */
export function mapGet(parts: Parts, root: MapRoot, text: string): unknown {
  return isInline(root) ? root.entries.find((entry) => entry[1] === text)?.[3] : findEntry(parts, text)?.entry[3];
}

export function mapHas(parts: Parts, root: MapRoot, text: string): boolean {
  return isInline(root) ? root.entries.some((entry) => entry[1] === text) : findEntry(parts, text) !== undefined;
}

/** An existing key keeps its position. Returns the same root if at most its chunk had to be written. */
export function mapSet(parts: Parts, root: MapRoot, text: string, key: unknown, value: unknown): MapRoot {
  if (isInline(root)) {
    const index = root.entries.findIndex((entry) => entry[1] === text);
    const before = root.entries[index];
    if (before === undefined)
      return inlineOrChunks(parts, [...root.entries, [root.next, text, key, value]], root.next + 1);
    if (before[3] === value) return root;
    return inlineOrChunks(parts, root.entries.with(index, changed(before, value)), root.next);
  }
  const place = findEntry(parts, text);
  const edit = new ChunkEdit(parts, root);
  if (place === undefined) {
    edit.append(text, key, value);
  } else {
    const { number, chunk, index, entry } = place;
    if (entry[3] === value) return root;
    const after = changed(entry, value);
    edit.replace(number, chunk, chunk.entries.with(index, after), weightOf(after) < weightOf(entry));
  }
  return settle(parts, root, edit);
}

/** Returns the same root if the key is missing. */
export function mapDelete(parts: Parts, root: MapRoot, text: string): MapRoot {
  if (isInline(root)) {
    const entries = root.entries.filter((entry) => entry[1] !== text);
    return entries.length === root.entries.length ? root : { ...root, entries };
  }
  const place = findEntry(parts, text);
  if (place === undefined) return root;
  const edit = new ChunkEdit(parts, root);
  parts.remove(indexKey(text));
  edit.replace(place.number, place.chunk, place.chunk.entries.toSpliced(place.index, 1), true);
  edit.size--;
  return settle(parts, root, edit);
}

/** Returns an empty map that running iterations can continue with. */
export function mapClear(parts: Parts, root: MapRoot): MapRoot {
  mapDestroy(parts, root);
  return { entries: [], next: root.next };
}

/** Removes all parts. */
export function mapDestroy(parts: Parts, root: MapRoot): void {
  if (!isInline(root)) destroyChunks(parts, root);
}

export function isInline(root: MapRoot): root is InlineMap {
  return 'entries' in root;
}

function inlineOrChunks(parts: Parts, entries: readonly Entry[], next: number): MapRoot {
  return totalWeight(entries) <= inlineCapacity ? { entries, next } : buildChunks(parts, entries, next);
}

function changed([sequence, text, key]: Entry, value: unknown): Entry {
  return [sequence, text, key, value];
}

/** The root after a change; inline again if only one small chunk is left. */
function settle(parts: Parts, before: ChunkedMap, { size, next, first, last }: ChunkEdit): MapRoot {
  if (first === null || last === null) return { entries: [], next };
  if (first === last && size <= before.size) {
    const { entries } = readChunk(parts, first);
    if (totalWeight(entries) <= inlineAgain) {
      for (const [, text] of entries) parts.remove(indexKey(text));
      parts.remove(chunkKey(first));
      return { entries, next };
    }
  }
  const unchanged = size === before.size && next === before.next && first === before.first && last === before.last;
  return unchanged ? before : { size, next, first, last };
}
