// A store around another one, which answers everything that is not answered here.
import type { Collection, ValueOf, WorkCollection } from '../collection.ts';
import type { Key } from '../key.ts';
import type { Range } from '../range.ts';
import type {
  BlockingReads,
  ChangeSet,
  Claimed,
  ClaimOptions,
  CommitResult,
  Entry,
  FollowOptions,
  HeldLease,
  Lease,
  Page,
  ReadOptions,
  RenewResult,
  Revision,
  ScanOptions,
  SessionOptions,
  Store,
  StoreFeatures,
  StoreSession,
  SynchronousReads,
  Transaction,
  VerifyReport,
  VolatileMessages,
} from '../store.ts';

export class StoreAround implements Store {
  readonly features: StoreFeatures;
  readonly synchronous: SynchronousReads | undefined;
  readonly blocking: BlockingReads | undefined;
  readonly volatile: VolatileMessages | undefined;
  protected readonly inner: Store;
  readonly #isOwned: boolean;

  constructor(inner: Store, isOwned: boolean) {
    this.inner = inner;
    this.#isOwned = isOwned;
    this.features = inner.features;
    this.synchronous = inner.synchronous;
    this.blocking = inner.blocking;
    this.volatile = inner.volatile;
  }

  declare(...collections: readonly Collection[]): Promise<void> {
    return this.inner.declare(...collections);
  }

  revision(): Promise<Revision> {
    return this.inner.revision();
  }

  read<C extends Collection>(
    collection: C,
    keys: readonly Key[],
    options?: ReadOptions,
  ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
    return this.inner.read(collection, keys, options);
  }

  scan<C extends Collection>(collection: C, range: Range, options?: ScanOptions): Promise<Page<ValueOf<C>>> {
    return this.inner.scan(collection, range, options);
  }

  commit(transactions: readonly Transaction[]): Promise<readonly CommitResult[]> {
    return this.inner.commit(transactions);
  }

  follow(options?: FollowOptions): AsyncIterable<ChangeSet> {
    return this.inner.follow(options);
  }

  claim<Value>(collection: WorkCollection<Value>, options: ClaimOptions): Promise<readonly Claimed<Value>[]> {
    return this.inner.claim(collection, options);
  }

  renew(leases: readonly Lease[], leaseMilliseconds: number): Promise<readonly RenewResult[]> {
    return this.inner.renew(leases, leaseMilliseconds);
  }

  release(leases: readonly Lease[]): Promise<void> {
    return this.inner.release(leases);
  }

  holders(collection: WorkCollection<unknown>, range?: Range): Promise<readonly HeldLease[]> {
    return this.inner.holders(collection, range);
  }

  async openSession(options: SessionOptions): Promise<StoreSession | undefined> {
    return this.inner.openSession?.(options);
  }

  async expireDead(collection: WorkCollection<unknown>): Promise<number> {
    return (await this.inner.expireDead?.(collection)) ?? 0;
  }

  prune(before: Revision): Promise<Revision> {
    return this.inner.prune(before);
  }

  verify(): Promise<VerifyReport> {
    return this.inner.verify();
  }

  async size(): Promise<number | undefined> {
    return this.inner.size?.();
  }

  async shrink(): Promise<number> {
    return (await this.inner.shrink?.()) ?? 0;
  }

  /** The store that does the work. */
  innermost(): Store {
    return this.inner instanceof StoreAround ? this.inner.innermost() : this.inner;
  }

  async close(): Promise<void> {
    if (this.#isOwned) await this.inner.close();
  }
}
