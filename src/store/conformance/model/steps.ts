// The few steps most cases are made of.
import assert from 'node:assert/strict';
import type { Collection, ValueOf } from '../../collection.ts';
import type { StoreArgumentError } from '../../errors.ts';
import type { Key } from '../../key.ts';
import { mustCommit } from '../../must-commit.ts';
import type { Range } from '../../range.ts';
import { scanAll } from '../../scan-all.ts';
import type {
  ChangeSet,
  CommitResult,
  FollowOptions,
  Revision,
  ScanOptions,
  Store,
  Transaction,
  Write,
} from '../../store.ts';

export function put(collection: Collection, key: Key, value: unknown): Write {
  return { kind: 'put', collection, key, value };
}

export function remove(collection: Collection, key: Key): Write {
  return { kind: 'remove', collection, key };
}

/** Commits the writes as one transaction that cannot conflict. */
export function write(store: Store, ...writes: readonly Write[]): Promise<Revision> {
  return mustCommit(store, { writes });
}

/** Commits one transaction and tells how it went: `committed`, or the kind of conflict. */
export async function attempt(store: Store, transaction: Transaction): Promise<string> {
  const [result] = await store.commit([transaction]);
  return outcome(result);
}

export function outcome(result: CommitResult | undefined): string {
  assert.ok(result !== undefined, 'each transaction has a result');
  return result.status === 'committed' ? 'committed' : result.conflict.kind;
}

export async function valueOf<C extends Collection>(
  store: Store,
  collection: C,
  key: Key,
  at?: Revision,
): Promise<ValueOf<C> | undefined> {
  const [entry] = await store.read(collection, [key], { at });
  return entry?.value;
}

export async function revisionOf(store: Store, collection: Collection, key: Key): Promise<Revision | undefined> {
  const [entry] = await store.read(collection, [key]);
  return entry?.revision;
}

/** Every key in a range, all pages. */
export async function keysIn(
  store: Store,
  collection: Collection,
  range: Range = {},
  options: Omit<ScanOptions, 'cursor'> = {},
): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const { key } of scanAll(store, collection, range, options)) keys.push(key);
  return keys;
}

type ErrorClass = new (...given: ConstructorParameters<typeof StoreArgumentError>) => Error;

/** The call throws or rejects with an error of this class. */
export async function refuses(expected: ErrorClass, call: () => unknown): Promise<Error> {
  try {
    await call();
  } catch (error) {
    assert.ok(error instanceof expected, `expected ${expected.name}, got ${String(error)}`);
    assert.ok(error.message.length > 0);
    return error;
  }
  throw new assert.AssertionError({ message: `expected ${expected.name}, but the call succeeded` });
}

/** The call is refused, and the store is as it was. */
export async function refusesUnchanged(store: Store, expected: ErrorClass, call: () => unknown): Promise<Error> {
  const before = await store.revision();
  const error = await refuses(expected, call);
  assert.equal(await store.revision(), before, 'a refused call changes nothing');
  return error;
}

/** Follows until `count` change sets have come. */
export async function take(store: Store, count: number, options: FollowOptions = {}): Promise<ChangeSet[]> {
  return takeFrom(store.follow(options), count);
}

export async function takeFrom(changes: AsyncIterable<ChangeSet>, count: number): Promise<ChangeSet[]> {
  const seen: ChangeSet[] = [];
  if (count === 0) return seen;
  for await (const set of changes) {
    seen.push(set);
    if (seen.length === count) break;
  }
  return seen;
}

/** Lets everything else happen: an engine whose reads answer at once would otherwise never be interrupted. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** 0, 1, 2 … up to but without `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
