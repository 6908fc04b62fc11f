// For a scan made before an earlier change of the same process was durable: that change is no conflict, but any other
// change in between is.
import { scanAll, type Check, type RecordCollection, type Revision, type Store } from '../../store/door.ts';
import { ObjectConflictError } from '../errors.ts';
import type { PendingWrites } from '../transactions/pending-source.ts';

type RangeCheck = Extract<Check, { kind: 'unchanged' }>;

/** The revision from which the range must be unchanged; throws if another process changed it earlier. */
export async function checkScannedRange(
  store: Store,
  check: RangeCheck,
  pending: readonly PendingWrites[],
): Promise<Revision> {
  let { since } = check;
  for (const { committed, transaction } of pending) {
    if (committed === undefined || committed <= since) continue;
    if (transaction.writtenRows(check.collection as RecordCollection<unknown>).size === 0) continue;
    if (committed - 1 > since) {
      const before = await contents(store, check, since);
      if (before !== (await contents(store, check, committed - 1)))
        throw new ObjectConflictError(
          'The result of a query was changed by another process at the same time. Use transaction(…), which retries automatically.',
        );
    }
    since = committed;
  }
  return since;
}

async function contents(store: Store, { collection, range }: RangeCheck, at: Revision): Promise<string> {
  const rows: string[] = [];
  for await (const { key, revision } of scanAll(store, collection, range, { at }))
    rows.push(JSON.stringify([key.map(String), revision]));
  return rows.join('\n');
}
