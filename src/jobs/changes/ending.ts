// The end of a job: its result, the one who waits for it, its children, and when it is forgotten; or another try.
import { count, recordDuration } from '../../base/telemetry.ts';
import {
  cancellation,
  cancellations,
  encodeWire,
  errorMessage,
  futureRows,
  handlesOf,
  isOpen,
  pauseAfter,
  settlement,
  signalWithdrawal,
  unchangedFutures,
  undefinedMessage,
  workspaceRows,
  type FutureReference,
  type FutureRow,
  type WireMessage,
} from '../../workspace/door.ts';
import { emptyPart, mergeParts, type TransactionPart, type Write } from '../../store/door.ts';
import { placeFrom, type JobEvent } from './job-changes.ts';
import { JobFailedError } from '../errors.ts';
import { delivery } from './inbox.ts';
import type { JobError, JobRow, JobUpdate } from '../rows.ts';
import { SharedValues } from '../shared-values.ts';
import type { JobOutcome } from '../states.ts';
import type { JobSystem } from '../system.ts';
import { scheduleWoken } from '../schedules/rows.ts';
import { passWorkspaceOn, workspaceOf } from './workspace-holders.ts';

/** What a change of a job consists of, before it is put together. */
export interface PlannedChange {
  readonly change: JobUpdate;
  readonly events: readonly JobEvent[];
  readonly also: TransactionPart;
}

export interface Ending {
  readonly outcome: JobOutcome;
  /** As a message. */
  readonly result?: WireMessage;
  readonly error?: JobError;
  /** It is not tried again, whatever the job says about retries. */
  readonly isFinal?: true;
}

export async function ending(
  system: JobSystem,
  row: JobRow,
  end: Ending,
  waiting: readonly FutureReference[] = [],
): Promise<PlannedChange> {
  const now = system.clock.now();
  const mayRetry = end.outcome === 'failed' && end.isFinal !== true && row.cancelling === undefined;
  const pause = mayRetry ? pauseAfter(row.retry, row.failures + 1) : undefined;
  if (pause !== undefined) return anotherTry(system, row, end, now + pause, waiting);
  const parent = await toldParent(system, row, end);
  const pending = await forgotten(system, row, end.outcome, waiting);
  const passed = await passWorkspaceOn(system, row, now);
  const sweeps = row.hasChildren === true;
  const isTold = end.outcome !== 'completed' && system.drivers.get(row.role)?.failed !== undefined;
  const queued = sweeps || isTold;
  count('statek.jobs.done', { role: row.role, outcome: end.outcome });
  recordDuration('statek.job.duration', now - row.created, { role: row.role, outcome: end.outcome });
  return {
    change: {
      status: 'DONE',
      outcome: end.outcome,
      result: end.result,
      error: end.error,
      action: sweeps ? { kind: 'sweep' } : null,
      at: queued ? (row.at ?? placeFrom(row, now)) : null,
      timers: row.keep === undefined ? {} : { purge: now + row.keep },
      cancelling: undefined,
      paused: undefined,
      ...passed.change,
      ...(isTold ? { telling: { outcome: end.outcome, ...(end.error && { error: end.error }) } } : {}),
      ...(row.action?.kind === 'run' && row.action.step !== undefined && end.outcome === 'limit'
        ? { interrupted: row.action.step }
        : {}),
      ended: now,
      crashes: 0,
      mishaps: 0,
    },
    events: [{ kind: 'done', data: { outcome: end.outcome, ...(end.error && { error: end.error.message }) } }],
    also: {
      checks: [...parent.checks, ...pending.checks, ...passed.also.checks],
      writes: [...parent.writes, ...pending.writes, ...passed.also.writes, ...scheduleWoken(row.schedule, now).writes],
    },
  };
}

async function anotherTry(
  system: JobSystem,
  row: JobRow,
  { error }: Ending,
  due: number,
  waiting: readonly FutureReference[],
): Promise<PlannedChange> {
  const { start: _start, ...timers } = row.timers;
  const { context } = system.workspaces;
  return {
    change: {
      status: 'READY',
      action: null,
      state: null,
      turns: 0,
      // What was said to it is said again.
      messages: { ...row.messages, read: 0 },
      at: null,
      failures: row.failures + 1,
      timers: { ...timers, wake: due },
      error,
    },
    events: [{ kind: 'retry', data: { due, error: error?.message ?? '' } }],
    // What the next try waits for must not come to this one.
    also: await cancellations(context, workspaceOf(row), waiting, `the job '${row.id}' failed, and is tried again.`),
  };
}

/**
 * Nobody will deliver what a job that is over still waited for. One that may be started again waits on then; meanwhile it
 * takes no signals, which others may be waiting for.
 */
async function forgotten(
  system: JobSystem,
  row: JobRow,
  outcome: JobOutcome,
  waiting: readonly FutureReference[],
): Promise<TransactionPart> {
  const own = waiting.filter(({ workspace }) => workspace === workspaceOf(row));
  if (own.length === 0) return emptyPart;
  if (!canStartAgain(system, row))
    return cancellations(system.workspaces.context, workspaceOf(row), own, whyLeft(row, outcome));
  const entries = await system.store.read(
    futureRows,
    own.map(({ workspace, number }) => [workspace, number]),
  );
  const open = entries.flatMap((entry) =>
    entry !== undefined && entry.value.kind === 'signal' && isOpen(entry.value) && entry.value.sharedWith.length === 0
      ? [entry]
      : [],
  );
  return {
    checks: unchangedFutures(open),
    writes: open.flatMap(({ value }) => signalWithdrawal(value)),
  };
}

/**
 * The same for what the slice that ends the job has asked for, which is not in the store yet. Calls are made under the lease
 * that a job gives up with its end: only in a given workspace, whose lease stays, they are still made. Children are told by
 * themselves.
 */
export function leftBehind(
  system: JobSystem,
  row: JobRow,
  { status, outcome = 'failed' }: JobUpdate,
  asked: readonly FutureRow[],
): readonly Write[] {
  if (status !== 'DONE' && status !== 'READY') return [];
  if (status === 'DONE' && canStartAgain(system, row)) return asked.flatMap(signalWithdrawal);
  const isLeft = (future: FutureRow): boolean =>
    future.kind === 'call' ? row.workspace === undefined || future.approval === 'needed' : !('request' in future);
  return asked.filter(isLeft).flatMap((future) => cancellation(future, whyLeft(row, outcome)));
}

function canStartAgain(system: JobSystem, { role }: JobRow): boolean {
  return system.drivers.get(role)?.reopens === true;
}

function whyLeft({ id }: JobRow, outcome: JobOutcome): string {
  return `the job '${id}' is over (${outcome}).`;
}

async function toldParent(system: JobSystem, row: JobRow, end: Ending): Promise<TransactionPart> {
  const { parent } = row;
  if (parent === undefined) return emptyPart;
  if (parent.future === undefined) {
    if (row.answered === true) return emptyPart;
    return delivery(system, parent.job, { kind: 'notice', from: row.id, body: noticeOf(system, row, end) });
  }
  const { job, workspace = job } = parent;
  const [entry] = await system.store.read(futureRows, [[workspace, parent.future]]);
  if (entry === undefined || entry.value.outcome !== undefined) return emptyPart;
  const outcome =
    end.outcome === 'completed'
      ? { failed: false, value: await forWorkspace(system, workspace, answerOf(system, row, end.result)) }
      : { failed: true, value: errorMessage(failureOf(row, end)) };
  return mergeParts(
    { checks: unchangedFutures([entry]) },
    await settlement(system.workspaces.context, entry.value, outcome),
  );
}

/** What the parent waits for: the result, and in a conversation also whose it is. */
function answerOf(system: JobSystem, { id, parent }: JobRow, result = undefinedMessage): WireMessage {
  if (parent?.dialog !== true) return result;
  return system.shared.encode({ id, answer: system.shared.decode(result) }, 'The answer');
}

/** A result names services by their names; a program knows them by tokens of its own. */
async function forWorkspace(system: JobSystem, id: string, message: WireMessage): Promise<WireMessage> {
  if (!SharedValues.hasServices(message)) return message;
  const { context } = system.workspaces;
  const [workspace] = await system.store.read(workspaceRows, [[id]]);
  if (workspace === undefined) return message;
  const handles = handlesOf(context, workspace.value, new Map());
  return encodeWire(system.shared.decode(message), {
    maxBytes: Number.POSITIVE_INFINITY,
    handleFor: (object) => handles.tokenFor(object),
  });
}

export function failureOf({ id, role }: Pick<JobRow, 'id' | 'role'>, { outcome, error }: Ending): JobFailedError {
  const how = outcome === 'limit' ? 'reached a limit' : outcome === 'cancelled' ? 'was cancelled' : 'failed';
  // A job's own error says that it has reached a limit, too.
  const why = error === undefined ? '' : `: ${error.message.replace(/^The job has reached a limit: /, '')}`;
  return new JobFailedError(`The job '${id}' (${role}) ${how}${why}`, { id, outcome, error });
}

function noticeOf(system: JobSystem, row: JobRow, { outcome, result, error }: Ending): WireMessage {
  const told = {
    id: row.id,
    state: 'DONE',
    outcome,
    ...(result === undefined ? {} : { result: system.shared.decode(result) }),
    ...(error === undefined ? {} : { error: error.message }),
  };
  return system.shared.encode(told, 'The result');
}

/** An error as it is kept with a job. */
export function jobErrorOf(error: unknown): JobError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { code } = error as { code?: unknown };
  return { name: error.name, message: error.message, ...(typeof code === 'string' ? { code } : {}) };
}
