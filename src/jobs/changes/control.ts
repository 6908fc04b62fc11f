// What people and programs ask of a job from outside: each is a change of its row that whoever works on it will see.
import { StoreConflictError, type TransactionPart } from '../../store/door.ts';
import { NotFoundError } from '../../workspace/door.ts';
import { updateJob, placeFrom, workItem, type JobEvent, type KnownJob } from './job-changes.ts';
import { JobStateError } from '../errors.ts';
import { canReopen, delivery, reopening, wasSaid } from './inbox.ts';
import { partFor, workKey } from '../queue-place.ts';
import { jobWorkRows, type JobRow, type JobUpdate } from '../rows.ts';
import type { JobSystem } from '../system.ts';

const maxTries = 50;

/** Changes a job, beginning anew while others are faster. Nothing is done if `change` says so. */
export async function changeJob(
  system: JobSystem,
  id: string,
  change: (known: KnownJob, now: number) => Promise<TransactionPart | undefined> | TransactionPart | undefined,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const also = await change(await mustRead(system, id), system.clock.now());
    if (also === undefined) return;
    const [result] = await system.store.commit([{ checks: also.checks, writes: also.writes }]);
    if (result?.status === 'committed') return;
  }
  throw new StoreConflictError(`The job '${id}' is being changed by others; try again.`, { id });
}

export async function mustRead(system: JobSystem, id: string): Promise<KnownJob> {
  const known = await system.read(id);
  if (known === undefined) throw new NotFoundError(`There is no job '${id}'.`, { id });
  return known;
}

/** A job that has not begun ends at once; any other gets the time to clean up. */
export async function requestCancel(system: JobSystem, id: string, reason: string): Promise<void> {
  await changeJob(system, id, async (known, now) => {
    const { row } = known;
    if (row.status === 'DONE' || row.cancelling !== undefined) return undefined;
    const change = { cancelling: { reason }, paused: undefined };
    const event = { kind: 'cancelling', data: { reason } } as const;
    // A job that waits to be started, or is paused, must be seen too.
    return touched(known, { ...change, ...(await movedBy(system, row, change)) }, event, now);
  });
}

export async function requestPause(system: JobSystem, id: string): Promise<void> {
  await changeJob(system, id, (known, now) => {
    if (known.row.status === 'DONE') throw new JobStateError(`The job '${id}' is over; it cannot be paused.`, { id });
    if (known.row.paused === true) return undefined;
    return touched(known, { paused: true }, { kind: 'paused' }, now, false);
  });
}

/** A job that is pinned to a version goes on under any later one, too. */
export async function requestUnpin(system: JobSystem, id: string): Promise<void> {
  await changeJob(system, id, async (known, now) => {
    const { row } = known;
    if (row.pinned !== true) return undefined;
    const change = { pinned: undefined, unpinned: true } as const;
    const moved = await movedBy(system, row, change);
    return updateJob(known, { ...change, ...moved }, [{ kind: 'version', data: { pinned: false } }], now);
  });
}

/** Ends a pause; starts a job again that is over, whatever its outcome was, if its driver can. */
export async function requestResume(system: JobSystem, id: string): Promise<void> {
  await changeJob(system, id, async (known, now) => {
    const { row } = known;
    if (row.lookOnly === true)
      throw new JobStateError(
        `The job '${id}' came out of a file without secrets and can only be looked at. Export it with secrets to let it go on here.`,
        { id },
      );
    if (row.status === 'DONE') {
      refuseDeleted(row);
      // The process that works on it may be another one.
      if (!(await canReopen(system, row, 'any')))
        throw new JobStateError(`The job '${id}' is over, and a '${row.role}' cannot be started again.`, { id });
      const { checks, writes } = updateJob(
        known,
        // Nobody has sent a message: the driver is asked because the time has come.
        {
          ...reopening(row, now),
          ...timed(system, row, now),
          // A step that was cut short for lack of time goes on where it waited.
          action: row.interrupted === undefined ? { kind: 'wait', until: now } : { kind: 'run', step: row.interrupted },
        },
        [{ kind: 'reopened' }],
        now,
      );
      return { checks, writes };
    }
    if (row.paused !== true) return undefined;
    const isEarly = row.timers.start !== undefined;
    return touched(known, { paused: undefined }, { kind: 'resumed' }, now, !isEarly);
  });
}

/** A job that waits for a message goes on without one, if its driver can: it is asked because the time has come. */
export async function requestGoOn(system: JobSystem, id: string): Promise<void> {
  await changeJob(system, id, (known, now) => {
    const { row } = known;
    const isWaiting = row.action?.kind === 'wait' && row.action.until === undefined;
    if (row.status === 'DONE' || !isWaiting || system.role(row.role).reopens !== true) return undefined;
    return updateJob(known, { action: { kind: 'wait', until: now }, at: row.at ?? placeFrom(row, now) }, [], now);
  });
}

/** A step that goes on after the job was resumed has as much time as a new one. */
function timed(system: JobSystem, row: JobRow, now: number): Pick<JobUpdate, 'timers'> {
  const allowance = row.interrupted === undefined ? undefined : system.driver(row.role).allowance?.(row.state);
  return allowance === undefined ? {} : { timers: { ...row.timers, limit: now + allowance } };
}

/** How a message is sent. */
export interface SendOptions {
  /** Sent once, however often it is sent with the same key. */
  readonly key?: string | undefined;
  /** A job that was cancelled, failed or reached a limit goes on with the message, if its driver can. */
  readonly reopen?: boolean | undefined;
}

/** Puts a message into the inbox of a job. */
export async function sendMessage(
  system: JobSystem,
  id: string,
  message: unknown,
  { key, reopen = false }: SendOptions = {},
): Promise<void> {
  const body = system.shared.encode(message, 'The message');
  await changeJob(system, id, async ({ row }) => {
    refuseDeleted(row);
    // Every message changes the row of the job, so nobody sends the same one in between.
    if (key !== undefined && (await wasSaid(system, id, key))) return undefined;
    const after = reopen ? 'any' : 'completed';
    if (row.status === 'DONE' && !(await canReopen(system, row, after)))
      throw new JobStateError(
        `The job '${id}' is over (${row.outcome}) and takes no messages. ${row.outcome === 'completed' ? 'Its driver does not reopen jobs.' : 'Start it again with job.resume().'}`,
        { id },
      );
    return delivery(system, id, { kind: 'message', body, ...(key === undefined ? {} : { key }) }, {}, after);
  });
}

/** What is half gone cannot be started again. */
export function refuseDeleted({ id, deleting }: JobRow): void {
  if (deleting === true) throw new JobStateError(`The job '${id}' is being deleted.`, { id });
}

/** The change, and a place in the queue; whoever works on the job at the moment is told through its place. */
function touched(known: KnownJob, change: JobUpdate, event: JobEvent, now: number, queued = true): TransactionPart {
  const { row } = known;
  const at = row.at ?? (queued ? placeFrom(row, now) : null);
  const { checks, writes, after } = updateJob(known, { ...change, at }, [event], now);
  const stays = after.at === row.at && !('queue' in change);
  return { checks, writes: stays ? [...writes, ...retold(after)] : writes };
}

/**
 * A change may let other versions of the code work on a job that waits in its queue. One that somebody works on stays where it
 * is: it would be taken from them.
 */
export async function movedBy({ store }: JobSystem, row: JobRow, change: JobUpdate): Promise<Pick<JobUpdate, 'queue'>> {
  if (row.at === null || row.queue === undefined) return {};
  const queue = partFor({ ...row, ...change } as JobRow);
  if (JSON.stringify(queue) === JSON.stringify(row.queue)) return {};
  const holders = await store.holders(jobWorkRows, { prefix: workKey({ ...row, at: row.at }) });
  return holders.some(({ isExpired }) => !isExpired) ? {} : { queue };
}

function retold(row: JobRow): TransactionPart['writes'] {
  if (row.at === null) return [];
  return [{ kind: 'put', collection: jobWorkRows, key: workKey({ ...row, at: row.at }), value: workItem(row) }];
}
