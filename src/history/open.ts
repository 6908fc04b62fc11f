// Opens a history on a store. The class only wires the parts; each operation is in its own file.
import { systemClock, type Clock } from '../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { scanUndamaged, type Revision, type Store, type TransactionPart } from '../store/door.ts';

import { checkOfBoot, prepareBoot } from './images/boot-store.ts';
import { ChainHead } from './chain-head.ts';
import { collectGarbage } from './retention/collect-garbage.ts';
import { chains, collections, leftovers } from './collections.ts';
import { Damages } from './past-damage.ts';
import { commitOf, commitRecord, type CommitRecord } from './commit-record.ts';
import { applyRetention, removeChain } from './retention/drop-commits.ts';
import { HistoryChainExistsError, HistoryDamagedError } from './errors.ts';
import { unlessRemoved } from './unless-removed.ts';
import type {
  BootImage,
  Checkout,
  Commit,
  CommitPage,
  GcOptions,
  GcReport,
  Head,
  History,
  ImageChange,
  Json,
  ListOptions,
  Opened,
  PreparedChange,
  PreparedChain,
  PreparedFork,
  PreparedCommit,
  RetentionPolicy,
  RetentionReport,
  Tag,
} from './history.ts';
import { checkImage } from './images/image.ts';
import { CheckedOutImage } from './images/rebuilt-image.ts';
import { Lineage } from './images/lineage.ts';
import { limitsOf, pageBytes, type HistoryLimits } from './limits.ts';
import { Lookup, readChain, unknownCommit, type FoundCommit } from './lookup.ts';
import { checkName } from './names.ts';
import { newChain, prepareChange, prepareReference, checkMetadata, writesOf, type PrepareOptions } from './prepare.ts';
import { Restorer } from './images/restore.ts';
import { checkPolicy, defaultRetention } from './retention/retention.ts';
import { scanPolitely } from './retention/scan-politely.ts';
import { prepareTag, prepareUntag, readTags } from './tags.ts';

export interface HistoryOptions {
  /** The clock for commit times (default: the system clock). */
  readonly clock?: Clock | undefined;
  /** Size of the cache of rebuilt images (default: 64 MiB). */
  readonly cacheBytes?: number | undefined;
  readonly limits?: Partial<HistoryLimits> | undefined;
  /** Also compares pages that are not listed as dirty, and throws if one has changed. For tests. */
  readonly verifyDirtyPages?: boolean | undefined;
}

export async function openHistory(store: Store, options: HistoryOptions = {}): Promise<History> {
  refuseUnknownOptions('openHistory', options, { clock: true, cacheBytes: true, limits: true, verifyDirtyPages: true });
  await store.declare(...collections);
  return new StoreHistory(store, options);
}

class StoreHistory implements History {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #verifyDirtyPages: boolean;
  readonly #lookup: Lookup;
  readonly #restorer: Restorer;

  constructor(store: Store, options: HistoryOptions) {
    const cacheBytes = options.cacheBytes ?? 64 * 1024 * 1024;
    wholeNumberOption('openHistory', 'cacheBytes', cacheBytes, 0, Number.MAX_SAFE_INTEGER);
    this.#store = store;
    this.#clock = options.clock ?? systemClock;
    this.#limits = limitsOf(options.limits);
    this.#verifyDirtyPages = options.verifyDirtyPages ?? false;
    this.#lookup = new Lookup(store);
    this.#restorer = new Restorer(store, this.#limits, cacheBytes);
  }

  async create(chain: string, boot: BootImage, metadata: Json = null): Promise<PreparedChain> {
    checkImage('The boot image', boot, this.#limits);
    checkMetadata(metadata, this.#limits);
    await this.#checkUnused(chain);
    const prepared = await prepareBoot(this.#store, boot);
    const first = newChain({ chain, boot: boot.hash, origin: null, family: chain, removed: false });
    const record = commitRecord({
      chain,
      sequence: 0,
      parent: null,
      time: this.#clock.now(),
      metadata,
      boot: boot.hash,
      pack: null,
      path: [],
      pages: boot.bytes.length / pageBytes,
      check: checkOfBoot(boot),
      changed: { pages: 0, bytes: 0 },
      storedBytes: 0,
      parts: 0,
    });
    return {
      hash: record.hash,
      commit: commitOf(record),
      checks: [...prepared.checks, ...first.checks],
      writes: [...prepared.writes, ...first.writes, ...writesOf(record)],
      head: new ChainHead(
        { record, header: boot.header, lineage: new Lineage(record.pages, boot.header), isNew: true },
        0,
      ),
    };
  }

  async open(chain: string): Promise<Opened> {
    const found = await this.#lookup.head(chain);
    const { image, lineage } = await this.#reading(found, () => this.#restorer.restore(found.record));
    const head = new ChainHead({ record: found.record, header: image.header, lineage }, found.revision);
    return { commit: head.commit, head, image: new CheckedOutImage(image) };
  }

  prepare(head: Head, change: ImageChange, metadata: Json = null): PreparedChange {
    return prepareChange(head, change, metadata, this.#prepareOptions());
  }

  async head(chain: string): Promise<Commit> {
    return commitOf((await this.#lookup.head(chain)).record);
  }

  async find(chain: string, hash: string): Promise<Commit> {
    return commitOf((await this.#lookup.find(chain, hash)).record);
  }

  async revisionOf(commit: Commit): Promise<Revision> {
    return this.#lookup.revisionOf(commit.chain, commit.hash);
  }

  list(chain: string, options: ListOptions = {}): Promise<CommitPage> {
    return this.#lookup.list(chain, options);
  }

  async checkout(chain: string, hash: string): Promise<Checkout> {
    const found = await this.#lookup.find(chain, hash);
    const image = await this.#reading(found, () => this.#restorer.image(found.record));
    return { commit: commitOf(found.record), image: new CheckedOutImage(image) };
  }

  async fork(chain: string, hash: string, newName: string, metadata: Json = null): Promise<PreparedCommit> {
    const { record: _record, ...prepared } = await this.#fork(await this.#lookup.find(chain, hash), newName, metadata);
    return prepared;
  }

  async forkToChange(chain: string, hash: string, newName: string, metadata: Json = null): Promise<PreparedFork> {
    const found = await this.#lookup.find(chain, hash);
    const { record, ...prepared } = await this.#fork(found, newName, metadata);
    const { image, lineage } = await this.#reading(found, () => this.#restorer.restore(found.record));
    return {
      ...prepared,
      image: new CheckedOutImage(image),
      head: new ChainHead({ record, header: image.header, lineage, isNew: true }, 0),
    };
  }

  async #fork(
    found: FoundCommit,
    newName: string,
    metadata: Json,
  ): Promise<PreparedCommit & { readonly record: CommitRecord }> {
    await this.#checkUnused(newName);
    const { record } = found;
    const { family } = (await this.#lookup.chain(record.chain)).record;
    const origin = { chain: record.chain, sequence: record.sequence };
    const first = newChain({ chain: newName, boot: record.boot, origin, family, removed: false });
    const prepared = prepareReference(found, found, newName, metadata, this.#prepareOptions());
    return {
      ...prepared,
      checks: [...first.checks, ...prepared.checks],
      writes: [...first.writes, ...prepared.writes],
    };
  }

  async rollback(chain: string, hash: string, metadata: Json = null): Promise<PreparedCommit> {
    const [found, head] = await Promise.all([this.#lookup.find(chain, hash), this.#lookup.head(chain)]);
    return prepareReference(found, head, chain, metadata, this.#prepareOptions());
  }

  async tag(chain: string, hash: string, name: string): Promise<TransactionPart> {
    return prepareTag(chain, await this.#lookup.find(chain, hash), name, this.#clock.now());
  }

  untag(chain: string, name: string): Promise<TransactionPart> {
    return prepareUntag(this.#store, chain, name);
  }

  async tags(chain: string): Promise<readonly Tag[]> {
    await this.#lookup.chain(chain);
    return readTags(this.#store, chain);
  }

  async retain(chain: string, policy: RetentionPolicy = defaultRetention): Promise<RetentionReport> {
    checkPolicy(policy);
    await this.#lookup.chain(chain);
    return applyRetention(this.#store, chain, policy, this.#clock.now());
  }

  async remove(chain: string): Promise<void> {
    await this.#lookup.chain(chain);
    await removeChain(this.#store, chain);
  }

  async partsLeft(names: readonly string[]): Promise<number> {
    let parts = 0;
    for (const chain of names) for await (const _ of scanPolitely(this.#store, leftovers, { prefix: [chain] })) parts++;
    return parts;
  }

  async gc(options: GcOptions = {}): Promise<GcReport> {
    refuseUnknownOptions('gc', options, { retention: true, onProgress: true, signal: true });
    const watch = {
      onProgress: options.onProgress ?? ((): void => undefined),
      throwIfStopped: (): void => options.signal?.throwIfAborted(),
    };
    const damages = new Damages();
    let commitsDropped = 0;
    const { retention } = options;
    if (retention !== undefined) {
      const policyOf = typeof retention === 'function' ? retention : (): RetentionPolicy => retention;
      const names: string[] = [];
      for await (const entry of scanUndamaged(this.#store, chains, {}, damages.note)) {
        const { chain, removed } = readChain(entry);
        if (!removed) names.push(chain);
      }
      for (const [index, chain] of names.entries()) {
        watch.throwIfStopped();
        const policy = policyOf(chain);
        if (policy !== undefined) {
          const checked = checkPolicy(policy);
          const retained = await damages.past(() =>
            unlessRemoved(() => applyRetention(this.#store, chain, checked, this.#clock.now())),
          );
          commitsDropped += retained?.dropped ?? 0;
        }
        watch.onProgress({ phase: 'retention', done: index + 1, total: names.length });
      }
    }
    const sweep = await collectGarbage(this.#store, watch, damages);
    return { commitsDropped, ...sweep, damaged: damages.messages };
  }

  #prepareOptions(): PrepareOptions {
    return { limits: this.#limits, time: this.#clock.now(), verifyDirtyPages: this.#verifyDirtyPages };
  }

  async #checkUnused(chain: string): Promise<void> {
    const found = await this.#lookup.chainIfAny(checkName('A chain name', chain));
    if (found === undefined) return;
    throw new HistoryChainExistsError(
      found.record.removed
        ? `Chain '${chain}' was removed, but parts of it are still needed or not collected yet. Run gc, or use another name.`
        : `Chain '${chain}' already exists. Open it, or use another name.`,
      { chain, removed: found.record.removed },
    );
  }

  /** Damage is not reported if the commit was dropped meanwhile. */
  async #reading<Result>(found: FoundCommit, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof HistoryDamagedError && !(await this.#lookup.isThere(found))) {
        throw unknownCommit(found.record.chain, found.record.hash);
      }
      throw error;
    }
  }
}
