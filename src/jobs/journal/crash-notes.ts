// Notes of processes that died over jobs, for whoever looks after the system: found by time, whatever has become of the jobs.
import { mustCommit, scanAll, type Store, type TransactionPart } from '../../store/door.ts';
import { crashRows, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

const keptMilliseconds = 28 * 24 * 3_600_000;
const removedAtOnce = 100;

/** What notes that a process died over a job; what is older than four weeks goes with it. */
export async function crashNote({ store, clock }: JobSystem, { id, crashes }: JobRow): Promise<TransactionPart> {
  const now = clock.now();
  const old = await store.scan(crashRows, { to: [now - keptMilliseconds] }, { limit: removedAtOnce });
  return {
    checks: [],
    writes: [
      { kind: 'put', collection: crashRows, key: [now, id], value: { times: crashes + 1 } },
      ...old.entries.map(({ key }) => ({ kind: 'remove' as const, collection: crashRows, key })),
    ],
  };
}

/** The notes of one job go with it. */
export async function removeCrashNotes(store: Store, { id, hasCrashed }: JobRow): Promise<void> {
  if (hasCrashed !== true) return;
  for await (const { key } of scanAll(store, crashRows, {}))
    if (key[1] === id) await mustCommit(store, { writes: [{ kind: 'remove', collection: crashRows, key }] });
}
