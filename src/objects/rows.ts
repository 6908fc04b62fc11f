// The collections of the objects layer. All keep versions, so that the graph can be read at any revision.
import { recordCollection } from '../store/door.ts';
import type { Encoded } from './instances/encoded.ts';
import type { ListRoot } from './collections/list.ts';
import type { MapRoot } from './collections/map.ts';

/** An instance of a durable class. */
export interface InstanceRecord {
  readonly class: string;
  readonly version: number;
  readonly fields: Readonly<Record<string, Encoded>>;
  readonly tags?: readonly string[];
  /** Deleted fields for which the class has an initial value. */
  readonly deleted?: readonly string[];
}

/** A managed collection, or an index (whose entries are separate rows). */
export type CollectionRecord =
  | { readonly array: ListRoot }
  | { readonly map: MapRoot }
  | { readonly set: MapRoot }
  | { readonly object: MapRoot }
  | { readonly index: Readonly<Record<string, never>> };

export type NodeRecord = InstanceRecord | CollectionRecord;

/** The class of an instance, or the kind of a collection. */
export function typeOf(record: NodeRecord): string {
  return 'class' in record ? record.class : (Object.keys(record)[0] ?? '');
}

/** Every object and collection: [space, id]. */
export const nodeRows = recordCollection<NodeRecord>('objects', { keeps: 'versions' });

/** Parts of large collections: [space, id, …]. */
export const partRows = recordCollection<unknown>('object_parts', { keeps: 'versions' });

/** Tagged objects: [space, tag, id]; instances of a class: [space, class, id]. The value names the object's class. */
export const tagRows = recordCollection<{ readonly class: string }>('object_tags', { keeps: 'versions', small: true });
export const extentRows = recordCollection<{ readonly class: string }>('object_extents', {
  keeps: 'versions',
  small: true,
});

/** Entries of indexes: [space, index, 0 (no key) or 1, …key, id]. The value is the reference to the object. */
export const indexRows = recordCollection<Encoded>('object_indexes', { keeps: 'versions' });

/**
 * Roots, which are never collected: [space, 'singleton', class] and [space, 'pin', id]. [space, 'removed', class] counts
 * the removed singletons of a class.
 */
export const rootRows = recordCollection<Encoded>('object_roots', { keeps: 'versions' });

export const objectCollections = [nodeRows, partRows, tagRows, extentRows, indexRows, rootRows] as const;
