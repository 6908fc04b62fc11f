// What a job was at an older commit of its program. A commit holds everything: what the driver kept belongs to it as much as
// the variables do, so going back takes both to the same moment. What cannot be taken back is named.
import { scanAll } from '../store/scan-all.ts';
import type { FutureRow } from '../workspace/rows.ts';
import { futuresOf } from './call-journal.ts';
import { jobCallRows, jobPastRows, type JobPastRow, type JobRow } from './rows.ts';
import type { Effects, Restored, Restoring } from './restored-state.ts';
import type { JobSystem } from './system.ts';

/** What is recorded of a job at a commit; a fork had the past of the job it came from. */
export async function pastOf(
  system: JobSystem,
  { id, forkedFrom }: Pick<JobRow, 'id' | 'forkedFrom'>,
  commit: string,
): Promise<JobPastRow | undefined> {
  const [entry] = await system.store.read(jobPastRows, [[id, commit]]);
  if (entry !== undefined || forkedFrom === undefined) return entry?.value;
  const origin = await system.read(forkedFrom.job);
  return pastOf(system, origin?.row ?? { id: forkedFrom.job }, commit);
}

export async function restored(
  system: JobSystem,
  job: JobRow,
  workspace: string,
  commit: string,
  more: Pick<Restoring, 'isRunning' | 'now' | 'fork'>,
): Promise<{ readonly past: JobPastRow | undefined; readonly restored: Restored }> {
  const { history } = system.workspaces.context;
  const found = await history.find(workspace, commit);
  const past = await pastOf(system, job, commit);
  const effects = await effectsSince(system, job, past, found.time);
  const revision = await history.revisionOf(found);
  return { past, restored: await system.restore({ job, commit, revision, past: past?.state, effects, ...more }) };
}

async function effectsSince(
  { store }: JobSystem,
  job: JobRow,
  past: JobPastRow | undefined,
  time: number,
): Promise<Effects> {
  const calls: string[] = [];
  for await (const future of futuresOf(store, job)) {
    const isLater = past === undefined ? future.created > time : future.number >= past.nextFuture;
    if (isLater && wasMade(future)) calls.push(future.label);
  }
  const driver: string[] = [];
  for await (const { value } of scanAll(store, jobCallRows, { prefix: [job.id] }))
    if (past === undefined ? value.created > time : value.number >= past.nextCall) driver.push(value.name);
  return { calls, driver };
}

function wasMade({ kind, attempts = [], cached }: FutureRow): boolean {
  if (kind === 'child') return true;
  return kind === 'call' && attempts.length > 0 && cached !== true;
}
