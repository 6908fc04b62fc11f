// What the store must hold, kept in memory from its change log and the journals: the latest entries, the versions since
// the horizon, and the leases that were acknowledged and not ended.
import type { Key } from '../../src/store/key.ts';
import { collectionNamed, everyCollection, work } from './collections.ts';
import type { JournalCheck, JournalLease, JournalTransaction } from './journal.ts';

/** Who wrote an entry; null for a removal. */
export interface Standing {
  readonly revision: number;
  readonly transaction: string | null;
}

interface Row {
  readonly revision: number;
  readonly transaction: JournalTransaction;
}

export class Model {
  /** Everything up to this revision is in the model. */
  revision = 0;
  leastHorizon = 0;
  mostHorizon = 0;
  /** Acknowledged leases that nobody has tried to end, by item. */
  readonly held = new Map<string, JournalLease>();
  readonly tokens = new Set<number>();
  readonly #versions = new Map<string, Map<string, Standing[]>>(everyCollection.map(({ name }) => [name, new Map()]));
  readonly #itemPuts = new Map<string, Set<number>>();
  /** What was applied since the last comparison, for checks that look back. */
  #recent: Row[] = [];

  /** Applies the transaction that the log names at the next revision; the answer says which check did not hold. */
  apply(revision: number, transaction: JournalTransaction): string | undefined {
    const broken = transaction.checks.find((check) => !this.#holds(check));
    for (const { kind, collection, key } of transaction.writes) {
      const versions = this.#versionsOf(collection, key);
      const standing = { revision, transaction: kind === 'put' ? transaction.name : null };
      if (collectionNamed(collection).keeps === 'versions') versions.push(standing);
      else versions.splice(0, versions.length, standing);
      if (collection === work.name && kind === 'put') this.#putsOf(key).add(revision);
    }
    this.revision = revision;
    this.#recent.push({ revision, transaction });
    return broken && `check ${JSON.stringify(broken)} did not hold at revision ${revision}`;
  }

  /** Counts a revision that changed no entry. */
  pass(revision: number): void {
    this.revision = revision;
  }

  /** The entries of a collection, by key, as of a revision. */
  entries(collection: string, at = this.revision): Map<string, { revision: number; transaction: string }> {
    const entries = new Map<string, { revision: number; transaction: string }>();
    for (const [key, versions] of this.#versions.get(collection) ?? []) {
      const standing = versions.findLast(({ revision }) => revision <= at);
      if (standing !== undefined && standing.transaction !== null)
        entries.set(key, { revision: standing.revision, transaction: standing.transaction });
    }
    return entries;
  }

  wasPut(item: Key, revision: number): boolean {
    return this.#itemPuts.get(JSON.stringify(item))?.has(revision) ?? false;
  }

  /** Forgets what the horizon and later rounds do not need. */
  forget(horizon: number): void {
    this.leastHorizon = this.mostHorizon = horizon;
    this.#recent = [];
    for (const keys of this.#versions.values()) {
      for (const [key, versions] of keys) {
        const first = versions.findLastIndex(({ revision }) => revision <= horizon);
        if (first > 0) versions.splice(0, first);
        if (versions.length === 1 && versions[0]?.transaction === null) keys.delete(key);
      }
    }
  }

  #holds(check: JournalCheck): boolean {
    if (check.kind === 'unchanged') {
      const prefix = JSON.stringify(check.prefix).slice(0, -1);
      return !this.#recent.some(
        ({ revision, transaction }) =>
          revision > check.since &&
          transaction.writes.some(
            ({ collection, key }) => collection === check.collection && JSON.stringify(key).startsWith(prefix),
          ),
      );
    }
    const standing = this.#versions.get(check.collection)?.get(JSON.stringify(check.key))?.at(-1);
    const found = standing === undefined || standing.transaction === null ? 0 : standing.revision;
    return found === (check.kind === 'absent' ? 0 : check.revision);
  }

  #versionsOf(collection: string, key: Key): Standing[] {
    const keys = this.#versions.get(collection) as Map<string, Standing[]>;
    const name = JSON.stringify(key);
    let versions = keys.get(name);
    if (versions === undefined) keys.set(name, (versions = []));
    return versions;
  }

  #putsOf(item: Key): Set<number> {
    const name = JSON.stringify(item);
    let puts = this.#itemPuts.get(name);
    if (puts === undefined) this.#itemPuts.set(name, (puts = new Set()));
    return puts;
  }
}
