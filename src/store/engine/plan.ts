// Decides which transactions of a group commit, at which revisions, and what to write. A pure function, shared by all
// engines: an engine supplies the facts under its write lock and executes the plan.
import type { CollectionId, StoredValue } from './stored.ts';
import type { EncodedKey } from '../key.ts';
import { changedConflict, futureConflict, keyConflict, leaseConflict, prunedConflict } from './conflict.ts';
import type { LoggedChange, LogRow } from './log.ts';
import { within, type Bounds } from '../range.ts';
import type { Conflict, Revision } from '../store.ts';

/** A transaction with collections by number and keys and values encoded. */
export interface PlainTransaction {
  readonly checks: readonly PlainCheck[];
  readonly leases: readonly PlainLeaseCheck[];
  readonly writes: readonly PlainWrite[];
}

export type PlainCheck =
  | {
      readonly kind: 'revision';
      readonly collection: CollectionId;
      readonly key: EncodedKey;
      readonly revision: Revision;
    }
  | { readonly kind: 'absent'; readonly collection: CollectionId; readonly key: EncodedKey }
  | {
      readonly kind: 'unchanged';
      readonly collection: CollectionId;
      readonly bounds: Bounds;
      readonly since: Revision;
    };

export interface PlainLeaseCheck {
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  readonly token: number;
  readonly release: boolean;
}

export interface PlainWrite {
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  /** null removes the key. */
  readonly value: StoredValue | null;
}

/** What the planner needs to know, read while nothing else can write. */
export interface Facts {
  /** The latest revision. */
  readonly head: Revision;
  /** Changes up to this revision are no longer in the log. */
  readonly horizon: Revision;
  /** The revision of a key; 0 if there is none. */
  revisionOf(collection: CollectionId, key: EncodedKey): Revision;
  /** Whether the log has a change in these bounds after `since`. */
  changedSince(collection: CollectionId, bounds: Bounds, since: Revision): boolean;
  /** The token of the lease on a key. An expired lease stays valid until the key is claimed again. */
  tokenOf(collection: CollectionId, key: EncodedKey): number | undefined;
  nameOf(collection: CollectionId): string;
}

export type Outcome =
  | { readonly status: 'committed'; readonly revision: Revision }
  | { readonly status: 'conflict'; readonly conflict: Conflict };

/** All changes to one key in the group, oldest first. */
export interface Mutation {
  readonly collection: CollectionId;
  readonly key: EncodedKey;
  readonly versions: { readonly revision: Revision; readonly value: StoredValue | null }[];
  /** The key was removed in between, so its lease does not carry over. */
  dropLease: boolean;
}

export interface Plan {
  readonly outcomes: readonly Outcome[];
  readonly mutations: readonly Mutation[];
  readonly log: readonly LogRow[];
  readonly released: readonly PlainLeaseCheck[];
  /** The latest revision after the plan was executed. */
  readonly head: Revision;
}

/** What an engine must fetch beforehand if it cannot read while planning. */
export interface Requirements {
  readonly keys: ReadonlyMap<CollectionId, ReadonlySet<EncodedKey>>;
  readonly leases: ReadonlyMap<CollectionId, ReadonlySet<EncodedKey>>;
  /** Log rows after this revision are needed; undefined if none. */
  readonly logSince: Revision | undefined;
}

export function requirementsOf(transactions: readonly PlainTransaction[]): Requirements {
  const keys = new Map<CollectionId, Set<EncodedKey>>();
  const leases = new Map<CollectionId, Set<EncodedKey>>();
  let logSince: Revision | undefined;
  for (const { checks, leases: leaseChecks } of transactions) {
    for (const check of checks) {
      if (check.kind === 'unchanged') logSince = Math.min(logSince ?? check.since, check.since);
      else memberOf(keys, check.collection).add(check.key);
    }
    for (const lease of leaseChecks) memberOf(leases, lease.collection).add(lease.key);
  }
  return { keys, leases, logSince };
}

export function planGroup(transactions: readonly PlainTransaction[], facts: Facts): Plan {
  const planner = new Planner(facts);
  const outcomes = transactions.map((transaction) => planner.decide(transaction));
  return { outcomes, ...planner.result() };
}

class Planner {
  readonly #facts: Facts;
  readonly #mutations = new Map<CollectionId, Map<EncodedKey, Mutation>>();
  readonly #released = new Map<string, PlainLeaseCheck>();
  readonly #log: LogRow[] = [];
  #head: Revision;

  constructor(facts: Facts) {
    this.#facts = facts;
    this.#head = facts.head;
  }

  decide(transaction: PlainTransaction): Outcome {
    const conflict = this.#firstConflict(transaction);
    if (conflict !== undefined) return { status: 'conflict', conflict };
    const changes: LoggedChange[] = [];
    const revision = this.#head + 1;
    for (const write of transaction.writes) {
      this.#write(write, revision);
      changes.push({ kind: write.value === null ? 'remove' : 'put', collection: write.collection, key: write.key });
    }
    for (const lease of transaction.leases) {
      if (!lease.release) continue;
      this.#released.set(leaseName(lease), lease);
      // A removed key cannot be claimed again, so its release is not logged.
      if (this.#mutations.get(lease.collection)?.get(lease.key)?.dropLease === true) continue;
      changes.push({ kind: 'released', collection: lease.collection, key: lease.key });
    }
    // A transaction that only checks gets no revision of its own; its checks hold at the head.
    if (changes.length === 0) return { status: 'committed', revision: this.#head };
    this.#head = revision;
    this.#log.push({ revision, changes });
    return { status: 'committed', revision };
  }

  result(): Omit<Plan, 'outcomes'> {
    const mutations = [...this.#mutations.values()].flatMap((keys) => [...keys.values()]);
    return { mutations, log: this.#log, released: [...this.#released.values()], head: this.#head };
  }

  #write({ collection, key, value }: PlainWrite, revision: Revision): void {
    const keys = memberOf(this.#mutations, collection, () => new Map<EncodedKey, Mutation>());
    let mutation = keys.get(key);
    if (mutation === undefined) keys.set(key, (mutation = { collection, key, versions: [], dropLease: false }));
    mutation.versions.push({ revision, value });
    if (value === null) mutation.dropLease = true;
  }

  #firstConflict(transaction: PlainTransaction): Conflict | undefined {
    for (const check of transaction.checks) {
      const conflict = check.kind === 'unchanged' ? this.#rangeConflict(check) : this.#keyConflict(check);
      if (conflict !== undefined) return conflict;
    }
    for (const lease of transaction.leases) {
      const conflict = this.#leaseConflict(lease);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  #keyConflict(check: Exclude<PlainCheck, { kind: 'unchanged' }>): Conflict | undefined {
    const found = this.#revisionOf(check.collection, check.key);
    const expected = check.kind === 'absent' ? 0 : check.revision;
    if (found === expected) return undefined;
    return keyConflict(check.kind, this.#facts.nameOf(check.collection), check.key, { expected, found });
  }

  #rangeConflict({ collection, bounds, since }: Extract<PlainCheck, { kind: 'unchanged' }>): Conflict | undefined {
    const name = this.#facts.nameOf(collection);
    if (since < this.#facts.horizon) return prunedConflict(name, since, this.#facts.horizon);
    if (since > this.#head) return futureConflict(name, since, this.#head);
    for (const [key, mutation] of this.#mutations.get(collection) ?? []) {
      if (within(key, bounds) && (mutation.versions.at(-1)?.revision ?? 0) > since) return changedConflict(name, since);
    }
    if (since < this.#facts.head && this.#facts.changedSince(collection, bounds, since))
      return changedConflict(name, since);
    return undefined;
  }

  #leaseConflict(lease: PlainLeaseCheck): Conflict | undefined {
    const conflict = (why: string): Conflict =>
      leaseConflict(this.#facts.nameOf(lease.collection), lease.key, lease.token, why);
    const token = this.#facts.tokenOf(lease.collection, lease.key);
    const mutation = this.#mutations.get(lease.collection)?.get(lease.key);
    if (token !== lease.token || mutation?.dropLease === true) return conflict('is no longer held');
    if (this.#released.has(leaseName(lease))) return conflict('was released');
    return undefined;
  }

  #revisionOf(collection: CollectionId, key: EncodedKey): Revision {
    const latest = this.#mutations.get(collection)?.get(key)?.versions.at(-1);
    if (latest === undefined) return this.#facts.revisionOf(collection, key);
    return latest.value === null ? 0 : latest.revision;
  }
}

function leaseName({ collection, key, token }: PlainLeaseCheck): string {
  return `${collection} ${token} ${key}`;
}

function memberOf<Value>(map: Map<CollectionId, Set<Value>>, id: CollectionId): Set<Value>;
function memberOf<Value>(map: Map<CollectionId, Value>, id: CollectionId, make: () => Value): Value;
function memberOf(map: Map<CollectionId, unknown>, id: CollectionId, make: () => unknown = () => new Set()): unknown {
  let member = map.get(id);
  if (member === undefined) map.set(id, (member = make()));
  return member;
}
