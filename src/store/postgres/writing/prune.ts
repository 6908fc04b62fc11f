// Prunes old versions and changes: raises the horizon, then deletes everything before it in small chunks, so that nothing
// waits long. Deleting may be interrupted at any point; the next pruning continues.
import type { Revision } from '../../store.ts';
import { answers, type Connections, type Row } from '../connections.ts';
import { lockScript } from './lock.ts';
import type { Statement, StoreStatements } from '../statements.ts';
import type { Tables } from '../tables.ts';

const chunkRows = 2000;

export async function prune(
  before: Revision,
  connections: Connections,
  statements: StoreStatements,
  tables: Tables,
  schema: string,
): Promise<Revision> {
  // Under the commit lock, so that no commit validates against a log that is being pruned.
  const [, rows] = await connections.useWithRetry((session) =>
    answers<[unknown, readonly Row[], unknown]>([
      session.script(`begin isolation level read committed read write; ${lockScript(schema, 'commit')}`),
      session.run(statements.raiseHorizon, [before]),
      session.script('commit'),
    ]),
  );
  const horizon = rows[0]?.[0] as number;
  await deleteAll(connections, statements.pruneLog, horizon);
  for (const { id, definition } of await tables.list()) {
    if (definition.keeps === 'versions') await deleteAll(connections, tables.get(id).statements.prunePast, horizon);
  }
  return horizon;
}

async function deleteAll(connections: Connections, statement: Statement, horizon: Revision): Promise<void> {
  while ((await connections.useWithRetry((session) => session.change(statement, [horizon, chunkRows]))) === chunkRows);
}
