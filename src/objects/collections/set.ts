// A set is a map with null values: `mapCreate` makes one, and the functions of maps read it.
import { mapSet } from './map.ts';
import type { MapRoot } from './map.ts';
import type { Parts } from './parts.ts';

/** Returns the same root, without writing, if the member exists. */
export function setAdd(parts: Parts, root: MapRoot, text: string, member: unknown): MapRoot {
  return mapSet(parts, root, text, member, null);
}
