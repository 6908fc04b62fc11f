// Makes random transactions: several keys in several collections, some that must fail, some that are large, each with a
// mark that names it.
import { StoreUnavailableError } from '../../src/store/errors.ts';
import type { Key } from '../../src/store/key.ts';
import type { Check, Lease, Store, Transaction } from '../../src/store/store.ts';
import {
  byteVersions,
  bytes,
  collectionNamed,
  marks,
  records,
  twinCollections,
  twinKeys,
  valueFor,
  versions,
  work,
} from './collections.ts';
import type { JournalCheck, JournalLease, JournalTransaction, JournalWrite } from './journal.ts';
import type { Random } from './random.ts';

const plainCollections = [records, versions, bytes, byteVersions] as const;
const keysPerCollection = 60;

export class TransactionMaker {
  readonly #store: Store;
  readonly #random: Random;
  readonly #prefix: string;
  #made = 0;

  constructor(store: Store, random: Random, prefix: string) {
    this.#store = store;
    this.#random = random;
    this.#prefix = prefix;
  }

  /** What one call of `commit` is given. */
  async batch(): Promise<readonly JournalTransaction[]> {
    const batch: JournalTransaction[] = [];
    for (let count = this.#random.chance(0.3) ? this.#random.between(2, 5) : 1; count > 0; count--) {
      batch.push(this.#make(this.#randomWrites(), this.#random.chance(0.3) ? await this.#randomChecks() : []));
    }
    return batch;
  }

  /** `finish` removes the item, `give back` releases it with a change, `go on` keeps it. */
  withLease(lease: JournalLease, what: 'finish' | 'give back' | 'go on'): JournalTransaction {
    const kind = what === 'finish' ? 'remove' : 'put';
    const made = this.#make([{ kind, collection: work.name, key: lease.key }, ...this.#randomWrites()], []);
    return { ...made, lease: { ...lease, afterwards: what === 'give back' ? 'release' : 'keep' } };
  }

  #make(writes: readonly JournalWrite[], checks: readonly JournalCheck[]): JournalTransaction {
    const name = `${this.#prefix}.${++this.#made}`;
    const own: JournalWrite[] = [{ kind: 'put', collection: marks.name, key: [name] }];
    // Items are put once and removed only by who holds them, so that a lease ends only by its holder's doing.
    if (this.#random.chance(0.25)) own.push({ kind: 'put', collection: work.name, key: [name] });
    return { name, writes: [...own, ...writes], checks, lease: undefined };
  }

  #randomWrites(): JournalWrite[] {
    const writes = new Map<string, JournalWrite>();
    const count = this.#random.chance(0.03) ? 80 : this.#random.between(0, 6);
    for (let index = 0; index < count; index++) {
      const kind = this.#random.chance(0.8) ? 'put' : 'remove';
      const collection = this.#random.pick(plainCollections).name;
      const key = this.#randomKey();
      writes.set(`${collection} ${JSON.stringify(key)}`, { kind, collection, key });
    }
    const all = [...writes.values()];
    if (this.#random.chance(0.3)) {
      const key = this.#random.pick(twinKeys);
      const kind = this.#random.chance(0.9) ? 'put' : 'remove';
      all.push(...twinCollections.map(({ name }) => ({ kind, collection: name, key }) as const));
    }
    return all;
  }

  /** None when the server is away. */
  async #randomChecks(): Promise<JournalCheck[]> {
    try {
      return await this.#checksOnWhatIsThere();
    } catch (error) {
      if (error instanceof StoreUnavailableError) return [];
      throw error;
    }
  }

  async #checksOnWhatIsThere(): Promise<JournalCheck[]> {
    const collection = this.#random.pick(plainCollections);
    const key = this.#randomKey();
    if (this.#random.chance(0.3)) {
      const since = await this.#store.revision();
      return [{ kind: 'unchanged', collection: collection.name, prefix: key.slice(0, 1), since }];
    }
    const [entry] = await this.#store.read(collection, [key]);
    if (entry === undefined) return [{ kind: 'absent', collection: collection.name, key }];
    // Some are out of date on purpose.
    const revision = this.#random.chance(0.2) ? Math.max(1, entry.revision - 1) : entry.revision;
    return [{ kind: 'revision', collection: collection.name, key, revision }];
  }

  #randomKey(): Key {
    const number = this.#random.between(0, keysPerCollection - 1);
    return [`part ${number % 4}`, number];
  }
}

export function toTransaction({ name, writes, checks, lease }: JournalTransaction): Transaction {
  return {
    checks: checks.map(toCheck),
    leases: lease === undefined ? [] : [{ lease: toLease(lease), afterwards: lease.afterwards }],
    writes: writes.map((write) => {
      const collection = collectionNamed(write.collection);
      if (write.kind === 'remove') return { kind: 'remove', collection, key: write.key };
      return { kind: 'put', collection, key: write.key, value: valueFor(collection, write.key, name) };
    }),
  };
}

function toCheck(check: JournalCheck): Check {
  const collection = collectionNamed(check.collection);
  switch (check.kind) {
    case 'revision':
      return { kind: 'revision', collection, key: check.key, revision: check.revision };
    case 'absent':
      return { kind: 'absent', collection, key: check.key };
    case 'unchanged':
      return { kind: 'unchanged', collection, range: { prefix: check.prefix }, since: check.since };
  }
}

export function toLease({ key, token, owner, expiresAt }: JournalLease): Lease {
  return { collection: work.name, key, token, owner, expiresAt };
}
