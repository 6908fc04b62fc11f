// A store on disk that stays below a size: when it is reached, what need not be kept is removed, and if that is not enough,
// writes are refused until something was removed.
import { StoreClosedError, StoreFullError } from '../errors.ts';
import type { UsedBytes } from '../sqlite/used-bytes.ts';
import { encodeJson } from '../json.ts';
import type { Key, KeyPart } from '../key.ts';
import type { CommitResult, Revision, Store, Transaction } from '../store.ts';
import { StoreAround } from './store-around.ts';

export interface SizeLimit {
  /** In bytes. */
  readonly sizeLimit: number;
  /** For messages. */
  readonly name: string;
  /** How much is in use. */
  usedBytes(): number;
  /** Removes what need not be kept. */
  relieve(store: Store): Promise<void>;
  close(): void;
}

export class LimitedStore extends StoreAround {
  readonly #limit: SizeLimit;
  #relieving: Promise<void> | undefined;
  /** Commits that wait for room. */
  readonly #waiting = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  /** At this revision nothing more could be removed. */
  #relievedAt: Revision | undefined;

  constructor(inner: Store, limit: SizeLimit) {
    super(inner, true);
    this.#limit = limit;
  }

  override async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    if (this.#closing !== undefined) throw new StoreClosedError('The store is closed.');
    const puts = transactions.some(({ writes = [] }) => writes.some(({ kind }) => kind === 'put'));
    if (!puts || !this.#isFull) return super.commit(transactions);
    // Until there is room, the caller may change what was given.
    const later = this.#commitLater(transactions.map(copyOf)).finally(() => this.#waiting.delete(later));
    this.#waiting.add(later);
    return later;
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#waiting.size > 0) await Promise.allSettled(this.#waiting);
    this.#limit.close();
    await super.close();
  }

  async #commitLater(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    await this.#makeRoom();
    return super.commit(transactions);
  }

  get #isFull(): boolean {
    return this.#limit.usedBytes() >= this.#limit.sizeLimit;
  }

  async #makeRoom(): Promise<void> {
    if ((await this.inner.revision()) !== this.#relievedAt) {
      this.#relieving ??= this.#relieve().finally(() => (this.#relieving = undefined));
      await this.#relieving;
    }
    if (!this.#isFull) return;
    const { name, sizeLimit } = this.#limit;
    throw new StoreFullError(
      `${name} has reached its limit of ${sizeLimit} bytes, and everything in it is to be kept. Nothing was written; raise sizeLimit, keep fewer commits (retention), or remove what is not needed.`,
      { name, sizeLimit, usedBytes: this.#limit.usedBytes() },
    );
  }

  async #relieve(): Promise<void> {
    await this.#limit.relieve(this.inner);
    this.#relievedAt = await this.inner.revision();
  }
}

function copyOf(transaction: Transaction): Transaction {
  const { checks, leases, writes } = transaction;
  return {
    ...(checks && { checks: checks.map((check) => ({ ...check, ...('key' in check && { key: keyOf(check.key) }) })) }),
    ...(leases && { leases: leases.map((one) => ({ ...one })) }),
    ...(writes && {
      writes: writes.map((write) => ({
        ...write,
        key: keyOf(write.key),
        ...(write.kind === 'put' && { value: valueOf(write.value) }),
      })),
    }),
  };
}

function keyOf(key: Key): Key {
  // What is no key is refused by the store itself.
  if (!Array.isArray(key)) return key;
  return key.map((part: KeyPart) => {
    if (part instanceof Uint8Array) return part.slice();
    return part instanceof Date ? new Date(part) : part;
  });
}

function valueOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice();
  try {
    return JSON.parse(encodeJson(value, 'The value'));
  } catch {
    // What cannot be stored is refused by the store itself, with the name of its place.
    return value;
  }
}

/** How much of the file of a store is in use. Loaded when it is needed: an old Node must be able to load what says that it is too old. */
export async function openUsedBytes(file: string): Promise<UsedBytes> {
  const module = await import('../sqlite/used-bytes.ts');
  return new module.UsedBytes(file);
}
