// Which jobs there are, found through indexes, page by page.
import {
  choiceOption,
  dateOption,
  InvalidOptionError,
  refuseUnknownOptions,
  wholeNumberOption,
  type OptionNames,
} from '../../base/options.ts';
import {
  pageUndamaged,
  readUndamaged,
  type Collection,
  type Entry,
  type Key,
  type Page,
  type Range,
  type ScanOptions,
  type ValueOf,
} from '../../store/door.ts';
import { jobIndexRows, jobRows, type JobRow } from '../rows.ts';
import { jobOutcomes, jobStatuses, type JobOutcome, type JobStatus } from '../states.ts';
import type { JobSystem } from '../system.ts';

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
  const page = await indexPage(system, rangeOf(options), { limit, cursor, reverse: order === 'newest' });
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
  const page = await indexPage(system, { prefix: ['all'], ...to }, { limit, reverse: true });
  return rowsOf(system, page.entries);
}

/** How many there are. One criterion is counted in the index alone. */
export async function countJobs(system: JobSystem, filter: JobFilter): Promise<number> {
  check('kit.countJobs', filter, filterNames);
  const isExact = criteriaIn(filter) <= 1 && hasOwnIndex(filter);
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await indexPage(system, rangeOf(filter), { limit: 5000, cursor });
    count += isExact
      ? page.entries.length
      : (await rowsOf(system, page.entries)).filter((row) => matches(row, filter)).length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return count;
}

/** One page of the index of jobs. A damaged entry is left out and logged. */
export function indexPage(
  system: JobSystem,
  range: Range,
  options: ScanOptions & { readonly limit: number },
): Promise<Page<null>> {
  return pageUndamaged(system.store, jobIndexRows, range, options, ({ message }) =>
    system.damaged(message, { collection: jobIndexRows.name }),
  );
}

/** Reads rows for a list. A damaged one is left out and logged; the others are returned. */
export function readable<C extends Collection>(
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

/** How many things a job must be to match, times aside. An outcome is that of a job that is DONE. */
function criteriaIn({ status, outcome, role, parent, label, workspace }: JobFilter): number {
  const ends = outcome !== undefined && status === 'DONE' ? [outcome] : [status, outcome];
  return [...ends, role, parent, label, workspace].filter((value) => value !== undefined).length;
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
  for (const name of ['since', 'before'] as const)
    if (filter[name] !== undefined) dateOption(where, name, filter[name]);
}
