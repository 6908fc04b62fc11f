// Turns a plan into statements: one per collection and kind of write, whatever the size of the group.
import type { EncodedKey } from '../../key.ts';
import type { Mutation, Plan } from '../../engine/plan.ts';
import type { Revision } from '../../store.ts';
import type { CollectionId } from '../../engine/stored.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import { rowParameters, type NewRow } from '../reading/row.ts';
import type { Statement } from '../statements.ts';
import type { Table, Tables } from '../tables.ts';

export interface StatementCall {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

// PostgreSQL limits a message to 1 GB; this also bounds the memory for encoding.
const maxStatementBytes = 32 * 1024 * 1024;

/** `origin` is the head the plan was made for; the server writes relative to the head it finds. */
export function writesOf({ mutations, released }: Plan, tables: Tables, origin: Revision): StatementCall[] {
  const calls = [...Map.groupBy(mutations, ({ collection }) => collection)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([id, group]) => collectionWrites(tables.get(id), group, origin));
  for (const [id, leases] of Map.groupBy(released, ({ collection }) => collection))
    calls.push(unleaseCall(tables, id, leases));
  return calls;
}

function unleaseCall(
  tables: Tables,
  id: CollectionId,
  leases: readonly { readonly key: EncodedKey; readonly token: number }[],
): StatementCall {
  return {
    statement: tables.get(id).statements.unlease,
    values: [keysArray(leases.map(({ key }) => key)), bigintArray(leases.map(({ token }) => token))],
  };
}

function collectionWrites(
  { known, statements }: Table,
  mutations: readonly Mutation[],
  origin: Revision,
): StatementCall[] {
  const removed: { key: EncodedKey; until: number }[] = [];
  const present: NewRow[] = [];
  const superseded: NewRow[] = [];
  const keepsVersions = known.definition.keeps === 'versions';
  for (const { key, versions, dropLease } of mutations) {
    const until = versions[0]?.revision as number;
    versions.forEach(({ revision, value }, index) => {
      const next = versions[index + 1];
      if (next !== undefined) {
        if (keepsVersions && value !== null) superseded.push({ key, revision, value, until: next.revision });
        return;
      }
      // A row removed in between starts over, without the earlier lease.
      if (value === null || (dropLease && !keepsVersions)) removed.push({ key, until });
      if (value !== null) present.push({ key, revision, value, until });
    });
  }
  const calls: StatementCall[] = [];
  if (removed.length > 0) {
    const values = [keysArray(removed.map(({ key }) => key))];
    if (keepsVersions) values.push(bigintArray(removed.map(({ until }) => until - origin)));
    calls.push({ statement: statements.remove, values });
  }
  for (const rows of chunksOf(present)) calls.push({ statement: statements.put, values: rowParameters(rows, origin) });
  for (const rows of chunksOf(superseded))
    calls.push({ statement: statements.putPast, values: rowParameters(rows, origin) });
  return calls;
}

function* chunksOf(rows: readonly NewRow[]): Generator<readonly NewRow[], void, undefined> {
  let start = 0;
  let bytes = 0;
  for (const [index, { value }] of rows.entries()) {
    if (index > start && bytes + value.length > maxStatementBytes) {
      yield rows.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += value.length;
  }
  if (start < rows.length) yield rows.slice(start);
}
