// What memory keeps in the store. Contexts form a tree: the specifiers of one, in order, are a path from the root. An edge is
// there while something is kept below it, so the subsets of a set are found by walking, not by looking at all contexts.
import type { Json } from '../../history/door.ts';
import { recordCollection, type Revision } from '../../store/door.ts';

/** Something that is remembered across jobs, under a name and for those bound to its specifiers. */
export interface Fact {
  readonly name: string;
  readonly value: Json;
  /** PREFERENCE, ENTITY, VOCABULARY, or one of the application's. */
  readonly category: string;
  /** The context it is kept under. */
  readonly specifiers: readonly string[];
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  readonly expires?: number;
  /** Orders facts by when they were written. */
  readonly revision: Revision;
}

/** A fact as it is stored: the revision is that of its row. */
export type FactRow = Omit<Fact, 'revision'>;

/** [context, name] */
export const factRows = recordCollection<FactRow>('memory_facts');
/** [context, context with one specifier more] */
export const edgeRows = recordCollection<null>('memory_edges', { small: true });
/** [expires, context, name] */
export const expiryRows = recordCollection<Pick<FactRow, 'specifiers' | 'name'>>('memory_expiry', { small: true });

export const memoryCollections = [factRows, edgeRows, expiryRows] as const;
