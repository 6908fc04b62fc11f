// The load that is killed: many loops that commit, claim, renew, release and prune at the same time, at random, each
// writing down what it is about to do and what it was told.
import { StatekError } from '../../src/base/error.ts';
import type { Store } from '../../src/store/store.ts';
import { isValueFor, work, type LoadRecord } from './collections.ts';
import type { JournalAnswer, JournalCall, JournalLease, JournalTransaction, JournalWriter } from './journal.ts';
import type { Random } from './random.ts';
import { toLease, toTransaction, TransactionMaker } from './transactions.ts';

export interface LoadOptions {
  /** Distinguishes this load's transactions and items from all others in the store. */
  readonly name: string;
  readonly loops: number;
  /** Ends after this many calls; never, if undefined. */
  readonly calls: number | undefined;
  /** Forgets nothing after this revision, because the comparison starts there; prunes nothing at all if undefined. */
  readonly pruneUpTo: number | undefined;
  /** Does something to the store that changes nothing in it, such as a checkpoint. */
  readonly disturb: (() => void) | undefined;
}

const dayMilliseconds = 86_400_000;

export class Load {
  readonly #store: Store;
  readonly #journal: JournalWriter;
  readonly #random: Random;
  readonly #options: LoadOptions;
  readonly #maker: TransactionMaker;
  #calls = 0;

  constructor(store: Store, journal: JournalWriter, random: Random, options: LoadOptions) {
    this.#store = store;
    this.#journal = journal;
    this.#random = random;
    this.#options = options;
    this.#maker = new TransactionMaker(store, random, options.name);
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.loops }, () => this.#loop()));
  }

  async #loop(): Promise<void> {
    while (this.#calls < (this.#options.calls ?? Infinity)) {
      this.#calls++;
      const choice = this.#random.fraction();
      if (choice < 0.7) await this.#commit(await this.#maker.batch());
      else if (choice < 0.95) await this.#workOnSome();
      else if (choice < 0.97) this.#options.disturb?.();
      else if (this.#options.pruneUpTo !== undefined) await this.#prune(this.#options.pruneUpTo);
    }
  }

  async #commit(transactions: readonly JournalTransaction[]): Promise<void> {
    await this.#record({ verb: 'commit', transactions }, async () => {
      const results = await this.#store.commit(transactions.map(toTransaction));
      return {
        verb: 'commit',
        revisions: results.map((result) => (result.status === 'committed' ? result.revision : null)),
      };
    });
  }

  async #prune(upTo: number): Promise<void> {
    const before = Math.max(0, upTo - this.#random.between(0, 200));
    await this.#record({ verb: 'prune', before }, async () => ({
      verb: 'prune',
      horizon: await this.#store.prune(before),
    }));
  }

  /** Claims items and does one last thing with each lease, so that what must have become of it is known. */
  async #workOnSome(): Promise<void> {
    const leases = await this.#claim();
    const given: JournalLease[] = [];
    for (const lease of leases) {
      const choice = this.#random.fraction();
      if (choice < 0.2) await this.#renew([lease]);
      if (choice < 0.4) given.push(lease);
      else if (choice < 0.6) await this.#commit([this.#maker.withLease(lease, 'finish')]);
      else if (choice < 0.8) await this.#commit([this.#maker.withLease(lease, 'give back')]);
      else if (choice < 0.9) await this.#commit([this.#maker.withLease(lease, 'go on')]);
      // Else it is kept: nobody else may have the item from now on.
    }
    if (given.length > 0) {
      await this.#record({ verb: 'release', leases: given }, async () => {
        await this.#store.release(given.map(toLease));
        return { verb: 'release' };
      });
    }
  }

  async #claim(): Promise<readonly JournalLease[]> {
    const long = this.#random.chance(0.9);
    const answer = await this.#record({ verb: 'claim', long }, async () => {
      const claims = await this.#store.claim(work, {
        owner: this.#options.name,
        limit: this.#random.between(1, 4),
        leaseMilliseconds: long ? dayMilliseconds : 1,
      });
      for (const { entry } of claims) this.#examine(entry.key, entry.value);
      return {
        verb: 'claim',
        claims: claims.map(({ entry, lease: { key, token, owner, expiresAt } }) => ({
          revision: entry.revision,
          lease: { key, token, owner, expiresAt, long },
        })),
      };
    });
    return answer?.verb === 'claim' ? answer.claims.map(({ lease }) => lease) : [];
  }

  async #renew(leases: readonly JournalLease[]): Promise<void> {
    await this.#record({ verb: 'renew', leases }, async () => {
      const results = await this.#store.renew(leases.map(toLease), dayMilliseconds);
      return { verb: 'renew', renewed: results.map(({ status }) => status === 'renewed') };
    });
  }

  /** An answer is written down before anything else happens, a failure with what it promises about the call. */
  async #record(call: JournalCall, ask: () => Promise<JournalAnswer>): Promise<JournalAnswer | undefined> {
    const id = this.#journal.call(call);
    try {
      const answer = await ask();
      this.#journal.answer(id, answer);
      return answer;
    } catch (error) {
      this.#journal.failure(id, {
        code: error instanceof StatekError ? error.code : '',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
      return undefined;
    }
  }

  #examine(key: JournalLease['key'], value: LoadRecord): void {
    if (!isValueFor(work, key, value.transaction, value))
      this.#journal.wrong(`A claimed item ${JSON.stringify(key)} has the value ${JSON.stringify(value)}.`);
  }
}
