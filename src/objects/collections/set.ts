// A set is a map whose values say nothing: `mapCreate` with nulls makes one, and all of a map's functions read it.
import { mapSet } from './map.ts';
import type { MapRoot } from './map.ts';
import type { Parts } from './parts.ts';

/** The same root, and nothing written, if the member is there already. */
export function setAdd(parts: Parts, root: MapRoot, text: string, member: unknown): MapRoot {
  return mapSet(parts, root, text, member, null);
}
