// Collections: named, ordered maps from keys to records or bytes. Each layer declares its own as constants.
import { refuseUnknownOptions } from '../base/options.ts';
import { StoreArgumentError } from './errors.ts';

/** A collection of JSON records. */
export interface RecordCollection<Value> {
  readonly name: string;
  /** `versions` keeps superseded entries until they are pruned, so that older revisions can be read. */
  readonly keeps: 'latest' | 'versions';
  readonly holds: 'records';
  readonly leased: false;
  /** Values have at most a few hundred bytes. A hint to engines: larger ones are stored as well, in more space. */
  readonly small?: boolean;
  /** Exists only for the type checker. */
  readonly valueType?: Value;
}

/** A collection of byte strings. */
export interface BytesCollection {
  readonly name: string;
  /** As for records. */
  readonly keeps: 'latest' | 'versions';
  readonly holds: 'bytes';
  readonly leased: false;
}

/** A collection of JSON records that workers claim under a lease, in key order. */
export interface WorkCollection<Value> {
  readonly name: string;
  readonly keeps: 'latest';
  readonly holds: 'records';
  readonly leased: true;
  readonly valueType?: Value;
}

/** Any collection: of records, of bytes, or of work. */
export type Collection<Value = unknown> = RecordCollection<Value> | BytesCollection | WorkCollection<Value>;

/** The type of the values in a collection. */
export type ValueOf<C extends Collection> = C extends BytesCollection
  ? Uint8Array
  : C extends RecordCollection<infer Value> | WorkCollection<infer Value>
    ? Value
    : never;

/** Declares a collection of JSON records of type `Value`. */
export function recordCollection<Value>(
  name: string,
  options: { readonly keeps?: 'latest' | 'versions'; readonly small?: boolean } = {},
): RecordCollection<Value> {
  const { small = false, ...rest } = options;
  return Object.freeze({ name: checkName(name), holds: 'records', keeps: keepsOf(name, rest), leased: false, small });
}

/** Declares a collection of byte strings. */
export function bytesCollection(
  name: string,
  options: { readonly keeps?: 'latest' | 'versions' } = {},
): BytesCollection {
  return Object.freeze({ name: checkName(name), holds: 'bytes', keeps: keepsOf(name, options), leased: false });
}

/** Declares a work collection: JSON records that are claimed under a lease. */
export function workCollection<Value>(name: string): WorkCollection<Value> {
  return Object.freeze({ name: checkName(name), holds: 'records', keeps: 'latest', leased: true });
}

function keepsOf(name: string, options: { readonly keeps?: 'latest' | 'versions' }): 'latest' | 'versions' {
  refuseUnknownOptions(`The collection '${name}'`, options, { keeps: true });
  const { keeps = 'latest' }: { readonly keeps?: unknown } = options;
  if (keeps !== 'latest' && keeps !== 'versions')
    throw new StoreArgumentError(`The collection '${name}' keeps 'latest' or 'versions', not '${String(keeps)}'.`, {
      name,
    });
  return keeps;
}

/** Whether a stored and a declared definition describe the same collection. */
export function sameShape(a: Collection, b: Collection): boolean {
  return a.name === b.name && a.holds === b.holds && a.keeps === b.keeps && a.leased === b.leased;
}

// Names become table names: they must be valid in every engine and leave room for a prefix and a suffix.
function checkName(name: string): string {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) {
    throw new StoreArgumentError(
      `'${name}' is not a valid collection name. Use 1 to 40 lower-case letters, digits and underscores, starting with a letter.`,
      { name },
    );
  }
  return name;
}
