// A store whose values are encrypted before they leave this process: AES-256-GCM under a data key, which is itself kept in the store,
// encrypted with the key of the application. So that key can be changed without touching a row. Keys of rows are not encrypted,
// because stores order rows by them.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { StatekError } from '../../base/error.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { recordCollection, type Collection, type ValueOf, type WorkCollection } from '../collection.ts';
import { StoreCorruptError } from '../errors.ts';
import type { StoredValue } from '../engine/stored.ts';
import { describeKey, encodeKey, type EncodedKey, type Key } from '../key.ts';
import type { Range } from '../range.ts';
import type {
  BlockingReads,
  Claimed,
  ClaimOptions,
  CommitResult,
  Entry,
  Page,
  ReadOptions,
  ScanOptions,
  Store,
  StoreFeatures,
  SynchronousReads,
  Transaction,
  Write,
} from '../store.ts';
import { decodeValue, encodeValue } from '../value.ts';
import { openSource, type StoreSource } from './store-source.ts';
import { StoreAround } from './store-around.ts';

/** The keys of an encrypted store: 32 bytes each, or the same in base64. */
export interface EncryptionOptions {
  readonly key: Uint8Array | string;
  /** Keys that were used before: a store that was encrypted with one of them is opened, and from then on needs `key`. */
  readonly previousKeys?: readonly (Uint8Array | string)[] | undefined;
}

/** The store is encrypted and was opened without its key, or with another one; or it is not encrypted and has data. */
export class StoreKeyError extends StatekError {
  readonly code = 'STORE_KEY';
}

interface KeyRow {
  /** The data key, encrypted: nonce, tag and ciphertext. */
  readonly wrapped: string;
}

/** ['key']: the data key of an encrypted store. The only row that is not encrypted with it. */
const keyRows = recordCollection<KeyRow>('encryption');
const keyPlace = ['key'];
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Opens a store whose values are encrypted with a key of yours. A new store becomes an encrypted one; one that has data and is not
 * encrypted is refused, as is another key.
 *
 * @example
 * import { randomBytes } from 'node:crypto';
 * import { openEncrypted, Statek } from 'statek';
 *
 * const key = randomBytes(32); // from your secrets
 * const store = await openEncrypted('memory:', { key });
 * const kit = await Statek.open({ store });
 * const workspace = await kit.workspace('diary');
 * console.log((await workspace.run('1 + 1')).value); // prints 2
 * await kit.close();
 * await store.close();
 */
export async function openEncrypted(store: string | Store | StoreSource, options: EncryptionOptions): Promise<Store> {
  refuseUnknownOptions('openEncrypted', options, { key: true, previousKeys: true });
  const key = keyOf('key', options.key);
  const previous = (options.previousKeys ?? []).map((one) => keyOf('previousKeys', one));
  const { store: inner, isOwned } = await openSource(store);
  try {
    return new EncryptedStore(inner, isOwned, await dataKeyOf(inner, key, previous));
  } catch (error) {
    if (isOwned) await inner.close();
    throw error;
  }
}

/** Refuses a store that is encrypted and was opened as if it were not: what is in it would look damaged. */
export async function refuseEncrypted(store: Store): Promise<void> {
  if (store.features.encrypted === true) return;
  await store.declare(keyRows);
  const [row] = await store.read(keyRows, [keyPlace]);
  if (row !== undefined)
    throw new StoreKeyError(
      'This store is encrypted. Open it with openEncrypted(store, { key }), and give that to Statek.open, or as the store of statek.config.ts.',
    );
}

async function dataKeyOf(store: Store, key: Buffer, previous: readonly Buffer[]): Promise<Buffer> {
  const isNew = (await store.revision()) === 0;
  await store.declare(keyRows);
  for (;;) {
    const [row] = await store.read(keyRows, [keyPlace]);
    if (row === undefined) {
      if (!isNew)
        throw new StoreKeyError(
          'This store has data that is not encrypted. Copy it into an encrypted one with encryptStore or statek encrypt, and open that.',
        );
      const made = randomBytes(32);
      if (await wroteKey(store, made, key, undefined)) return made;
      continue;
    }
    const current = unwrapped(row.value, key);
    if (current !== undefined) return current;
    for (const one of previous) {
      const earlier = unwrapped(row.value, one);
      if (earlier === undefined) continue;
      // Another process may change the key at the same time; then it is read again.
      if (await wroteKey(store, earlier, key, row.revision)) return earlier;
    }
    const [again] = await store.read(keyRows, [keyPlace]);
    if (again?.revision === row.revision)
      throw new StoreKeyError('This store is encrypted with another key. Give that key, or add it to previousKeys.');
  }
}

/** What encrypts and decrypts values as an engine holds them, for stores that are copied as a whole. */
export interface StoredCipher {
  seal(collection: Collection, key: EncodedKey, value: StoredValue): StoredValue;
  open(collection: Collection, key: EncodedKey, value: StoredValue): StoredValue;
}

/** A new data key, and the row that keeps it, encrypted with the key of the application. */
export function newStoredCipher(key: Uint8Array | string): {
  readonly cipher: StoredCipher;
  readonly collection: Collection;
  readonly key: EncodedKey;
  readonly value: StoredValue;
} {
  const dataKey = randomBytes(32);
  const row = wrapped(dataKey, keyOf('key', key));
  return {
    cipher: storedCipher(createSecretKey(dataKey)),
    collection: keyRows,
    key: encodeKey(keyPlace),
    value: encodeValue(keyRows, keyPlace, row),
  };
}

/** The one row of an encrypted store that is not encrypted with its data key. */
export function isKeyRow({ name }: Collection): boolean {
  return name === keyRows.name;
}

function storedCipher(dataKey: KeyObject): StoredCipher {
  return {
    seal: (collection, key, value) => {
      // What says nothing need not be hidden.
      if (value === 'null') return value;
      const bytes = sealed(
        dataKey,
        `${collection.name} ${key}`,
        typeof value === 'string' ? Buffer.from(value) : value,
      );
      return collection.holds === 'bytes' ? bytes : JSON.stringify(bytes.toString('base64'));
    },
    open: (collection, key, value) => {
      if (value === 'null') return value;
      const bytes = typeof value === 'string' ? Buffer.from(JSON.parse(value) as string, 'base64') : value;
      const plain = opened(dataKey, `${collection.name} ${key}`, bytes);
      if (plain === undefined)
        throw new StoreCorruptError(
          `A value of ${collection.name} cannot be decrypted: it was changed, moved, or written without the key. Restore the store from a backup.`,
          { collection: collection.name },
        );
      return collection.holds === 'bytes' ? plain : plain.toString();
    },
  };
}

function wrapped(dataKey: Buffer, key: Buffer): KeyRow {
  return { wrapped: sealed(createSecretKey(key), 'data key', dataKey).toString('base64') };
}

async function wroteKey(store: Store, dataKey: Buffer, key: Buffer, revision: number | undefined): Promise<boolean> {
  const place = { collection: keyRows, key: keyPlace };
  const [result] = await store.commit([
    {
      checks: [revision === undefined ? { kind: 'absent', ...place } : { kind: 'revision', ...place, revision }],
      writes: [{ kind: 'put', ...place, value: wrapped(dataKey, key) }],
    },
  ]);
  return result?.status === 'committed';
}

function unwrapped(row: KeyRow, key: Buffer): Buffer | undefined {
  return opened(createSecretKey(key), 'data key', Buffer.from(row.wrapped, 'base64'));
}

export class EncryptedStore extends StoreAround {
  override readonly features: StoreFeatures;
  override readonly synchronous: SynchronousReads | undefined;
  override readonly blocking: BlockingReads | undefined;
  readonly #key: KeyObject;

  constructor(inner: Store, isOwned: boolean, key: Buffer) {
    super(inner, isOwned);
    this.#key = createSecretKey(key);
    this.features = { ...inner.features, encrypted: true };
    const { synchronous, blocking } = inner;
    this.synchronous = synchronous && {
      ...this.#opening(synchronous),
      revision: () => synchronous.revision(),
      changes: (collections, options) => synchronous.changes(collections, options),
    };
    this.blocking = blocking && this.#opening(blocking);
  }

  /** @internal */
  storedCipher(): StoredCipher {
    return storedCipher(this.#key);
  }

  override async read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
    const entries = await super.read(collection, keys, options);
    return entries.map((entry) => entry && this.#open(collection, entry));
  }

  override async scan<C extends Collection>(
    collection: C,
    range: Range,
    options?: ScanOptions,
  ): Promise<Page<ValueOf<C>>> {
    const page = await super.scan(collection, range, options);
    return { ...page, entries: page.entries.map((entry) => this.#open(collection, entry)) };
  }

  override async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    return super.commit(
      transactions.map(({ writes, ...rest }) => ({
        ...rest,
        ...(writes && { writes: writes.map((write) => this.#seal(write)) }),
      })),
    );
  }

  override async claim<Value>(
    collection: WorkCollection<Value>,
    options: ClaimOptions,
  ): Promise<readonly Claimed<Value>[]> {
    const claimed = await super.claim(collection, options);
    return claimed.map((one) => ({ ...one, entry: this.#open(collection, one.entry) }));
  }

  #opening(reads: BlockingReads): BlockingReads {
    return {
      read: (collection, keys, options) =>
        reads.read(collection, keys, options).map((entry) => entry && this.#open(collection, entry)),
      scan: (collection, range, options) => {
        const page = reads.scan(collection, range, options);
        return { ...page, entries: page.entries.map((entry) => this.#open(collection, entry)) };
      },
    };
  }

  #seal(write: Write): Write {
    // What says nothing need not be hidden.
    if (write.kind === 'remove' || write.value === null) return write;
    const { collection, key, value } = write;
    // What is wrong with a key is said before what is wrong with its value.
    const place = placeOf(collection, key);
    const plain = encodeValue(collection, key, value);
    const bytes = sealed(this.#key, place, typeof plain === 'string' ? Buffer.from(plain) : plain);
    return { ...write, value: collection.holds === 'bytes' ? bytes : bytes.toString('base64') };
  }

  #open<C extends Collection>(collection: C, entry: Entry<ValueOf<C>>): Entry<ValueOf<C>> {
    const stored: unknown = entry.value;
    if (stored === null) return entry;
    const bytes =
      stored instanceof Uint8Array ? stored : typeof stored === 'string' ? Buffer.from(stored, 'base64') : undefined;
    const plain = bytes && opened(this.#key, placeOf(collection, entry.key), bytes);
    if (plain === undefined)
      throw new StoreCorruptError(
        `The value of ${collection.name} ${describeKey(entry.key)} cannot be decrypted: it was changed, moved, or written without the key. Restore the store from a backup.`,
        { collection: collection.name, key: entry.key },
      );
    const value =
      collection.holds === 'bytes' ? new Uint8Array(plain) : decodeValue(collection, entry.key, plain.toString());
    return { ...entry, value: value as ValueOf<C> };
  }
}

/** A value that is moved to another row cannot be decrypted there. */
function placeOf({ name }: Collection, key: Key): string {
  return `${name} ${encodeKey(key)}`;
}

// A key that is prepared once makes a cipher in a fraction of the time that its bytes take.
function sealed(key: KeyObject, place: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  cipher.setAAD(Buffer.from(place));
  const data = [cipher.update(plain), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...data]);
}

function opened(key: KeyObject, place: string, bytes: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function keyOf(name: string, given: unknown): Buffer {
  const key =
    typeof given === 'string'
      ? Buffer.from(given, 'base64')
      : given instanceof Uint8Array
        ? Buffer.from(given)
        : undefined;
  if (key?.length === 32) return key;
  throw new InvalidOptionError(
    `openEncrypted: ${name} must have 32 bytes, or be that in base64. Make one with crypto.randomBytes(32).`,
    { name },
  );
}
