// Times at which something is to be done with a job: its start, the end of a pause, its deadline, its deletion.
import { readUndamaged, scanAll, type Key, type Transaction } from '../../store/door.ts';
import { afterStepBack, NotFoundError } from '../../workspace/door.ts';
import { updateJob, wakeJob, placeFrom, type KnownJob } from '../changes/job-changes.ts';
import { deleteJob, forkInNeed } from '../changes/deleting.ts';
import { movedBy } from '../changes/control.ts';
import { JobStateError } from '../errors.ts';
import { jobRows, jobTimerRows, type JobUpdate, type JobTimers } from '../rows.ts';
import type { JobSystem } from '../system.ts';

const atOnce = 500;
const postponedBy = 1000;
const neededPostponedBy = 3_600_000;

/** Does what is due; returns when the next time is, if there is one. */
export async function fireJobTimers(system: JobSystem): Promise<number | undefined> {
  const { store, clock } = system;
  /** Timers of jobs that cannot be read stay as they are. */
  const damaged = new Set<string>();
  let from: Key | undefined;
  for (;;) {
    const { entries } = await store.scan(jobTimerRows, from === undefined ? {} : { from }, { limit: atOnce });
    const now = clock.now();
    const due = entries.filter(({ key }) => (key[0] as number) <= now && !damaged.has(key[1] as string));
    // Whoever has a page of them all looks beyond it.
    if (due.length === 0 && entries.length === atOnce) from = entries.at(-1)?.key;
    if (due.length > 0) {
      const jobs = await readUndamaged(
        store,
        jobRows,
        due.map(({ key }) => [key[1] as string]),
        (key, { message }) => {
          damaged.add(String(key[0]));
          system.damaged(message, { job: String(key[0]) });
        },
      );
      const transactions: Transaction[] = [];
      for (const [index, { key }] of due.entries()) {
        const job = jobs[index];
        const what = key[2] as keyof JobTimers;
        if (damaged.has(key[1] as string)) continue;
        if (job === undefined || job.value.timers[what] !== key[0]) {
          transactions.push({ writes: [{ kind: 'remove', collection: jobTimerRows, key }] });
        } else if (what === 'purge') {
          const isNeeded = (await forkInNeed(system, job.value)) !== undefined;
          if (job.value.at === null && !isNeeded) await deletedIfOver(system, job.value.id);
          else transactions.push(postponed({ row: job.value, revision: job.revision }, now, isNeeded));
        } else {
          transactions.push(await rung(system, { row: job.value, revision: job.revision }, what, now));
        }
      }
      await store.commit(transactions);
    }
    const later = entries.find(({ key }) => (key[0] as number) > now);
    if (later !== undefined || (due.length === 0 && entries.length < atOnce))
      return later?.key[0] as number | undefined;
  }
}

/** After the clock was set back: what was counted from a time that is still to come is counted from now. */
export async function moveJobTimers(system: JobSystem): Promise<void> {
  const { store, clock } = system;
  const now = clock.now();
  for await (const { key } of scanAll(store, jobTimerRows, { from: [now] })) {
    const what = key[2] as keyof JobTimers;
    const known = await system.read(key[1] as string);
    // A start and a deadline are times that somebody has chosen.
    if (known === undefined || what === 'start' || what === 'deadline' || known.row.timers[what] !== key[0]) continue;
    const moved = afterStepBack(key[0] as number, known.row.updated, now);
    if (moved === key[0]) continue;
    const { checks, writes } = updateJob(known, { timers: { ...known.row.timers, [what]: moved } }, [], now);
    await store.commit([{ checks, writes }]);
  }
}

/** Another process may have deleted it, and somebody may have started it again. */
async function deletedIfOver(system: JobSystem, id: string): Promise<void> {
  try {
    await deleteJob(system, id);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof JobStateError)) throw error;
  }
}

/** Its end is still being told, to its children and its tools; or a fork waits for what it has asked for, which may take days. */
function postponed(known: KnownJob, now: number, isNeeded: boolean): Transaction {
  const { timers } = known.row;
  const purge = now + (isNeeded ? neededPostponedBy : postponedBy);
  const { checks, writes } = updateJob(known, { timers: { ...timers, purge } }, [], now);
  return { checks, writes };
}

async function rung(system: JobSystem, known: KnownJob, what: keyof JobTimers, now: number): Promise<Transaction> {
  const { row } = known;
  const timers: Partial<Record<keyof JobTimers, number>> = { ...row.timers };
  delete timers[what];
  const stops: JobUpdate = {
    ...(what === 'deadline' ? { late: true } : {}),
    ...(what === 'limit' ? { overdue: true } : {}),
  };
  const moved = await movedBy(system, row, stops);
  const change: JobUpdate = {
    timers,
    ...stops,
    ...moved,
    ...(row.status === 'DONE' || row.paused === true ? {} : { at: row.at ?? placeFrom(row, now) }),
  };
  const { checks, writes } = updateJob(known, change, [], now);
  // One that is at work is told through its place in the queue.
  const told = row.at === null || 'queue' in moved ? [] : wakeJob(known, now).writes;
  return { checks, writes: [...writes, ...told] };
}
