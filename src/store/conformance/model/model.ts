// A reference model of a store: lists of everything that happened, searched linearly. Written from the contract alone,
// without sharing code with the engines, so that the two can be compared.
import type { Collection } from '../../collection.ts';
import type { Key } from '../../key.ts';
import type { Range } from '../../range.ts';
import type { Change, ChangeSet, Check, Entry, Lease, LeaseCheck, Revision, Transaction } from '../../store.ts';
import { compareKeys, inRange } from './reference-order.ts';

interface Event {
  readonly revision: Revision;
  readonly collection: string;
  readonly key: Key;
  /** undefined: removed. */
  readonly value: unknown;
}

interface HeldLease {
  readonly collection: string;
  readonly key: Key;
  readonly token: number;
  expiresAt: number;
}

/** The outcome of a transaction: a revision, or the kind and collection of the conflict. */
export type ModelOutcome = Revision | string;

export class StoreModel {
  revision: Revision = 0;
  horizon: Revision = 0;
  now = 0;
  lastToken = 0;
  readonly #feed: ChangeSet[] = [];
  #events: Event[] = [];
  #leases: HeldLease[] = [];

  get(collection: Collection, key: Key, at: Revision = this.revision): Entry<unknown> | undefined {
    const last = this.#events.findLast(
      (event) => event.collection === collection.name && event.revision <= at && compareKeys(event.key, key) === 0,
    );
    if (last === undefined || last.value === undefined) return undefined;
    return { key: last.key, value: last.value, revision: last.revision };
  }

  entries(collection: Collection, range: Range, at: Revision = this.revision): Entry<unknown>[] {
    const keys: Key[] = [];
    for (const event of this.#events) {
      if (event.collection !== collection.name || !inRange(event.key, range)) continue;
      if (!keys.some((key) => compareKeys(key, event.key) === 0)) keys.push(event.key);
    }
    return keys
      .toSorted(compareKeys)
      .map((key) => this.get(collection, key, at))
      .filter((entry) => entry !== undefined);
  }

  commit({ checks = [], leases = [], writes = [] }: Transaction): ModelOutcome {
    for (const check of checks) {
      if (!this.#holds(check)) return `${check.kind} ${check.collection.name}`;
    }
    for (const { lease } of leases) {
      if (!this.holdsLease(lease)) return `lease ${lease.collection}`;
    }
    const revision = this.revision + 1;
    const changes: Change[] = [];
    for (const write of writes) {
      const { collection, key } = write;
      const value = write.kind === 'put' ? write.value : undefined;
      this.#events.push({ revision, collection: collection.name, key, value });
      changes.push({ kind: write.kind, collection: collection.name, key });
      if (write.kind === 'remove') this.#drop(collection.name, key);
    }
    changes.push(...this.#giveBack(leases));
    if (writes.length === 0 && changes.length === 0) return this.revision;
    this.revision = revision;
    this.#feed.push({ revision, changes });
    return revision;
  }

  /** The items a claim gets, in order. */
  claimable(collection: Collection, range: Range, limit: number): Entry<unknown>[] {
    return this.entries(collection, range)
      .filter(({ key }) => {
        const lease = this.#leaseOn(collection.name, key);
        return lease === undefined || lease.expiresAt <= this.now;
      })
      .slice(0, limit);
  }

  claimed({ collection, key, token }: Lease, milliseconds: number): void {
    this.#drop(collection, key);
    this.#leases.push({ collection, key, token, expiresAt: this.now + milliseconds });
    this.lastToken = token;
  }

  holdsLease({ collection, key, token }: Lease): boolean {
    const held = this.#leaseOn(collection, key);
    return held !== undefined && held.token === token;
  }

  renew(lease: Lease, milliseconds: number): boolean {
    if (!this.holdsLease(lease)) return false;
    const held = this.#leaseOn(lease.collection, lease.key);
    if (held !== undefined) held.expiresAt = this.now + milliseconds;
    return true;
  }

  release(leases: readonly Lease[]): void {
    const changes = this.#giveBack(leases.map((lease) => ({ lease, afterwards: 'release' })));
    if (changes.length === 0) return;
    this.#feed.push({ revision: ++this.revision, changes });
  }

  changesSince(since: Revision, collections?: readonly Collection[], range: Range = {}): ChangeSet[] {
    const names = collections?.map((collection) => collection.name);
    return this.#feed
      .filter((set) => set.revision > since)
      .map(({ revision, changes }) => ({
        revision,
        changes: changes.filter(
          ({ collection, key }) => (names === undefined || names.includes(collection)) && inRange(key, range),
        ),
      }))
      .filter((set) => set.changes.length > 0);
  }

  prune(before: Revision): Revision {
    this.horizon = Math.max(this.horizon, Math.min(before, this.revision));
    return this.horizon;
  }

  #holds(check: Check): boolean {
    switch (check.kind) {
      case 'absent':
        return this.get(check.collection, check.key) === undefined;
      case 'revision':
        return this.get(check.collection, check.key)?.revision === check.revision;
      case 'unchanged':
        return (
          check.since >= this.horizon &&
          check.since <= this.revision &&
          !this.#events.some(
            (event) =>
              event.revision > check.since &&
              event.collection === check.collection.name &&
              inRange(event.key, check.range),
          )
        );
    }
  }

  // An expired lease can still be released until the item is claimed again.
  #giveBack(checks: readonly LeaseCheck[]): Change[] {
    const changes: Change[] = [];
    for (const { lease, afterwards } of checks) {
      const { collection, key, token } = lease;
      if (afterwards !== 'release' || this.#leaseOn(collection, key)?.token !== token) continue;
      this.#drop(collection, key);
      changes.push({ kind: 'released', collection, key });
    }
    return changes;
  }

  #leaseOn(collection: string, key: Key): HeldLease | undefined {
    return this.#leases.find((lease) => lease.collection === collection && compareKeys(lease.key, key) === 0);
  }

  #drop(collection: string, key: Key): void {
    this.#leases = this.#leases.filter((lease) => lease.collection !== collection || compareKeys(lease.key, key) !== 0);
  }
}
