// Runs random operations on an engine and on the model, and compares every answer.
import assert from 'node:assert/strict';
import { StoreArgumentError, StoreRevisionGoneError } from '../../errors.ts';
import type { CommitResult, Entry, Lease, Page, Revision, Store } from '../../store.ts';
import { everyCollection, work } from '../cases/collections.ts';
import type { StoreHarness, StorePlace } from '../harness.ts';
import { anyCollection, anyKey, anyRange, anyTransaction } from './model-choices.ts';
import { StoreModel, type ModelOutcome } from './model.ts';
import { Random } from './random.ts';
import { refuses, take } from './steps.ts';

const hour = 3_600_000;

/** A random run: its seed, and how many operations it has. */
export interface ModelRun {
  /** The same seed makes the same run. */
  readonly seed: number;
  readonly steps: number;
}

/** Runs `steps` random operations on two stores of one place. Rejects, naming seed and step, where they differ from the model. */
export async function compareStoreWithModel(harness: StoreHarness, { seed, steps }: ModelRun): Promise<void> {
  const place = await harness.createPlace();
  const comparison = new Comparison(place, seed);
  let step = 0;
  try {
    await comparison.open();
    for (; step < steps; step++) await comparison.step();
  } catch (error) {
    throw new Error(`The store differs from the model: seed ${seed}, step ${step} (${comparison.doing}).`, {
      cause: error,
    });
  } finally {
    await comparison.close();
    await place.dispose();
  }
}

class Comparison {
  doing = 'open';
  readonly #place: StorePlace;
  readonly #random: Random;
  readonly #model = new StoreModel();
  readonly #stores: Store[] = [];
  /** Every lease ever given out, held or lost. */
  #leases: Lease[] = [];

  constructor(place: StorePlace, seed: number) {
    this.#place = place;
    this.#random = new Random(seed);
  }

  async open(): Promise<void> {
    while (this.#stores.length < 2) {
      const store = await this.#place.open();
      this.#stores.push(store);
      await store.declare(...everyCollection);
    }
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close();
  }

  async step(): Promise<void> {
    const operations = [
      ['commit', 40, () => this.#commit()],
      ['scan', 15, () => this.#scan()],
      ['read', 10, () => this.#read()],
      ['claim', 10, () => this.#claim()],
      ['renew', 5, () => this.#renew()],
      ['release', 5, () => this.#release()],
      ['advance', 5, () => this.#advance()],
      ['follow', 5, () => this.#follow()],
      ['prune', 3, () => this.#prune()],
      ['reopen', 2, () => this.#reopen()],
    ] as const;
    let choice = this.#random.next() * 100;
    for (const [name, weight, run] of operations) {
      choice -= weight;
      if (choice >= 0) continue;
      this.doing = name;
      await run();
      assert.equal(await this.#store().revision(), this.#model.revision, 'the revision');
      return;
    }
  }

  #store(): Store {
    return this.#random.pick(this.#stores);
  }

  // Several calls at once share a durable write, and are decided in the order they were made.
  async #commit(): Promise<void> {
    const store = this.#store();
    const calls = Array.from({ length: this.#random.whole(1, 3) }, () =>
      Array.from({ length: this.#random.whole(1, 3) }, () =>
        anyTransaction(this.#random, this.#model, this.#leases.slice(-8)),
      ),
    );
    const results = await Promise.all(calls.map((transactions) => store.commit(transactions)));
    const expected = calls.map((transactions) => transactions.map((transaction) => this.#model.commit(transaction)));
    assert.deepEqual(
      results.map((call) => call.map(outcomeOf)),
      expected,
    );
  }

  async #read(): Promise<void> {
    const collection = anyCollection(this.#random);
    const keys = Array.from({ length: this.#random.whole(0, 5) }, () => anyKey(this.#random));
    const at = this.#anyRevision(collection.keeps);
    const store = this.#store();
    if (await this.#refused(at, () => store.read(collection, keys, { at }))) return;
    const expected = keys.map((key) => this.#model.get(collection, key, at));
    assert.deepEqual(await store.read(collection, keys, { at }), expected);
    if (store.synchronous !== undefined) assert.deepEqual(store.synchronous.read(collection, keys, { at }), expected);
  }

  async #scan(): Promise<void> {
    const collection = anyCollection(this.#random);
    const range = anyRange(this.#random);
    const at = this.#anyRevision(collection.keeps);
    const reverse = this.#random.chance(0.5);
    const limit = this.#random.pick([1, 2, 3, 10, 1000]);
    const store = this.#store();
    if (await this.#refused(at, () => store.scan(collection, range, { at }))) return;
    const found: Entry<unknown>[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<unknown> = await store.scan(collection, range, { at, reverse, limit, cursor });
      assert.equal(page.revision, at ?? this.#model.revision);
      assert.ok(page.entries.length === limit || page.cursor === undefined, 'only the last page is short');
      found.push(...page.entries);
      ({ cursor } = page);
    } while (cursor !== undefined);
    const expected = this.#model.entries(collection, range, at);
    assert.deepEqual(found, reverse ? expected.toReversed() : expected);
  }

  async #claim(): Promise<void> {
    const range = anyRange(this.#random);
    const limit = this.#random.whole(1, 4);
    const leaseMilliseconds = this.#random.whole(1, 3) * hour;
    const claims = await this.#store().claim(work, { owner: 'owner', limit, leaseMilliseconds, range });
    assert.deepEqual(
      claims.map(({ entry }) => entry),
      this.#model.claimable(work, range, limit),
    );
    // The model does not invent tokens; they only have to be larger than all before.
    for (const { lease } of claims.toSorted((a, b) => a.lease.token - b.lease.token)) {
      assert.ok(lease.token > this.#model.lastToken, 'tokens grow');
      this.#model.claimed(lease, leaseMilliseconds);
      this.#leases.push(lease);
    }
  }

  async #renew(): Promise<void> {
    const leases = this.#random.some(this.#leases.slice(-8), 3);
    const milliseconds = this.#random.whole(1, 3) * hour;
    const results = await this.#store().renew(leases, milliseconds);
    assert.deepEqual(
      results.map(({ status }) => status === 'renewed'),
      leases.map((lease) => this.#model.renew(lease, milliseconds)),
    );
  }

  async #release(): Promise<void> {
    const leases = this.#random.some(this.#leases.slice(-8), 2);
    await this.#store().release(leases);
    this.#model.release(leases);
  }

  async #advance(): Promise<void> {
    const hours = this.#random.whole(1, 2);
    await this.#place.advance(hours * hour);
    this.#model.now += hours * hour;
  }

  async #follow(): Promise<void> {
    const since = this.#random.whole(Math.max(0, this.#model.horizon - 2), this.#model.revision);
    const store = this.#store();
    if (since < this.#model.horizon) {
      await refuses(StoreRevisionGoneError, () => take(store, 1, { since }));
      return;
    }
    const collections = this.#random.chance(0.5) ? undefined : [anyCollection(this.#random)];
    const range = this.#random.chance(0.5) ? undefined : anyRange(this.#random);
    const expected = this.#model.changesSince(since, collections, range);
    assert.deepEqual(await take(store, expected.length, { since, collections, range }), expected);
  }

  async #prune(): Promise<void> {
    const before = Math.max(0, this.#model.revision - this.#random.whole(-2, 30));
    assert.equal(await this.#store().prune(before), this.#model.prune(before));
  }

  // One stays open, so that engines that are not durable keep their contents.
  async #reopen(): Promise<void> {
    await this.#stores.shift()?.close();
    await this.open();
  }

  #anyRevision(keeps: 'latest' | 'versions'): Revision | undefined {
    if (keeps === 'latest' || this.#random.chance(0.3)) return undefined;
    // The oldest revision that is left is where pruning goes wrong first.
    if (this.#random.chance(0.3)) return this.#model.horizon;
    return this.#random.whole(Math.max(0, this.#model.horizon - 2), this.#model.revision + 1);
  }

  async #refused(at: Revision | undefined, call: () => unknown): Promise<boolean> {
    if (at === undefined) return false;
    if (at > this.#model.revision) await refuses(StoreArgumentError, call);
    else if (at < this.#model.horizon) await refuses(StoreRevisionGoneError, call);
    else return false;
    return true;
  }
}

function outcomeOf(result: CommitResult): ModelOutcome {
  return result.status === 'committed' ? result.revision : `${result.conflict.kind} ${result.conflict.collection}`;
}
