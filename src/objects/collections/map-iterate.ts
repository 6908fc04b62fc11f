// Iterates over a map that may change between steps, like a JavaScript Map: visits added entries, skips deleted ones, and
// visits none twice.
import { chunkKey, readChunk } from './map-chunks.ts';
import type { ChunkedMap, Entry } from './map-chunks.ts';
import { isInline } from './map.ts';
import type { MapRoot } from './map.ts';
import type { Parts } from './parts.ts';

/** The position of an iteration. JSON, and valid as long as the map exists. */
export interface MapCursor {
  /** The sequence number of the last visited entry. */
  readonly sequence: number;
  /** The chunk of the entry and its neighbours: after a merge, at least one of them still exists. */
  readonly chunks: readonly number[];
}

export interface MapStep {
  readonly text: string;
  readonly key: unknown;
  readonly value: unknown;
  readonly cursor: MapCursor;
}

/** The entry after the cursor, in the map as it is now; the first one without a cursor. */
export function mapNext(parts: Parts, root: MapRoot, cursor?: MapCursor): MapStep | undefined {
  const after = cursor?.sequence ?? -1;
  if (isInline(root)) {
    const entry = entryAfter(root.entries, after);
    return entry && step(entry, []);
  }
  let number = startOf(parts, root, cursor);
  let chunk = readChunk(parts, number);
  // After a split, unvisited entries may be in earlier chunks.
  while (chunk.previous !== null && (chunk.entries[0] as Entry)[0] > after) {
    number = chunk.previous;
    chunk = readChunk(parts, number);
  }
  for (;;) {
    const entry = entryAfter(chunk.entries, after);
    if (entry !== undefined) {
      return step(
        entry,
        [number, chunk.previous, chunk.next].filter((near) => near !== null),
      );
    }
    if (chunk.next === null) return undefined;
    number = chunk.next;
    chunk = readChunk(parts, number);
  }
}

/** Every entry after the cursor. `current` returns the current root of the map. */
export function* mapIterate(
  parts: Parts,
  current: () => MapRoot,
  cursor?: MapCursor,
): Generator<MapStep, void, undefined> {
  let at = mapNext(parts, current(), cursor);
  while (at !== undefined) {
    yield at;
    at = mapNext(parts, current(), at.cursor);
  }
}

function startOf(parts: Parts, root: ChunkedMap, cursor: MapCursor | undefined): number {
  return cursor?.chunks.find((number) => parts.read(chunkKey(number)) !== undefined) ?? root.first;
}

/** Entries are in the order of their sequence numbers. */
function entryAfter(entries: readonly Entry[], sequence: number): Entry | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry)[0] > sequence) high = middle;
    else low = middle + 1;
  }
  return entries[low];
}

function step([sequence, text, key, value]: Entry, chunks: readonly number[]): MapStep {
  return { text, key, value, cursor: { sequence, chunks } };
}
