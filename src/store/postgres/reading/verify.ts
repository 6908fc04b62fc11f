// Reads and checks everything: keys, checksums, JSON, that the queryable record matches the exact one, and that the log
// has no gaps.
import { isDeepStrictEqual } from 'node:util';
import type { KnownCollection } from '../../engine/engine.ts';
import { StoreCorruptError } from '../../errors.ts';
import { decodeKey, describeEncodedKey, keyFromBytes } from '../../key.ts';
import type { VerifyReport } from '../../store.ts';
import type { Connections, Row } from '../connections.ts';
import { acceptableJson } from './readable.ts';
import { entryFrom, logFrom } from './row.ts';
import type { Statement, StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';

const logPageRows = 2000;

export async function verify(
  connections: Connections,
  statements: StoreStatements,
  tables: Tables,
): Promise<VerifyReport> {
  const problems: string[] = [];
  let entries = 0;
  let bytes = 0;
  for (const known of await tables.list()) {
    const { inspect, inspectPast } = tables.get(known.id).statements;
    for await (const row of inspected(connections, inspect, known, problems)) {
      entries++;
      bytes += row.bytes;
    }
    if (known.definition.keeps !== 'versions') continue;
    for await (const _row of inspected(connections, inspectPast, known, problems));
  }
  await verifyLog(connections, statements, problems);
  return { entries, bytes, problems };
}

async function* inspected(
  connections: Connections,
  statement: Statement,
  known: KnownCollection,
  problems: string[],
): AsyncGenerator<{ readonly bytes: number }, void, undefined> {
  let position: readonly [unknown, unknown] = [Buffer.alloc(0), 0];
  for (;;) {
    let rows: readonly Row[];
    try {
      const after = position;
      rows = await connections.useWithRetry((session) => session.run(statement, after));
    } catch (error) {
      if (!(error instanceof StoreCorruptError)) throw error;
      problems.push(`${known.definition.name}: ${error.message}`);
      return;
    }
    for (const row of rows) {
      const problem = problemWith(known, row);
      if (problem !== undefined) problems.push(problem);
      yield { bytes: (row[0] as Buffer).length + (row[4] as string | Buffer).length };
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    position = [last[0], last[1]];
  }
}

function problemWith({ definition }: KnownCollection, row: Row): string | undefined {
  const [keyBytes, until, revision, checksum, stored, readable] = row;
  const key = keyFromBytes(keyBytes as Buffer);
  const version = until === 0 ? '' : ` at revision ${revision as number}`;
  try {
    decodeKey(key);
    entryFrom(definition.name, key, [revision, checksum, stored]);
    if (typeof stored !== 'string') return undefined;
    JSON.parse(stored);
    if (isDeepStrictEqual(JSON.parse(acceptableJson(stored)), JSON.parse(readable as string))) return undefined;
    return `${definition.name} ${describeEncodedKey(key)}${version}: the column 'value' differs from the column 'exact', which has what was written.`;
  } catch (error) {
    return `${definition.name} ${describeEncodedKey(key)}${version}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function verifyLog(connections: Connections, statements: StoreStatements, problems: string[]): Promise<void> {
  let position: number | undefined;
  for (;;) {
    const after: number = position ?? 0;
    const rows = await connections.useWithRetry((session) => session.run(statements.readLog, [after, logPageRows]));
    const [head, horizon] = rows[0] as readonly [number, number];
    // Pruning may not have deleted all rows up to the horizon yet.
    position = Math.max(position ?? 0, horizon);
    for (const [, , ...row] of rows) {
      const revision = row[0] as number | null;
      if (revision === null || revision <= position) continue;
      if (revision !== position + 1) problems.push(`The change log has no revision ${position + 1}.`);
      position = revision;
      try {
        logFrom(row);
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error));
      }
    }
    if (position >= head) return;
    if (rows.length < logPageRows) {
      problems.push(`The change log ends at revision ${position}; the latest is ${head}.`);
      return;
    }
  }
}
