// Submitting: a job and everything that makes it start are one commit, so there is no moment between them.
import { randomUUID } from 'node:crypto';
import { count } from '../../base/telemetry.ts';
import { chains } from '../../history/door.ts';
import {
  commitParts,
  mergeParts,
  StoreConflictError,
  type Check,
  type CommitResult,
  type Transaction,
  type TransactionPart,
} from '../../store/door.ts';
import { loadText, offloadText, workspaceRows, type WireMessage } from '../../workspace/door.ts';
import { firstMessage } from './inbox.ts';
import { creation, type KnownJob } from './job-changes.ts';
import { JobStateError } from '../errors.ts';
import { newJob, type JobOptions } from './new-job.ts';
import { jobInboxRows, workspaceHolderRows, type JobParent, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { shareWorkspace, takeWorkspace } from './workspace-holders.ts';

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
  const body = options.message === undefined ? undefined : system.shared.encode(options.message, 'The message');
  const { checks, writes } = creation(row, [{ kind: 'submitted', data: { role } }]);
  return {
    row,
    // A job has its own workspace under its own name, so nobody else may be using one of that name.
    checks:
      row.workspace === undefined
        ? [...checks, { kind: 'absent', collection: workspaceHolderRows, key: [row.id] }]
        : checks,
    writes: [...writes, ...input.writes, ...vars.writes, ...firstMessage(row.id, body, row.created)],
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
  for (const { labels } of new Map(all.map((one) => [String(one.labels), one])).values())
    await system.tenants.refuseFull(labels, where);
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
    if (existing === undefined && result?.conflict.collection === workspaceHolderRows.name)
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

/** Submits a job for a given workspace: as its holder, or with a place in the queue for it. */
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
    const queued = isLater ? undefined : await takeWorkspace(system, id, workspace);
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

/** What a job is given, as it is kept: whoever submits it need not have the services it names. */
export type StoredSubmission = {
  readonly role: string;
  readonly input: WireMessage;
  readonly vars: WireMessage;
  readonly message?: WireMessage;
  readonly priority: number;
  readonly labels: readonly string[];
  readonly retry?: JobRow['retry'];
  readonly keep?: number;
  readonly workspace?: string;
};

/** The options of a job, checked and put down for later. */
export function storedSubmission(
  system: JobSystem,
  role: string,
  options: JobOptions,
  where: string,
): StoredSubmission {
  const { input, vars, priority, labels, retry, keep, workspace } = newJob(system, role, options, where);
  const { message } = options;
  return {
    role,
    // A new row has them whole.
    input: input as WireMessage,
    vars: vars as WireMessage,
    ...(message === undefined ? {} : { message: system.shared.encode(message, 'The message') }),
    priority,
    labels,
    ...(retry && { retry }),
    ...(keep === undefined ? {} : { keep }),
    ...(workspace === undefined ? {} : { workspace }),
  };
}

/** A time of a schedule. */
export interface ScheduledTime {
  readonly name: string;
  readonly due: number;
}

/** Submits a job that was put down, in one commit with something else; it conflicts if there is a job of that id. */
export async function submitStored(
  system: JobSystem,
  { role, input, vars, message, priority, labels, retry, keep, workspace }: StoredSubmission,
  more: {
    readonly id: string;
    /** What the first event of the job says beside its role. */
    readonly data?: Readonly<Record<string, string>>;
    /** The schedule it belongs to, and the time that it is for. */
    readonly schedule?: ScheduledTime | undefined;
    readonly also?: TransactionPart;
  },
): Promise<CommitResult> {
  const { id, data, schedule, also } = more;
  if (workspace !== undefined) await shareWorkspace(system, workspace);
  const queued = workspace === undefined ? undefined : await takeWorkspace(system, id, workspace);
  const options = {
    id,
    priority,
    labels,
    workspace,
    ...(retry && { retry }),
    ...(keep === undefined ? {} : { keepFor: keep }),
  };
  const fresh = newJob(system, role, options, 'submit', { turn: queued?.turn });
  const offloaded = { input: offloadText(id, input), vars: offloadText(id, vars) };
  const row: JobRow = {
    ...fresh,
    input: offloaded.input.text,
    vars: offloaded.vars.text,
    messages: { next: message === undefined ? 1 : 2, read: 0 },
    ...(schedule === undefined ? {} : { schedule: schedule.name, due: schedule.due }),
  };
  const made = creation(row, [{ kind: 'submitted', data: { role, ...data } }]);
  const writes = [...offloaded.input.writes, ...offloaded.vars.writes, ...firstMessage(id, message, row.created)];
  const place = queued?.also ?? { checks: isFree(id) };
  const result = await commitParts(system.store, [made, { writes }, place, also]);
  if (result.status === 'committed') count('statek.jobs.submitted', { role }, 1);
  return result;
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
  const stored: StoredSubmission = {
    role,
    input: await loadText(system.store, row.id, row.input),
    vars: await loadText(system.store, row.id, row.vars),
    ...(isFirst ? { message: first.value.body } : {}),
    priority,
    labels,
    ...(retry && { retry }),
    ...(keep === undefined ? {} : { keep }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  const schedule =
    row.schedule === undefined || row.due === undefined ? undefined : { name: row.schedule, due: row.due };
  for (let tries = 0; tries < maxTries; tries++) {
    const newId = id ?? randomUUID();
    const result = await submitStored(system, stored, { id: newId, data: { again: row.id }, schedule });
    if (result.status === 'committed') return newId;
    if ((await system.read(newId)) !== undefined)
      throw new JobStateError(`There is a job '${newId}' already. Choose another id.`, { id: newId });
    refuseTaken(newId, result.conflict.collection);
  }
  throw new StoreConflictError(`Many jobs are submitted at once; try again.`, { id: row.id });
}
