// Forgets old versions and changes: first the horizon is raised, then what lies before it is deleted a little at a time,
// so that nobody waits long for it. Deleting may be cut short at any point; the next pruning goes on.
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
  // Under the commit lock, so that no commit validates against a log that is being cut under its feet.
  const [, rows] = await connections.useAgain((session) =>
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
  while ((await connections.useAgain((session) => session.change(statement, [horizon, chunkRows]))) === chunkRows);
}
