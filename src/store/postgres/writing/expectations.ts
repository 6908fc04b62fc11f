// What a group of transactions expects of the store: its checks say it, so that nothing needs to be read before the plan. The
// batch that writes the plan verifies it; what was refuted is learned, for the next plan.
import type { Bounds } from '../../range.ts';
import type { EncodedKey } from '../../key.ts';
import type { Facts, PlainTransaction } from '../../engine/plan.ts';
import type { CollectionId } from '../../engine/stored.ts';
import type { Revision } from '../../store.ts';
import type { Row } from '../connections.ts';
import { bigintArray, integerArray, keysArray } from '../reading/binary.ts';
import { anyRevision, anyToken, noLease, type StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';
import { hasChange, type LoggedChanges } from './facts.ts';
import type { StatementCall } from './writes.ts';

interface ExpectedKey {
  revision: Revision;
  token: number;
}

interface ExpectedRange {
  readonly collection: CollectionId;
  readonly bounds: Bounds;
  readonly since: Revision;
  /** It is known to be unchanged up to here. */
  searchedTo: Revision;
  hasChanged: boolean;
  /** There were too many changes to search them under the lock. */
  isUnknown: boolean;
}

/** A statement that verifies, and what to do with the rows it returns: each is something that was not as expected. */
export interface Verification extends StatementCall {
  learn(rows: readonly Row[]): void;
}

export class Expectations {
  readonly #keys: ReadonlyMap<CollectionId, ReadonlyMap<EncodedKey, ExpectedKey>>;
  readonly #ranges = new Map<string, ExpectedRange>();
  readonly #tables: Tables;
  readonly #statements: StoreStatements;
  #head: Revision;
  #horizon = 0;
  /** The latest revision that a check names. */
  #latest = 0;

  /** `head` is a revision that the store has reached. */
  constructor(transactions: readonly PlainTransaction[], tables: Tables, statements: StoreStatements, head: Revision) {
    this.#tables = tables;
    this.#statements = statements;
    this.#head = head;
    this.#keys = expectedKeys(transactions, tables);
    for (const { checks } of transactions) {
      for (const check of checks) {
        if (check.kind === 'absent') continue;
        this.#latest = Math.max(this.#latest, check.kind === 'revision' ? check.revision : check.since);
        if (check.kind === 'revision') continue;
        const { collection, bounds, since } = check;
        this.#ranges.set(rangeName(collection, bounds, since), {
          collection,
          bounds,
          since,
          searchedTo: since,
          hasChanged: false,
          isUnknown: false,
        });
      }
    }
  }

  /** The facts as far as expected or learned. Their head is a guess; the server writes relative to the real one. */
  facts(head: Revision = this.#head): Facts {
    return {
      head,
      horizon: this.#horizon,
      revisionOf: (collection, key) => this.#keys.get(collection)?.get(key)?.revision ?? 0,
      tokenOf: (collection, key) => {
        const token = this.#keys.get(collection)?.get(key)?.token;
        return token === noLease || token === anyToken ? undefined : token;
      },
      changedSince: (collection, bounds, since) =>
        this.#ranges.get(rangeName(collection, bounds, since))?.hasChanged ?? false,
      nameOf: (collection) => this.#tables.get(collection).known.definition.name,
    };
  }

  /**
   * A check names a revision that the store was not known to have. It may be one that an earlier transaction of the group is
   * about to get, so the plan holds for this head only.
   */
  get needsExactHead(): boolean {
    return this.#latest > this.#head;
  }

  /** In the order in which every process locks collections. */
  verifications(): Verification[] {
    const calls = [...this.#keys].map(([id, keys]) => this.#verifyKeys(id, keys));
    const open = [...this.#ranges.values()].filter(({ hasChanged, since }) => !hasChanged && since >= this.#horizon);
    return open.length === 0 ? calls : [...calls, this.#verifyRanges(open)];
  }

  /** Comes before what else is learned. */
  learnState(head: Revision, horizon: Revision): void {
    this.#head = head;
    this.#horizon = Math.max(this.#horizon, horizon);
  }

  /** Since when the log has to be read to know about the ranges that were not searched under the lock. */
  get unknownSince(): Revision | undefined {
    const unknown = [...this.#ranges.values()].filter(({ isUnknown }) => isUnknown);
    return unknown.length === 0 ? undefined : Math.min(...unknown.map(({ searchedTo }) => searchedTo));
  }

  learnChanges({ log, head, horizon }: LoggedChanges): void {
    this.learnState(head, horizon);
    for (const range of this.#ranges.values()) {
      if (!range.isUnknown) continue;
      range.isUnknown = false;
      range.hasChanged = hasChange(log, range.collection, range.bounds, range.searchedTo);
      range.searchedTo = head;
    }
  }

  #verifyKeys(id: CollectionId, keys: ReadonlyMap<EncodedKey, ExpectedKey>): Verification {
    const { known, statements } = this.#tables.get(id);
    const expected = [...keys.values()];
    const values = [keysArray([...keys.keys()]), bigintArray(expected.map(({ revision }) => revision))];
    if (known.definition.leased) values.push(bigintArray(expected.map(({ token }) => token)));
    return {
      statement: known.definition.leased ? statements.verifyLeases : statements.verify,
      values,
      learn: (rows) => {
        for (const [n, revision, token] of rows) {
          const key = expected[(n as number) - 1] as ExpectedKey;
          if (key.revision !== anyRevision) key.revision = revision as number;
          if (key.token !== anyToken) key.token = token as number;
        }
      },
    };
  }

  #verifyRanges(ranges: readonly ExpectedRange[]): Verification {
    return {
      statement: this.#statements.verifyRanges,
      values: [
        integerArray(ranges.map(({ collection }) => collection)),
        keysArray(ranges.map(({ bounds }) => bounds.lower)),
        keysArray(ranges.map(({ bounds }) => bounds.upper)),
        bigintArray(ranges.map(({ searchedTo }) => searchedTo)),
      ],
      learn: (rows) => {
        for (const [n, hasChanged] of rows) {
          const range = ranges[(n as number) - 1] as ExpectedRange;
          range.hasChanged = hasChanged === true;
          // Otherwise the planner finds the conflict by the head and the horizon.
          range.isUnknown = !range.hasChanged && range.since >= this.#horizon && range.since <= this.#head;
        }
      },
    };
  }
}

/**
 * What the checks say of each key; if they contradict each other, the first, and the planner finds the conflict. In work
 * collections also the written keys: their rows are locked, in key order.
 */
function expectedKeys(
  transactions: readonly PlainTransaction[],
  tables: Tables,
): ReadonlyMap<CollectionId, ReadonlyMap<EncodedKey, ExpectedKey>> {
  const all = new Map<CollectionId, Map<EncodedKey, ExpectedKey>>();
  const keyOf = (collection: CollectionId, key: EncodedKey): ExpectedKey => {
    let keys = all.get(collection);
    if (keys === undefined) all.set(collection, (keys = new Map<EncodedKey, ExpectedKey>()));
    let expected = keys.get(key);
    if (expected === undefined) keys.set(key, (expected = { revision: anyRevision, token: anyToken }));
    return expected;
  };
  for (const { checks, leases, writes } of transactions) {
    for (const check of checks) {
      if (check.kind === 'unchanged') continue;
      const expected = keyOf(check.collection, check.key);
      if (expected.revision === anyRevision) expected.revision = check.kind === 'absent' ? 0 : check.revision;
    }
    for (const { collection, key, token } of leases) {
      const expected = keyOf(collection, key);
      if (expected.token === anyToken) expected.token = token;
    }
    for (const { collection, key } of writes)
      if (tables.get(collection).known.definition.leased) keyOf(collection, key);
  }
  return new Map([...all].toSorted(([a], [b]) => a - b));
}

function rangeName(collection: CollectionId, { lower, upper }: Bounds, since: Revision): string {
  return `${collection} ${since} ${lower.length} ${lower}${upper}`;
}
