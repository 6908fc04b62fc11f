// Reads a whole file and checks it, on a thread of its own, because that may take long.
import { parentPort, workerData } from 'node:worker_threads';
import type { VerifyReport } from '../store.ts';
import { openReader, type DatabaseSettings } from './database.ts';
import { knownCollections } from './known-collections.ts';
import { entryFromRow, logFromRow, type EntryRow, type LogTableRow } from './row.ts';
import { collectionSql, prepareLazily, storeSql } from './statements.ts';

export function verifyFile(settings: DatabaseSettings): VerifyReport {
  const problems: string[] = [];
  let entries = 0;
  let bytes = 0;
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  };
  const database = openReader(settings);
  try {
    const store = prepareLazily(database, storeSql);
    attempt(() => {
      for (const row of database.prepare('PRAGMA integrity_check').iterate()) {
        if (row['integrity_check'] !== 'ok') problems.push(String(row['integrity_check']));
      }
    });
    const { horizon } = store('state').get() as { horizon: number };
    attempt(() => {
      let expected: number | undefined;
      for (const row of store('readLog').iterate(horizon, -1)) {
        const { revision } = row as unknown as LogTableRow;
        if (expected !== undefined && revision !== expected)
          problems.push(`The change log has no revision ${expected}.`);
        expected = revision + 1;
        attempt(() => logFromRow(row as unknown as LogTableRow));
      }
    });
    for (const { definition } of knownCollections(store)) {
      const statements = prepareLazily(database, collectionSql(definition.name));
      for (const name of definition.keeps === 'versions' ? (['all', 'allPast'] as const) : (['all'] as const)) {
        attempt(() => {
          for (const row of statements(name).iterate()) {
            const entry = row as unknown as EntryRow;
            entries++;
            bytes += entry.key.length + entry.value.length;
            attempt(() => entryFromRow(definition.name, entry));
          }
        });
      }
    }
  } finally {
    database.close();
  }
  return { entries, bytes, problems };
}

parentPort?.postMessage(verifyFile(workerData as DatabaseSettings));
