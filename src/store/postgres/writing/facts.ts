// Fetches the facts for the planner under the commit lock, so that nothing can change before the commit: for the rare group
// whose expectations were refuted again and again.
import type { EncodedKey } from '../../key.ts';
import type { LogRow } from '../../engine/log.ts';
import { requirementsOf, type Facts, type PlainTransaction } from '../../engine/plan.ts';
import { within, type Bounds } from '../../range.ts';
import type { Revision } from '../../store.ts';
import type { CollectionId } from '../../engine/stored.ts';
import { keysArray } from '../reading/binary.ts';
import { answers, type Row, type Session } from '../connections.ts';
import { logFrom } from '../reading/row.ts';
import type { StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';

const logPageRows = 2000;

interface Item {
  readonly revision: number;
  readonly token: number | undefined;
}

type Items = ReadonlyMap<EncodedKey, Item>;

export async function factsFor(
  transactions: readonly PlainTransaction[],
  { session, begun, statements, tables }: FactsContext,
): Promise<Facts> {
  const { logSince } = requirementsOf(transactions);
  const wanted = keysOf(transactions, tables);
  const [, state, firstLog, ...lists] = await answers<[unknown, readonly Row[], readonly Row[], ...Items[]]>([
    begun,
    session.run(statements.begin, [-1]),
    logSince === undefined ? Promise.resolve([]) : session.run(statements.readLog, [logSince, logPageRows]),
    ...[...wanted].map(([id, keys]) => itemsOf(session, tables, id, [...keys])),
  ]);
  const [head, horizon] = state[0] as readonly [number, number];
  const { log } = logSince === undefined ? { log: [] } : await changesIn(firstLog, session, statements);
  const items = new Map([...wanted.keys()].map((id, index) => [id, lists[index] as Items]));
  return {
    head,
    horizon,
    revisionOf: (collection, key) => items.get(collection)?.get(key)?.revision ?? 0,
    tokenOf: (collection, key) => items.get(collection)?.get(key)?.token,
    changedSince: (collection, bounds, since) => hasChange(log, collection, bounds, since),
    nameOf: (collection) => tables.get(collection).known.definition.name,
  };
}

export interface FactsContext {
  readonly session: Session;
  /** Settles when the transaction has begun and holds the commit lock. */
  readonly begun: Promise<unknown>;
  readonly statements: StoreStatements;
  readonly tables: Tables;
}

/** The keys to look up. In work collections also the written ones: their rows are locked, in key order. */
function keysOf(
  transactions: readonly PlainTransaction[],
  tables: Tables,
): ReadonlyMap<CollectionId, ReadonlySet<EncodedKey>> {
  const wanted = new Map<CollectionId, Set<EncodedKey>>();
  const add = ({ collection, key }: { collection: CollectionId; key: EncodedKey }): void => {
    const keys = wanted.get(collection) ?? new Set();
    wanted.set(collection, keys.add(key));
  };
  for (const { checks, leases, writes } of transactions) {
    for (const check of checks) if (check.kind !== 'unchanged') add(check);
    for (const lease of leases) add(lease);
    for (const write of writes) if (tables.get(write.collection).known.definition.leased) add(write);
  }
  return new Map([...wanted].toSorted(([a], [b]) => a - b));
}

/** The rows of these keys; locks them in work collections. */
async function itemsOf(
  session: Session,
  tables: Tables,
  id: CollectionId,
  keys: readonly EncodedKey[],
): Promise<Items> {
  const { known, statements } = tables.get(id);
  const statement = known.definition.leased ? statements.lock : statements.revisions;
  const rows = await session.run(statement, [keysArray(keys)]);
  return new Map(
    rows.map(([n, revision, token]) => [
      keys[(n as number) - 1] as EncodedKey,
      { revision: revision as number, token: typeof token === 'number' ? token : undefined },
    ]),
  );
}

export interface LoggedChanges {
  readonly log: readonly LogRow[];
  /** The log was read up to here. */
  readonly head: Revision;
  readonly horizon: Revision;
}

/** The changes after a revision. */
export async function changesSince(
  since: Revision,
  session: Session,
  statements: StoreStatements,
): Promise<LoggedChanges> {
  return changesIn(await session.run(statements.readLog, [since, logPageRows]), session, statements);
}

async function changesIn(
  firstRows: readonly Row[],
  session: Session,
  statements: StoreStatements,
): Promise<LoggedChanges> {
  const log: LogRow[] = [];
  const head = firstRows[0]?.[0] as number;
  for (let rows = firstRows; ;) {
    for (const [, , ...row] of rows) if (row[0] !== null) log.push(logFrom(row));
    const last = log.at(-1);
    const horizon = rows[0]?.[1] as number;
    if (last === undefined || last.revision >= head) return { log, head, horizon };
    rows = await session.run(statements.readLog, [last.revision, logPageRows]);
  }
}

export function hasChange(log: readonly LogRow[], collection: CollectionId, bounds: Bounds, since: Revision): boolean {
  return log.some(
    ({ revision, changes }) =>
      revision > since &&
      changes.some(
        (change) => change.collection === collection && change.kind !== 'released' && within(change.key, bounds),
      ),
  );
}
