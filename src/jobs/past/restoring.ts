// What a job was at an older commit of its program. A commit holds everything: what the driver kept belongs to it as much as
// the variables do, so going back takes both to the same moment. What cannot be taken back is named.
import type { Clock } from '../../base/clock.ts';
import type { History } from '../../history/door.ts';
import { scanAll, type Store } from '../../store/door.ts';
import type { FutureRow } from '../../workspace/door.ts';
import { futuresOf } from '../journal/call-journal.ts';
import { readJob } from '../changes/job-changes.ts';
import { jobCallRows, jobPastRows, type JobPastRow, type JobRow } from '../rows.ts';
import type { Effects, Restore, Restored, Restoring } from './restored-state.ts';

/** What is needed to find out what a job was. */
export interface RestoringParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: History;
  readonly restore: Restore;
}

/** What is recorded of a job at a commit; a fork had the past of the job it came from. */
export async function pastOf(
  store: Store,
  { id, forkedFrom }: Pick<JobRow, 'id' | 'forkedFrom'>,
  commit: string,
): Promise<JobPastRow | undefined> {
  const [entry] = await store.read(jobPastRows, [[id, commit]]);
  if (entry !== undefined || forkedFrom === undefined) return entry?.value;
  const origin = await readJob(store, forkedFrom.job);
  return pastOf(store, origin?.row ?? { id: forkedFrom.job }, commit);
}

export async function restored(
  { store, history, restore }: RestoringParts,
  job: JobRow,
  workspace: string,
  commit: string,
  more: Pick<Restoring, 'isRunning' | 'now' | 'fork' | 'definition'>,
): Promise<{ readonly past: JobPastRow | undefined; readonly restored: Restored }> {
  const found = await history.find(workspace, commit);
  const past = await pastOf(store, job, commit);
  const effects = await effectsSince(store, job, past, found.time);
  const revision = await history.revisionOf(found);
  return { past, restored: await restore({ job, commit, revision, past: past?.state, effects, ...more }) };
}

async function effectsSince(store: Store, job: JobRow, past: JobPastRow | undefined, time: number): Promise<Effects> {
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

/** Everything a job has done that cannot be taken back, by name, at most so many names. */
export async function effectsOf(store: Store, job: JobRow): Promise<Effects> {
  const { calls, driver } = await effectsSince(store, job, undefined, Number.NEGATIVE_INFINITY);
  return { calls: countedNames(calls), driver: countedNames(driver) };
}

const maxNamed = 20;

/** Names, each with how often it comes: `pay (3 times)`. */
export function countedNames(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const all = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  return all.length <= maxNamed ? all : [...all.slice(0, maxNamed), `${all.length - maxNamed} others`];
}

function wasMade(future: FutureRow): boolean {
  if (future.kind === 'child') return true;
  return future.kind === 'call' && (future.attempts ?? []).length > 0 && future.cached !== true;
}
