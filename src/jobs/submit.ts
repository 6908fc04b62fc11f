// Submitting: a job and everything that makes it start are one commit, so there is no moment between them.
import { count } from '../base/telemetry.ts';
import { StoreConflictError } from '../store/errors.ts';
import type { Transaction, Write } from '../store/store.ts';
import type { Also } from '../workspace/extension.ts';
import { keptText, wholeText } from '../workspace/large-texts.ts';
import { creation, type KnownJob } from './change.ts';
import { JobStateError } from './errors.ts';
import { newJob, type SubmitOptions } from './new-job.ts';
import { jobInboxRows, type InboxRow, type JobParent, type JobRow } from './rows.ts';
import type { JobSystem } from './system.ts';

/** The writes that make a job; of a parent's slice too. */
export function submission(
  system: JobSystem,
  role: string,
  options: SubmitOptions,
  where: string,
  parent?: JobParent,
): Also & { readonly row: JobRow } {
  const made = newJob(system, role, options, where, parent);
  // The row of a job is written with each of its steps; what is large and never changes is not part of it.
  const input = keptText(made.id, made.input);
  const vars = keptText(made.id, made.vars);
  const row = { ...made, input: input.text, vars: vars.text };
  const { checks, writes } = creation(row, [{ kind: 'submitted', data: { role } }]);
  return {
    row,
    checks,
    writes: [...writes, ...input.writes, ...vars.writes, ...firstMessage(system, row, options.message)],
  };
}

/** Submits jobs in one durable write; those whose ids exist already are found instead. */
export async function submitAll(
  system: JobSystem,
  role: string,
  all: readonly SubmitOptions[],
  where: string,
): Promise<string[]> {
  const made = all.map((options) => submission(system, role, options, where));
  const results = await system.store.commit(made.map(({ checks, writes }): Transaction => ({ checks, writes })));
  count('statek.jobs.submitted', { role }, made.length);
  for (const [index, { row }] of made.entries()) {
    const result = results[index];
    if (result?.status === 'committed') continue;
    const existing = await system.read(row.id);
    if (existing === undefined)
      throw new StoreConflictError(`The job '${row.id}' could not be submitted: ${result?.conflict.message ?? ''}`, {
        id: row.id,
      });
    if (existing.row.role !== role || existing.row.input !== row.input || existing.row.vars !== row.vars)
      throw new JobStateError(
        `There is another job '${row.id}', of the role '${existing.row.role}' or with other input. Choose another id.`,
        { id: row.id },
      );
  }
  return made.map(({ row }) => row.id);
}

/** Submits a new job that is given what one that is over was given; nothing of what that one did is taken over. */
export async function submitAgain(system: JobSystem, { row }: KnownJob, id: string | undefined): Promise<string> {
  if (row.status !== 'DONE')
    throw new JobStateError(`The job '${row.id}' is ${row.status}; only a job that is over can be submitted again.`, {
      id: row.id,
    });
  const { role, priority, labels, retry, keep } = row;
  const [first] = await system.store.read(jobInboxRows, [[row.id, 1]]);
  const isFirst = first !== undefined && first.value.kind === 'message' && first.value.time === row.created;
  const fresh = newJob(
    system,
    role,
    { id, priority, labels, ...(retry && { retry }), ...(keep === undefined ? {} : { keepFor: keep }) },
    'job.again',
  );
  // As it is kept, so that whoever asks need not have the services it names.
  const input = keptText(fresh.id, await wholeText(system.store, row.id, row.input));
  const vars = keptText(fresh.id, await wholeText(system.store, row.id, row.vars));
  const again: JobRow = {
    ...fresh,
    input: input.text,
    vars: vars.text,
    messages: { next: isFirst ? 2 : 1, read: 0 },
  };
  const { checks, writes } = creation(again, [{ kind: 'submitted', data: { role, again: row.id } }]);
  const message: InboxRow | undefined = isFirst ? { ...first.value, time: again.created } : undefined;
  const [result] = await system.store.commit([
    {
      checks,
      writes: [
        ...writes,
        ...input.writes,
        ...vars.writes,
        ...(message === undefined
          ? []
          : [{ kind: 'put' as const, collection: jobInboxRows, key: [again.id, 1], value: message }]),
      ],
    },
  ]);
  if (result?.status !== 'committed')
    throw new JobStateError(`There is a job '${again.id}' already. Choose another id.`, { id: again.id });
  count('statek.jobs.submitted', { role }, 1);
  return again.id;
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
