// Counts syncs against acknowledgements: what a commit wrote to the log must have been synced before it was told so.
import type { JournalAnswer } from '../journal.ts';
import type { Recording } from './record.ts';

export interface SyncCount {
  /** Answers that promise that something is durable. */
  readonly acknowledgements: number;
  /** Those given without a sync of the log that began after a write which the call may have made. */
  readonly withoutSync: number;
  readonly logSyncs: number;
}

export function countSyncs({ trace, file, journalFile }: Recording): SyncCount {
  const log = trace.calls.filter(({ path }) => path === `${file}-wal`);
  const writes = log.filter(({ kind }) => kind === 'write');
  const syncs = log.filter(({ kind }) => kind === 'sync');
  const asked = new Map<number, number>();
  let acknowledgements = 0;
  let withoutSync = 0;
  for (const call of trace.calls) {
    if (call.kind !== 'append' || call.path !== journalFile) continue;
    const { id, answer } = JSON.parse(call.data.toString()) as { id: number; answer?: JournalAnswer };
    const began = asked.get(id);
    if (began === undefined) asked.set(id, call.began);
    if (began === undefined || answer === undefined || !promisesSomething(answer)) continue;
    acknowledgements++;
    const synced = syncs.some(
      (sync) => sync.ended < call.began && writes.some((write) => write.began > began && write.ended < sync.began),
    );
    if (!synced) withoutSync++;
  }
  return { acknowledgements, withoutSync, logSyncs: syncs.length };
}

function promisesSomething(answer: JournalAnswer): boolean {
  if (answer.verb === 'commit') return answer.revisions.some((revision) => revision !== null);
  if (answer.verb === 'claim') return answer.claims.length > 0;
  return answer.verb === 'renew' && answer.renewed.includes(true);
}
