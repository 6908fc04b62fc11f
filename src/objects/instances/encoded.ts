// The stored form of values: JSON, with arrays as marks for types that JSON lacks. Arrays are free for that use, because
// collections are separate nodes and never nested in a record.

/** A reference to a node: an id in the same space, or `space/id`. */
export type Reference = readonly ['ref', id: string, className: string] | readonly [kind: CollectionKind, id: string];

export type CollectionKind = 'array' | 'map' | 'set' | 'object' | 'index';

export type Mark =
  | Reference
  | readonly ['weak', ...Reference]
  | readonly ['undefined']
  | readonly ['number', 'NaN' | 'Infinity' | '-Infinity' | '-0']
  | readonly ['bigint', decimal: string]
  | readonly ['date', iso: string | null]
  | readonly ['bytes', base64: string]
  | readonly ['enum', name: string, member: string];

export type Encoded = null | boolean | number | string | Mark;

const collectionKinds: ReadonlySet<string> = new Set(['array', 'map', 'set', 'object', 'index']);

export function isCollectionKind(text: string): text is CollectionKind {
  return collectionKinds.has(text);
}

/** The reference in a value, strong or weak; undefined for other values. */
export function referenceIn(value: unknown): Reference | undefined {
  if (!Array.isArray(value)) return undefined;
  const mark: readonly unknown[] = value[0] === 'weak' ? value.slice(1) : value;
  return isReference(mark) ? mark : undefined;
}

function isReference(mark: readonly unknown[]): mark is Reference {
  const [kind] = mark;
  return kind === 'ref' || (typeof kind === 'string' && isCollectionKind(kind));
}

export function isStrongReference(value: Encoded): value is Reference {
  return Array.isArray(value) && value[0] !== 'weak' && referenceIn(value) !== undefined;
}

/** A value as a map key or set member, where -0 is 0. */
export function asKey(value: Encoded): Encoded {
  return Array.isArray(value) && value[0] === 'number' && value[1] === '-0' ? 0 : value;
}

/** A text that is equal for equal map keys. Dates and bytes are compared by value. */
export function keyTextOf(given: Encoded): string {
  const value = asKey(given);
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'number') return `n${value}`;
  if (!Array.isArray(value)) return `j${String(value)}`;
  return `m${JSON.stringify(value[0] === 'ref' ? value.slice(0, 2) : value)}`;
}
