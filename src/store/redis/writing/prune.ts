// Prunes old versions and changes: raises the horizon, then deletes everything before it in small chunks, so that nothing
// waits long. Deleting may be interrupted at any point; the next pruning continues.
import type { Revision } from '../../store.ts';
import type { Collections } from '../collections.ts';
import type { Connections } from '../connections.ts';
import type { SeenHistory } from '../history.ts';
import type { StoreKeys } from '../keys.ts';
import { horizonScript, pruneScript } from '../scripts.ts';
import { UsedCollections } from './group.ts';

const chunkRows = 500;

export async function prune(
  before: Revision,
  connections: Connections,
  history: SeenHistory,
  keys: StoreKeys,
  collections: Collections,
): Promise<Revision> {
  const { horizon } = await connections.useWithRetry((session) =>
    session.runDurably(horizonScript, history, [keys.meta, keys.log], [String(before)]),
  );
  const used = new UsedCollections(collections);
  // After the horizon was raised, so that every collection in the rows before it is known.
  for (const { id, definition } of await collections.list()) if (definition.keeps === 'versions') used.position(id);
  for (;;) {
    const { rest } = await connections.useWithRetry((session) =>
      session.run(pruneScript, history, [keys.meta, keys.log, ...used.keys], [String(chunkRows), ...used.words()]),
    );
    if (Number(rest[0]) < chunkRows) return horizon;
  }
}
