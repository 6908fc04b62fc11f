// Which jobs there are, found through indexes, page by page.
import {
  choiceOption,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';
import { readUndamaged, type Collection, type Entry, type Key, type ValueOf } from '../../store/door.ts';
import {
  futureId,
  futureRows,
  isUndecided,
  placeOf,
  questionOf,
  signalOf,
  subjectOf,
  timerOf,
  workspaceRows,
  type CodePlace,
  type FutureRow,
  type FutureSubject,
  type LanguageName,
} from '../../workspace/door.ts';
import type { PendingKind } from '../future-kinds.ts';
import { jobIndexRows, jobRows, type JobRow } from '../rows.ts';
import { jobOutcomes, jobStatuses, type JobOutcome, type JobStatus } from '../states.ts';
import type { JobSystem } from '../system.ts';
import { hasTurn, workspaceOf } from '../changes/turns.ts';

/** Which jobs: those for which all of this holds. */
export interface JobFilter {
  readonly status?: JobStatus | undefined;
  readonly outcome?: JobOutcome | undefined;
  readonly role?: string | undefined;
  readonly parent?: string | undefined;
  readonly label?: string | undefined;
  /** Given this workspace. */
  readonly workspace?: string | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  /** Created before this time. */
  readonly before?: Date | undefined;
}

/** Which jobs, how many of them, and in which order. */
export interface JobPageOptions extends JobFilter {
  /** How many at most; default: 100. */
  readonly limit?: number | undefined;
  /** Where the page before this one ended. */
  readonly cursor?: string | undefined;
  /** Default: the latest first. */
  readonly order?: 'newest' | 'oldest' | undefined;
}

const filterNames: OptionNames<JobFilter> = {
  status: true,
  outcome: true,
  role: true,
  parent: true,
  label: true,
  workspace: true,
  since: true,
  before: true,
};
const pageNames: OptionNames<JobPageOptions> = { ...filterNames, limit: true, cursor: true, order: true };

/** Jobs of one page. What the index cannot tell is looked up, so a page may be shorter than its limit and have a cursor. */
export async function jobPage(
  system: JobSystem,
  options: JobPageOptions,
): Promise<{ rows: JobRow[]; cursor: string | undefined }> {
  check('kit.jobs', options, pageNames);
  const limit = wholeNumberOption('kit.jobs', 'limit', options.limit ?? 100, 1, 10_000);
  const { cursor, order = 'newest' } = options;
  choiceOption('kit.jobs', 'order', order, ['newest', 'oldest']);
  const page = await system.store.scan(jobIndexRows, rangeOf(options), { limit, cursor, reverse: order === 'newest' });
  const rows = await rowsOf(system, page.entries);
  return { rows: rows.filter((row) => matches(row, options)), cursor: page.cursor };
}

/** A place in the list of all jobs. */
export interface JobPosition {
  readonly created: number;
  readonly id: string;
}

/** Jobs that were created before another one, the latest first. */
export async function jobsBefore(
  system: JobSystem,
  position: JobPosition | undefined,
  limit: number,
): Promise<JobRow[]> {
  const to = position && { to: ['all', position.created, position.id] };
  const page = await system.store.scan(jobIndexRows, { prefix: ['all'], ...to }, { limit, reverse: true });
  return rowsOf(system, page.entries);
}

/** How many there are. One criterion is counted in the index alone. */
export async function countJobs(system: JobSystem, filter: JobFilter): Promise<number> {
  check('kit.countJobs', filter, filterNames);
  const { outcome: _outcome, since: _since, before: _before, ...rest } = filter;
  const isExact = Object.values(rest).filter((value) => value !== undefined).length <= 1 && hasOwnIndex(filter);
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await system.store.scan(jobIndexRows, rangeOf(filter), { limit: 5000, cursor });
    count += isExact
      ? page.entries.length
      : (await rowsOf(system, page.entries)).filter((row) => matches(row, filter)).length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return count;
}

/** Something a job waits for. */
export interface PendingFuture extends FutureSubject {
  /** Give it to `kit.answer`, `kit.approve` or `kit.deny`. */
  readonly id: string;
  readonly job: string;
  readonly role: string;
  readonly kind: PendingKind;
  readonly label: string;
  readonly question: string | undefined;
  readonly signal: string | undefined;
  /** When it is over, or nobody waits any longer. */
  readonly due: Date | undefined;
  readonly since: Date;
  /** Where in the code of which step it was asked for. */
  readonly at: CodePlace | undefined;
  /** Somebody has to agree. */
  readonly undecided: boolean;
}

/** What everyone is waiting for. */
export async function* pendingFutures(
  system: JobSystem,
  filter: { readonly kind?: PendingKind | undefined; readonly role?: string | undefined },
): AsyncGenerator<PendingFuture, void, undefined> {
  let cursor: string | undefined;
  do {
    const range = { prefix: ['status', 'SUSPENDED'] };
    const page = await system.store.scan(jobIndexRows, range, { limit: 500, cursor });
    const found = await pendingOn(
      system,
      page.entries.map(({ key }) => [String(key.at(-1))]),
    );
    for (const { job, future, language } of found)
      if ((filter.role ?? job.role) === job.role && (filter.kind ?? future.kind) === future.kind)
        yield {
          ...pendingOf(job, future),
          at: await placeOf(system.workspaces.context, language, future),
          ...(await subjectOf(system.store, future)),
        };
    cursor = page.cursor;
  } while (cursor !== undefined);
}

interface PendingOnJob {
  readonly job: JobRow;
  readonly future: FutureRow;
  readonly language: LanguageName;
}

/** What some jobs wait for, read together: one by one, a hundred thousand of them would take minutes. */
async function pendingOn(system: JobSystem, keys: readonly Key[]): Promise<PendingOnJob[]> {
  const jobs = await readable(system, jobRows, keys);
  // A job that waits for its turn has nothing to do with what the workspace waits for.
  const workspaces = await readable(
    system,
    workspaceRows,
    jobs.map((job, index) =>
      job !== undefined && hasTurn(job.value) ? [workspaceOf(job.value)] : (keys[index] as Key),
    ),
  );
  const waiting = jobs.flatMap((job, index) => {
    const program = workspaces[index]?.value;
    if (job === undefined || program === undefined || !hasTurn(job.value)) return [];
    const { language, state } = program;
    return state.waiting.map(({ workspace, number }) => ({ job: job.value, language, key: [workspace, number] }));
  });
  const futures = await readable(
    system,
    futureRows,
    waiting.map(({ key }) => key),
  );
  return waiting.flatMap(({ job, language }, index) => {
    const future = futures[index]?.value;
    return future === undefined || future.outcome !== undefined ? [] : [{ job, future, language }];
  });
}

function pendingOf({ id, role }: JobRow, future: FutureRow): Omit<PendingFuture, keyof FutureSubject | 'at'> {
  const { kind, label, created } = future;
  const due = timerOf(future);
  return {
    id: futureId(future),
    job: id,
    role,
    // The end of a job is never waited for.
    kind: kind as PendingKind,
    label,
    question: questionOf(future),
    signal: signalOf(future),
    due: due === undefined ? undefined : new Date(due),
    since: new Date(created),
    undecided: isUndecided(future),
  };
}

/** One that is damaged is missing where it would be listed, and is told of; the others are there. */
function readable<C extends Collection>(
  system: JobSystem,
  collection: C,
  keys: readonly Key[],
): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
  return readUndamaged(system.store, collection, keys, (key, { message }) =>
    system.damaged(message, { collection: collection.name, job: String(key[0]) }),
  );
}

async function rowsOf(system: JobSystem, entries: readonly { readonly key: Key }[]): Promise<JobRow[]> {
  const found = await readable(
    system,
    jobRows,
    entries.map(({ key }) => [key.at(-1) as string]),
  );
  return found.flatMap((entry) => (entry === undefined ? [] : [entry.value]));
}

/** The index that leaves least to look through. */
function rangeOf({ parent, label, workspace, status, outcome, role, since, before }: JobFilter): {
  prefix: Key;
  from?: Key;
  to?: Key;
} {
  const done = outcome === undefined ? undefined : (['status', 'DONE', outcome] as const);
  const prefix: Key =
    parent !== undefined
      ? ['parent', parent]
      : label !== undefined
        ? ['label', label]
        : workspace !== undefined
          ? ['workspace', workspace]
          : (done ??
            (status !== undefined
              ? status === 'DONE'
                ? ['status', status]
                : ['status', status, '']
              : role !== undefined
                ? ['role', role]
                : ['all']));
  if (prefix[0] === 'status' && prefix.length < 3) return { prefix };
  return {
    prefix,
    ...(since === undefined ? {} : { from: [...prefix, since.getTime()] }),
    ...(before === undefined ? {} : { to: [...prefix, before.getTime()] }),
  };
}

/** Times are part of every index but that of all jobs that are DONE. */
function hasOwnIndex({ status, outcome, since, before }: JobFilter): boolean {
  return status !== 'DONE' || outcome !== undefined || (since === undefined && before === undefined);
}

function matches(row: JobRow, { status, outcome, role, parent, label, workspace, since, before }: JobFilter): boolean {
  return (
    (status === undefined || row.status === status) &&
    (outcome === undefined || row.outcome === outcome) &&
    (role === undefined || row.role === role) &&
    (parent === undefined || row.parent?.job === parent) &&
    (label === undefined || row.labels.includes(label)) &&
    (workspace === undefined || row.workspace === workspace) &&
    (since === undefined || row.created >= since.getTime()) &&
    (before === undefined || row.created < before.getTime())
  );
}

function check(where: string, filter: JobFilter, names: OptionNames<JobFilter>): void {
  refuseUnknownOptions(where, filter, names);
  const { status, outcome } = filter;
  if (status !== undefined && !jobStatuses.includes(status))
    throw new InvalidOptionError(`${where}: a status is one of ${jobStatuses.join(', ')}.`, { name: 'status' });
  if (outcome !== undefined && !jobOutcomes.includes(outcome))
    throw new InvalidOptionError(`${where}: an outcome is one of ${jobOutcomes.join(', ')}.`, { name: 'outcome' });
}
