// A read cache around a store. It is exact: before an answer it asks for the revision of the store, and forgets what changed since
// it last did, by whichever process. So it saves reading and sending values, and not the question whether they are current.
import { refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { Collection, ValueOf } from '../collection.ts';
import { decodeKey, encodeKey, type Key } from '../key.ts';
import { StoreClosedError, StoreRevisionGoneError } from '../errors.ts';
import type { ChangeSet, Entry, ReadOptions, Revision, Store } from '../store.ts';
import { openSource, type StoreSource } from './store-source.ts';
import { StoreAround } from './store-around.ts';

/** Options of a cache. */
export interface CacheOptions {
  /** Memory for values that were read, in bytes; default: 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/** A value in a form that nobody can change, and that every reader gets a copy of. */
interface CachedEntry {
  readonly revision: Revision;
  readonly value: string | Uint8Array | undefined;
  readonly bytes: number;
}

const entryOverhead = 100;

/**
 * A read cache around any store. Answers are those of the store, never older ones.
 *
 * @example
 * import { Cache, Versioned } from 'statek';
 *
 * const state = Versioned(Cache('memory:', { maxBytes: 10_000_000 }));
 * await state.close();
 */
export function Cache(store: string | Store | StoreSource, options: CacheOptions = {}): StoreSource {
  refuseUnknownOptions('Cache', options, { maxBytes: true });
  const maxBytes = wholeNumberOption(
    'Cache',
    'maxBytes',
    options.maxBytes ?? 64 * 1024 * 1024,
    0,
    Number.MAX_SAFE_INTEGER,
  );
  return {
    open: async () => {
      const { store: inner, isOwned } = await openSource(store);
      return new CachedStore(inner, isOwned, maxBytes);
    },
  };
}

export class CachedStore extends StoreAround {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, CachedEntry>();
  #bytes = 0;
  /** Everything here is current at this revision. */
  #revision: Revision | undefined;
  #changes: AsyncIterator<ChangeSet> | undefined;
  #stop: AbortController | undefined;
  #catchingUp: Promise<unknown> = Promise.resolve();

  constructor(inner: Store, isOwned: boolean, maxBytes: number) {
    super(inner, isOwned);
    this.#maxBytes = maxBytes;
  }

  /** How much is kept, for those who want to know. */
  get cachedBytes(): number {
    return this.#bytes;
  }

  override async read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options: ReadOptions = {},
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
    if (options.at !== undefined) return super.read(collection, keys, options);
    // The caller may change its keys while this waits.
    const encoded = keys.map(encodeKey);
    const names = encoded.map((key) => `${collection.name} ${key}`);
    await this.#catchUp();
    const cached = names.map((name) => this.#entries.get(name));
    if (cached.every((entry) => entry !== undefined)) {
      for (const name of names) this.#use(name);
      return cached.map((entry, index) => entryOf<C>(decodeKey(encoded[index] as string), entry));
    }
    const before = this.#revision;
    const entries = await super.read(collection, encoded.map(decodeKey));
    // If others have caught up meanwhile, what was read may be older than what they know of.
    if (this.#revision === before)
      for (const [index, entry] of entries.entries()) this.#keep(names[index] as string, entry);
    return entries;
  }

  override async close(): Promise<void> {
    this.#stop?.abort();
    this.#forgetAll();
    await super.close();
  }

  /** One after another: whoever asks later needs at least what was asked before. */
  #catchUp(): Promise<void> {
    const next = this.#catchingUp.then(() => this.#forgetChangedOrAll());
    this.#catchingUp = next.catch(() => undefined);
    return next;
  }

  async #forgetChangedOrAll(): Promise<void> {
    try {
      await this.#forgetChanged();
    } catch (error) {
      this.#stop?.abort();
      this.#changes = undefined;
      // What changed since is pruned: everything is forgotten, and it begins anew.
      if (!(error instanceof StoreRevisionGoneError)) throw error;
      await this.#forgetChanged();
    }
  }

  async #forgetChanged(): Promise<void> {
    const head = await this.inner.revision();
    if (this.#changes === undefined) {
      this.#forgetAll();
      this.#stop = new AbortController();
      this.#changes = this.inner.follow({ since: head, signal: this.#stop.signal })[Symbol.asyncIterator]();
      this.#revision = head;
    }
    while ((this.#revision ?? 0) < head) {
      const next = await this.#changes.next();
      if (next.done === true) throw new StoreClosedError('The changes of the store have ended.');
      for (const { collection, key } of next.value.changes) this.#forget(nameOf(collection, key));
      this.#revision = next.value.revision;
    }
  }

  #keep(name: string, entry: Entry<unknown> | undefined): void {
    const value = entry === undefined ? undefined : frozen(entry.value);
    const bytes = entryOverhead + name.length + (value?.length ?? 0);
    this.#forget(name);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(name, { revision: entry?.revision ?? 0, value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
  }

  #use(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
  }

  #forget(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }

  #forgetAll(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function nameOf(collection: string, key: Key): string {
  return `${collection} ${encodeKey(key)}`;
}

function frozen(value: unknown): string | Uint8Array {
  return value instanceof Uint8Array ? new Uint8Array(value) : JSON.stringify(value);
}

function entryOf<C extends Collection>(key: Key, { revision, value }: CachedEntry): Entry<ValueOf<C>> | undefined {
  if (value === undefined) return undefined;
  const copy: unknown = typeof value === 'string' ? JSON.parse(value) : new Uint8Array(value);
  return { key, value: copy as ValueOf<C>, revision };
}
