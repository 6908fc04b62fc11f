// The small interface that a store can be made of: single values by name, and one that is replaced only if nobody was faster.

/**
 * A place for values by name, such as a bucket, a table or a service. Names are ASCII without spaces, values up to a few megabytes.
 * What `set` has resolved for must survive, and `compareAndSet` must be atomic; nothing else is asked for.
 */
export interface KVStore {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, value: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
  has(key: string): Promise<boolean>;
  /** In the order of the keys. */
  getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]>;
  setMany(entries: readonly (readonly [key: string, value: Uint8Array])[]): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Sets the value if it is still `expected` (undefined: if there is none); returns whether it was. */
  compareAndSet(key: string, expected: Uint8Array | undefined, value: Uint8Array): Promise<boolean>;
  /** All keys that begin with a prefix, in any order. */
  keys(prefix: string): AsyncIterable<string>;
  close?(): Promise<void>;
}
