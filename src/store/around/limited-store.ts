// A store on disk that stays below a size: when it is reached, what need not be kept is removed, and if that is not enough,
// writes are refused until something was removed.
import { StoreFullError } from '../errors.ts';
import type { UsedBytes } from '../sqlite/used-bytes.ts';
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
  /** At this revision nothing more could be removed. */
  #relievedAt: Revision | undefined;

  constructor(inner: Store, limit: SizeLimit) {
    super(inner, true);
    this.#limit = limit;
  }

  override async commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    const puts = transactions.some(({ writes = [] }) => writes.some(({ kind }) => kind === 'put'));
    if (puts && this.#isFull) await this.#makeRoom();
    return super.commit(transactions);
  }

  override async close(): Promise<void> {
    await this.#relieving?.catch(() => undefined);
    this.#limit.close();
    await super.close();
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

/** How much of the file of a store is in use. Loaded when it is needed: an old Node must be able to load what says that it is too old. */
export async function openUsedBytes(file: string): Promise<UsedBytes> {
  const module = await import('../sqlite/used-bytes.ts');
  return new module.UsedBytes(file);
}
