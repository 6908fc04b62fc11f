// The end of a job: its result, the one who waits for it, its children, and when it is forgotten; or another try.
import { count, recordDuration } from '../../base/telemetry.ts';
import { errorMessage } from '../../workspace/futures/arrivals.ts';
import { cancellations } from '../../workspace/futures/cancel.ts';
import { emptyPart, type TransactionPart } from '../../store/transaction-part.ts';
import { handlesOf } from '../../workspace/slices/loaded.ts';
import { futureRows, workspaceRows, type FutureReference } from '../../workspace/rows.ts';
import { settlement } from '../../workspace/futures/settlement.ts';
import { encodeWire } from '../../workspace/wire/encode.ts';
import { pauseAfter } from '../../workspace/bridge/call-options.ts';
import { placeFrom, type JobEvent } from './job-changes.ts';
import { JobFailedError } from '../errors.ts';
import { delivery } from './inbox.ts';
import type { JobError, JobRow, JobUpdate } from '../rows.ts';
import { SharedValues } from '../shared-values.ts';
import type { JobOutcome } from '../states.ts';
import type { JobSystem } from '../system.ts';
import { passTurn, workspaceOf } from './turns.ts';

/** What a change of a job consists of, before it is put together. */
export interface PlannedChange {
  readonly change: JobUpdate;
  readonly events: readonly JobEvent[];
  readonly also: TransactionPart;
}

export interface Ending {
  readonly outcome: JobOutcome;
  /** As a message. */
  readonly result?: string;
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
  if (pause !== undefined) return anotherTry(row, end, now + pause);
  const parent = await toldParent(system, row, end);
  const pending = await forgotten(system, row, waiting);
  const turn = await passTurn(system, row, now);
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
      ...turn.change,
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
      checks: [...parent.checks, ...pending.checks, ...turn.also.checks],
      writes: [...parent.writes, ...pending.writes, ...turn.also.writes],
    },
  };
}

function anotherTry(row: JobRow, { error }: Ending, due: number): PlannedChange {
  const { start: _start, ...timers } = row.timers;
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
    also: emptyPart,
  };
}

/** Nobody will deliver what a job that is over still waited for, unless it may be started again. */
async function forgotten(
  system: JobSystem,
  row: JobRow,
  waiting: readonly FutureReference[],
): Promise<TransactionPart> {
  if (waiting.length === 0 || system.drivers.get(row.role)?.reopens === true) return emptyPart;
  return cancellations(system.workspaces.context, workspaceOf(row), waiting);
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
  const { checks, writes } = await settlement(system.workspaces.context, entry.value, outcome);
  return {
    checks: [{ kind: 'revision', collection: futureRows, key: entry.key, revision: entry.revision }, ...checks],
    writes,
  };
}

/** What the parent waits for: the result, and in a conversation also whose it is. */
function answerOf(system: JobSystem, { id, parent }: JobRow, result = '[["u"]]'): string {
  if (parent?.dialog !== true) return result;
  return system.shared.encode({ id, answer: system.shared.decode(result) }, 'The answer');
}

/** A result names services by their names; a program knows them by tokens of its own. */
async function forWorkspace(system: JobSystem, id: string, message: string): Promise<string> {
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
  const how = outcome === 'limit' ? 'met a limit' : outcome === 'cancelled' ? 'was cancelled' : 'failed';
  const why = error === undefined ? '' : `: ${error.message}`;
  return new JobFailedError(`The job '${id}' (${role}) ${how}${why}`, { id, outcome, error });
}

function noticeOf(system: JobSystem, row: JobRow, { outcome, result, error }: Ending): string {
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
