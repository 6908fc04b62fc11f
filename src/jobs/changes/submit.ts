// Submitting: a job and everything that makes it start are one commit, so there is no moment between them.
import { randomUUID } from 'node:crypto';
import { count } from '../../base/telemetry.ts';
import { chains } from '../../history/door.ts';
import {
  commitParts,
  mergeParts,
  StoreConflictError,
  type Check,
  type Transaction,
  type TransactionPart,
  type Write,
} from '../../store/door.ts';
import { loadText, offloadText, workspaceRows } from '../../workspace/door.ts';
import { creation, type KnownJob } from './job-changes.ts';
import { JobStateError } from '../errors.ts';
import { newJob, type JobOptions } from './new-job.ts';
import { jobInboxRows, turnRows, type InboxRow, type JobParent, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { shareWorkspace, takeTurn } from './turns.ts';

const maxTries = 1000;

/** The writes that make a job; of a parent's slice too. */
export function submission(
  system: JobSystem,
  role: string,
  options: JobOptions,
  where: string,
  more: { readonly parent?: JobParent; readonly turn?: JobRow['turn'] } = {},
): TransactionPart & { readonly row: JobRow } {
  const made = newJob(system, role, options, where, more);
  // The row of a job is written with each of its steps; what is large and never changes is not part of it.
  const input = offloadText(made.id, made.input);
  const vars = offloadText(made.id, made.vars);
  const row = { ...made, input: input.text, vars: vars.text };
  const { checks, writes } = creation(row, [{ kind: 'submitted', data: { role } }]);
  return {
    row,
    // A job has its own workspace under its own name, so nobody else may be using one of that name.
    checks: row.workspace === undefined ? [...checks, { kind: 'absent', collection: turnRows, key: [row.id] }] : checks,
    writes: [...writes, ...input.writes, ...vars.writes, ...firstMessage(system, row, options.message)],
  };
}

/** Submits jobs in one durable write; those whose ids exist already are found instead. */
export async function submitAll(
  system: JobSystem,
  role: string,
  all: readonly JobOptions[],
  where: string,
  also?: TransactionPart,
): Promise<string[]> {
  // Jobs for a given workspace come one after another, because each stands in the queue behind the one before it.
  if (all.some(({ workspace }) => workspace !== undefined)) {
    const ids: string[] = [];
    for (const options of all)
      ids.push(
        options.workspace === undefined
          ? ((await submitAll(system, role, [options], where, also))[0] as string)
          : await submitInto(system, role, { ...options, workspace: options.workspace }, where, also),
      );
    return ids;
  }
  const made = all.map((options) => submission(system, role, options, where));
  const results = await system.store.commit(
    // Whatever becomes of one of them, the others need what is written with them.
    made.map((part): Transaction => mergeParts(part, { checks: isFree(part.row.id) }, also)),
  );
  count('statek.jobs.submitted', { role }, made.length);
  for (const [index, { row }] of made.entries()) {
    const result = results[index];
    if (result?.status === 'committed') continue;
    const existing = await system.read(row.id);
    if (existing === undefined && result?.conflict.collection === turnRows.name)
      throw new JobStateError(
        `'${row.id}' is the name of a workspace that jobs are given. Choose another id, or give the job this workspace.`,
        { id: row.id },
      );
    if (existing === undefined) refuseTaken(row.id, result?.conflict.collection);
    if (existing === undefined)
      throw new StoreConflictError(`The job '${row.id}' could not be submitted: ${result?.conflict.message ?? ''}`, {
        id: row.id,
      });
    refuseAnother(existing.row, row);
  }
  return made.map(({ row }) => row.id);
}

function refuseAnother(existing: JobRow, row: JobRow): void {
  const isSame = (['role', 'input', 'vars', 'workspace'] as const).every((name) => existing[name] === row[name]);
  if (isSame) return;
  throw new JobStateError(
    `There is another job '${row.id}', of the role '${existing.role}' or with other input. Choose another id.`,
    { id: row.id },
  );
}

/** Submits a job for a given workspace: with its turn there, or with its place in the queue for it. */
async function submitInto(
  system: JobSystem,
  role: string,
  options: JobOptions & { readonly workspace: string },
  where: string,
  also: TransactionPart | undefined,
): Promise<string> {
  const { id = randomUUID(), workspace, startAt } = options;
  for (let tries = 0; tries < maxTries; tries++) {
    // What is wrong with the options is said before anything is changed.
    const checked = newJob(system, role, { ...options, id }, where);
    const existing = await system.read(id);
    if (existing !== undefined) {
      refuseAnother(existing.row, submission(system, role, { ...options, id }, where).row);
      return id;
    }
    await shareWorkspace(system, workspace);
    // One that is to start later takes its place when it starts.
    const isLater = startAt !== undefined && checked.at === null;
    const queued = isLater ? undefined : await takeTurn(system, id, workspace);
    const made = submission(system, role, { ...options, id }, where, { turn: queued?.turn });
    const result = await commitParts(system.store, [made, queued?.also, also]);
    if (result.status !== 'committed') continue;
    count('statek.jobs.submitted', { role }, 1);
    return id;
  }
  throw new StoreConflictError(`Many jobs are submitted to the workspace '${workspace}' at once; try again.`, {
    workspace,
  });
}

/** A job has a workspace of its own under its own name, so nobody else may have one of that name. */
function isFree(id: string): Check[] {
  return [
    { kind: 'absent', collection: workspaceRows, key: [id] },
    { kind: 'absent', collection: chains, key: [id] },
  ];
}

/** Says why an id is not free, if that was in the way. */
function refuseTaken(id: string, inTheWay: string | undefined): void {
  if (inTheWay === chains.name)
    throw new JobStateError(
      `A job or workspace '${id}' was deleted, and what its history took is not freed yet. Run kit.gc() or statek gc, or choose another id.`,
      { id },
    );
  if (inTheWay !== workspaceRows.name) return;
  throw new JobStateError(
    `There is a workspace '${id}' already, and a job has one of its own under its id. Choose another id, or give the job this workspace.`,
    { id },
  );
}

/** Submits a new job that is given what one that is over was given; nothing of what that one did is taken over. */
export async function submitAgain(system: JobSystem, { row }: KnownJob, id: string | undefined): Promise<string> {
  if (row.status !== 'DONE')
    throw new JobStateError(`The job '${row.id}' is ${row.status}; only a job that is over can be submitted again.`, {
      id: row.id,
    });
  const { role, priority, labels, retry, keep, workspace } = row;
  if (workspace !== undefined && workspace !== row.id) await shareWorkspace(system, workspace);
  const [first] = await system.store.read(jobInboxRows, [[row.id, 1]]);
  const isFirst = first !== undefined && first.value.kind === 'message' && first.value.time === row.created;
  // As it is kept, so that whoever asks need not have the services it names.
  const whole = {
    input: await loadText(system.store, row.id, row.input),
    vars: await loadText(system.store, row.id, row.vars),
  };
  for (let tries = 0; tries < maxTries; tries++) {
    const newId = id ?? randomUUID();
    const queued = workspace === undefined ? undefined : await takeTurn(system, newId, workspace);
    const fresh = newJob(
      system,
      role,
      {
        id: newId,
        priority,
        labels,
        workspace,
        ...(retry && { retry }),
        ...(keep === undefined ? {} : { keepFor: keep }),
      },
      'job.again',
      { turn: queued?.turn },
    );
    const input = offloadText(fresh.id, whole.input);
    const vars = offloadText(fresh.id, whole.vars);
    const again: JobRow = {
      ...fresh,
      input: input.text,
      vars: vars.text,
      messages: { next: isFirst ? 2 : 1, read: 0 },
    };
    const { checks, writes } = creation(again, [{ kind: 'submitted', data: { role, again: row.id } }]);
    const message: Write[] = isFirst
      ? [
          {
            kind: 'put',
            collection: jobInboxRows,
            key: [again.id, 1],
            value: { ...first.value, time: again.created } satisfies InboxRow,
          },
        ]
      : [];
    const [result] = await system.store.commit([
      {
        checks: [...checks, ...(queued?.also.checks ?? isFree(again.id))],
        writes: [...writes, ...input.writes, ...vars.writes, ...message, ...(queued?.also.writes ?? [])],
      },
    ]);
    if (result?.status === 'committed') {
      count('statek.jobs.submitted', { role }, 1);
      return again.id;
    }
    if ((await system.read(again.id)) !== undefined)
      throw new JobStateError(`There is a job '${again.id}' already. Choose another id.`, { id: again.id });
    refuseTaken(again.id, result?.conflict.collection);
  }
  throw new StoreConflictError(`Many jobs are submitted at once; try again.`, { id: row.id });
}

function firstMessage(system: JobSystem, row: JobRow, message: unknown): Write[] {
  if (message === undefined) return [];
  const value: InboxRow = {
    number: 1,
    kind: 'message',
    body: system.shared.encode(message, 'The message'),
    time: row.created,
  };
  return [{ kind: 'put', collection: jobInboxRows, key: [row.id, 1], value }];
}
