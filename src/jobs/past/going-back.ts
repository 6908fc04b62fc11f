// A job whose program goes back to an older commit goes back with it, in the same commit; and a job that begins at one.
import { randomUUID } from 'node:crypto';
import type { Json } from '../../history/door.ts';
import type { Store, TransactionPart } from '../../store/door.ts';
import {
  loadText,
  metadataOf,
  offloadText,
  WorkspaceBusyError,
  type GoingBack,
  type WireMessage,
} from '../../workspace/door.ts';
import { firstMessage } from '../changes/inbox.ts';
import { updateJob, creation, placeFrom, updated } from '../changes/job-changes.ts';
import { JobStateError } from '../errors.ts';
import { refuseDeleted } from '../changes/control.ts';
import { pastOf, restored, type RestoringParts } from './restoring.ts';
import { workspaceHolderRows, type JobAction, type JobMark, type JobRow, type JobUpdate } from '../rows.ts';
import { usersOf, workspaceOf } from '../changes/workspace-holders.ts';

/** What the job of a workspace becomes when the workspace goes back. */
export async function jobGoingBack(parts: RestoringParts, going: GoingBack): Promise<TransactionPart> {
  const { workspace, commit, current, nextFuture } = going;
  const [known] = await usersOf(parts.store, [workspace]);
  if (known === undefined) return betweenJobs(parts.store, workspace);
  const { row } = known;
  refuseDeleted(row);
  if (row.workspace !== undefined && (await pastOf(parts.store, row, commit)) === undefined)
    throw new WorkspaceBusyError(
      `The workspace '${workspace}' is used by the job '${row.id}', which was not there at that commit. Wait until it is over.`,
      { workspace, job: row.id },
    );
  const now = parts.clock.now();
  const { past, restored: then } = await restored(parts, row, workspace, commit, { isRunning: current !== null, now });
  const from: JobMark = { nextFuture, nextCall: row.nextCall, nextEvent: row.nextEvent };
  const change: JobUpdate = {
    outcome: undefined,
    result: undefined,
    error: undefined,
    ended: undefined,
    status: row.status === 'DONE' ? 'STARTED' : 'SUSPENDED',
    action: actionAt(current),
    at: row.at ?? placeFrom(row, now),
    state: then.state,
    ...(past === undefined ? {} : { back: [...(row.back ?? []), { from, to: markOf(past) }] }),
    // What the driver had wanted to do next belongs to what was taken back.
    turns: 0,
  };
  const events = [{ kind: 'reopened' as const, data: { commit } }];
  const { checks, writes } = updateJob(known, change, events, now);
  return { checks, writes: [...writes, ...then.writes] };
}

/** Nobody must have taken the workspace meanwhile. */
async function betweenJobs(store: Store, workspace: string): Promise<TransactionPart> {
  const [entry] = await store.read(workspaceHolderRows, [[workspace]]);
  const place = { collection: workspaceHolderRows, key: [workspace] };
  return {
    checks: [
      entry === undefined ? { kind: 'absent', ...place } : { kind: 'revision', ...place, revision: entry.revision },
    ],
    writes: [],
  };
}

/** In what a fork differs from the job it comes from. */
export interface JobEdits {
  readonly goesOn: boolean;
  /** Its driver waits for no messages: at a commit before its first step, it begins. */
  readonly begins: boolean;
  /** Its first message. */
  readonly body: WireMessage | undefined;
  /** In the words of the layer above. */
  readonly definition: Json | undefined;
}

/**
 * What makes a job of its own out of a commit of another one; to be written with the fork of its workspace. With `goesOn`, its driver
 * is asked what to do next, where otherwise the job would wait for a message.
 */
export async function jobAtCommit(
  parts: RestoringParts,
  row: JobRow,
  { workspace: id, commit, current }: GoingBack,
  { goesOn, begins, body, definition }: JobEdits,
): Promise<TransactionPart> {
  if (row.workspace !== undefined && (await pastOf(parts.store, row, commit)) === undefined)
    throw new JobStateError(
      `The job '${row.id}' was not at work at the commit ${commit.slice(0, 12)}. Fork the workspace '${row.workspace}' instead.`,
      { id: row.id, commit },
    );
  const now = parts.clock.now();
  const isRunning = current !== null;
  const more = { isRunning, now, fork: id, ...(definition === undefined ? {} : { definition }) };
  const { past, restored: then } = await restored(parts, row, workspaceOf(row), commit, more);
  const isBeginning = begins && !isRunning && (await isBeforeFirstStep(parts, row, commit));
  const input = offloadText(id, await loadText(parts.store, row.id, row.input));
  const vars = offloadText(id, await loadText(parts.store, row.id, row.vars));
  const { role, priority, labels, retry, keep, version, needs, pinned, schedule, due } = row;
  const fork: JobRow = updated(
    {
      id,
      role,
      forkedFrom: { job: row.id, commit, ...(past === undefined ? {} : { mark: markOf(past) }) },
      input: input.text,
      vars: vars.text,
      whenParentEnds: 'cancel',
      priority,
      labels,
      created: now,
      updated: now,
      status: 'SUSPENDED',
      at: isRunning || goesOn || isBeginning ? placeFrom(row, now) : null,
      timers: {},
      state: isBeginning ? null : then.state,
      action: isBeginning ? null : goesOn && !isRunning ? { kind: 'wait', until: now } : actionAt(current),
      turns: 0,
      messages: { next: body === undefined ? 1 : 2, read: 0 },
      nextCall: past?.nextCall ?? row.nextCall,
      nextEvent: 1,
      hasWorkspace: true,
      failures: row.failures,
      crashes: 0,
      mishaps: 0,
    },
    { retry, keep, version, needs, pinned, schedule, due },
  );
  const { checks, writes } = creation(fork, [{ kind: 'submitted', data: { role, forkedFrom: row.id, commit } }]);
  return {
    checks: [...checks, { kind: 'absent', collection: workspaceHolderRows, key: [id] }],
    writes: [...writes, ...input.writes, ...vars.writes, ...then.writes, ...firstMessage(id, body, now)],
  };
}

/** The program had its variables, and its driver had not been asked yet. */
async function isBeforeFirstStep({ history }: RestoringParts, row: JobRow, commit: string): Promise<boolean> {
  const { kind } = metadataOf(await history.find(workspaceOf(row), commit));
  return row.workspace === undefined && (kind === 'created' || kind === 'variables');
}

export function nameOfFork({ id }: JobRow): string {
  return `${id.slice(0, 170)}-${randomUUID().slice(0, 8)}`;
}

function markOf({ nextFuture, nextCall, nextEvent }: JobMark): JobMark {
  return { nextFuture, nextCall, nextEvent };
}

function actionAt(current: number | null): JobAction {
  return current === null ? { kind: 'wait' } : { kind: 'run', step: current };
}
