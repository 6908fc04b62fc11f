// A turn that scanned a range before an earlier turn of its own process was durable: that turn's changes are no conflict,
// but anything else that came in between is.
import type { RecordCollection } from '../../store/collection.ts';
import type { Check, Revision, Store } from '../../store/store.ts';
import { scanAll } from '../../store/scan-all.ts';
import { ObjectConflictError } from '../errors.ts';
import type { PendingTurn } from '../transactions/pending-source.ts';

type RangeCheck = Extract<Check, { kind: 'unchanged' }>;

/** From when on the range must be unchanged; throws if somebody else changed it before. */
export async function refuseOverlooked(
  store: Store,
  check: RangeCheck,
  turns: readonly PendingTurn[],
): Promise<Revision> {
  let { since } = check;
  for (const { committed, transaction } of turns) {
    if (committed === undefined || committed <= since) continue;
    if (transaction.writtenRows(check.collection as RecordCollection<unknown>).size === 0) continue;
    if (committed - 1 > since) {
      const before = await contents(store, check, since);
      if (before !== (await contents(store, check, committed - 1)))
        throw new ObjectConflictError(
          'Objects that were looked for were changed by somebody else in the same moment. Use transaction(…), which tries again by itself.',
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
