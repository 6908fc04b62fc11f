// Deleting a job that is over, with its workspace and everything that was kept of it. May be interrupted and done again:
// the job's own row goes last.
import { StoreConflictError } from '../../store/door.ts';
import { largeTextRows, removeAll, removeOwned, waitingFork } from '../../workspace/door.ts';
import { updateJob, removal, type KnownJob } from './job-changes.ts';
import { cancelChildren } from './children.ts';
import { JobStateError } from '../errors.ts';
import { removeCrashNotes } from '../journal/crash-notes.ts';
import { mustRead } from './control.ts';
import {
  jobCallRows,
  jobEventRows,
  jobInboxRows,
  jobPastRows,
  slowSliceRows,
  type JobRow,
  type JobUpdate,
} from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { sendFailureNotice } from './failure-notice.ts';

const maxTries = 50;

export async function deleteJob(system: JobSystem, id: string): Promise<void> {
  const { row } = await condemned(system, id);
  const { store, workspaces } = system;
  // A workspace that it was given stays: others go on with its variables.
  if (row.hasWorkspace === true && row.workspace === undefined) await removeOwned(workspaces.context, id);
  await removeCrashNotes(store, row);
  for (let tries = 0; tries < maxTries; tries++) {
    for (const collection of [jobInboxRows, jobCallRows, jobEventRows, jobPastRows, slowSliceRows, ...system.owned])
      await removeAll(store, collection, id);
    // Texts of the workspace are kept under its name, which may be the job's.
    if (row.workspace !== id) await removeAll(store, largeTextRows, id);
    const known = await system.read(id);
    if (known === undefined) return;
    const { checks, writes } = removal(known);
    const [result] = await store.commit([{ checks, writes }]);
    // Something of it has been written meanwhile, such as a notice of a child.
    if (result?.status === 'committed') return;
  }
  throw new StoreConflictError(`The job '${id}' is being changed by others; try again.`, { id });
}

/** A fork that waits for what the job had asked for: deleting the job would take that along. */
export async function forkInNeed(
  { store }: JobSystem,
  { id, hasWorkspace, workspace }: JobRow,
): Promise<{ readonly fork: string; readonly label: string } | undefined> {
  return hasWorkspace === true && workspace === undefined ? waitingFork(store, id) : undefined;
}

/** From here on nothing starts it again. What its end still asked for is done first: nobody would know of it afterwards. */
async function condemned(system: JobSystem, id: string): Promise<KnownJob> {
  for (let tries = 0; tries < maxTries; tries++) {
    const known = await mustRead(system, id);
    const { row } = known;
    if (row.status !== 'DONE')
      throw new JobStateError(
        `The job '${id}' is ${row.status}; only a job that is over can be deleted. Cancel it first.`,
        { id },
      );
    if (row.deleting === true) return known;
    const waiting = await forkInNeed(system, row);
    if (waiting !== undefined)
      throw new JobStateError(
        `The job '${id}' cannot be deleted: its fork '${waiting.fork}' waits for the same as it did, ${waiting.label}. Delete the fork first, or let it go on.`,
        { id, ...waiting },
      );
    const { telling } = row;
    if (telling !== undefined) {
      if (!system.drivers.has(row.role))
        throw new JobStateError(
          `The job '${id}' has ended without a result, and its tools have not been told yet. Delete it when a worker of '${row.role}' has done that.`,
          { id },
        );
      // It keeps its place in the queue: if this process dies over it, a worker tells it again.
      const isBegun = telling.begun === true;
      if (!isBegun && !(await changed(system, known, { telling: { ...telling, begun: true } }))) continue;
      await sendFailureNotice(system, row, telling, isBegun);
    }
    if (row.hasChildren === true) await cancelChildren(system, row);
    const latest = await mustRead(system, id);
    if (latest.row.status !== 'DONE' || latest.row.ended !== row.ended) continue;
    await changed(system, latest, { deleting: true, telling: undefined, action: null, at: null });
  }
  throw new StoreConflictError(`The job '${id}' is being changed by others; try again.`, { id });
}

async function changed(system: JobSystem, known: KnownJob, change: JobUpdate): Promise<boolean> {
  const { checks, writes } = updateJob(known, change, [], system.clock.now());
  const [result] = await system.store.commit([{ checks, writes }]);
  return result?.status === 'committed';
}
