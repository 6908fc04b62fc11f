// What jobs wait for. What people have to answer or decide is found in an index of its own: it costs what there is of it, and
// not what else is waited for.
import { choiceOption, refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import { StoreCorruptError, type Entry, type Key, type Store } from '../../store/door.ts';
import {
  futureId,
  futureRows,
  isUndecided,
  parseFutureId,
  placeOf,
  questionOf,
  questions,
  signalOf,
  subjectOf,
  timerOf,
  workspaceRows,
  type CodePlace,
  type FutureRow,
  type FutureSubject,
  type LanguageName,
} from '../../workspace/door.ts';
import { pendingKinds, type PendingKind } from '../future-kinds.ts';
import { jobRows, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { holdsWorkspace, usersOf, workspaceOf } from '../changes/workspace-holders.ts';
import { indexPage, readable } from './listing.ts';

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

/** Which waits. */
export interface PendingFilter {
  readonly kind?: PendingKind | undefined;
  readonly role?: string | undefined;
  /** Only what a person can decide or answer: this is quick, however many jobs wait for something else. */
  readonly people?: boolean | undefined;
  /** Default: the oldest first. Where a person is waited for, that is the oldest question; elsewhere, the oldest job. */
  readonly order?: 'newest' | 'oldest' | undefined;
}

const filterNames: OptionNames<PendingFilter> = { kind: true, role: true, people: true, order: true };

/** Rejects an invalid filter before anything is read. */
export function checkPendingFilter(filter: PendingFilter): void {
  refuseUnknownOptions('kit.pending', filter, filterNames);
  choiceOption('kit.pending', 'order', filter.order ?? 'oldest', ['newest', 'oldest']);
  if (filter.kind !== undefined) choiceOption('kit.pending', 'kind', filter.kind, pendingKinds);
}

/** What everyone is waiting for. */
export async function* pendingFutures(
  system: JobSystem,
  filter: PendingFilter,
): AsyncGenerator<PendingFuture, void, undefined> {
  const { kind, role, people, order = 'oldest' } = filter;
  // These two kinds always wait for a person.
  const isIndexed = people === true || kind === 'ask' || kind === 'approve';
  for await (const found of isIndexed ? askedOfPeople(system, order) : waitedFor(system, order))
    for (const { job, future, language } of found)
      if ((role ?? job.role) === job.role && (kind ?? future.kind) === future.kind)
        yield {
          ...pendingOf(job, future),
          at: await unlessCorrupt(() => placeOf(system.workspaces.context, language, future)),
          ...(await subjectOf(system.store, future)),
        };
}

/** The jobs that asked for something, or share it with the one that did, by the id of the future. */
export async function askersOf({ store }: JobSystem, id: string): Promise<readonly string[]> {
  const reference = parseFutureId(id);
  const [entry] =
    reference === undefined ? [] : await store.read(futureRows, [[reference.workspace, reference.number]]);
  if (entry === undefined) return [];
  const { owner, workspace, sharedWith } = entry.value;
  const users = await usersOf(store, owner === undefined ? [workspace, ...sharedWith] : sharedWith);
  return [
    ...(owner === undefined ? [] : [owner.id]),
    ...users.flatMap((user) => (user === undefined ? [] : user.row.id)),
  ];
}

async function* waitedFor(
  system: JobSystem,
  order: 'newest' | 'oldest',
): AsyncGenerator<readonly PendingOnJob[], void, undefined> {
  let cursor: string | undefined;
  do {
    const range = { prefix: ['status', 'SUSPENDED'] };
    const page = await indexPage(system, range, { limit: 500, cursor, reverse: order === 'newest' });
    yield pendingOn(
      system,
      page.entries.map(({ key }) => [String(key.at(-1))]),
    );
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function* askedOfPeople(
  system: JobSystem,
  order: 'newest' | 'oldest',
): AsyncGenerator<readonly PendingOnJob[], void, undefined> {
  for await (const page of questions(system.store, order)) yield askersAmong(system, page);
}

/** Which suspended jobs wait for some futures: their own, and forks that share them. */
async function askersAmong(system: JobSystem, futures: readonly Entry<FutureRow>[]): Promise<readonly PendingOnJob[]> {
  const names = [...new Set(futures.flatMap(({ value }) => [value.workspace, ...value.sharedWith]))];
  if (names.length === 0) return [];
  const { store } = system;
  const [users, programs] = await Promise.all([
    readableUsers(store, names),
    readable(
      system,
      workspaceRows,
      names.map((name) => [name]),
    ),
  ]);
  const byName = new Map(
    names.map((name, index) => [name, { job: users[index]?.row, program: programs[index]?.value }]),
  );
  return futures.flatMap(({ value: future }) =>
    [future.workspace, ...future.sharedWith].flatMap((name): PendingOnJob[] => {
      const { job, program } = byName.get(name) ?? {};
      if (job?.status !== 'SUSPENDED' || program === undefined || !holdsWorkspace(job)) return [];
      const isWaitedFor = program.state.waiting.some(
        ({ workspace, number }) => workspace === future.workspace && number === future.number,
      );
      return isWaitedFor ? [{ job, future, language: program.language }] : [];
    }),
  );
}

/** The jobs that use workspaces; undefined for those whose rows are damaged, too. */
async function readableUsers(store: Store, names: readonly string[]): Promise<Awaited<ReturnType<typeof usersOf>>> {
  const one = async (name: string): Promise<Awaited<ReturnType<typeof usersOf>>> =>
    (await unlessCorrupt(() => usersOf(store, [name]))) ?? [undefined];
  return (
    (await unlessCorrupt(() => usersOf(store, names))) ?? (await Promise.all(names.map((name) => one(name)))).flat()
  );
}

async function unlessCorrupt<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof StoreCorruptError) return undefined;
    throw error;
  }
}

interface PendingOnJob {
  readonly job: JobRow;
  readonly future: FutureRow;
  readonly language: LanguageName;
}

/** What some jobs wait for, read together: one by one, a hundred thousand of them would take minutes. */
async function pendingOn(system: JobSystem, keys: readonly Key[]): Promise<PendingOnJob[]> {
  const jobs = await readable(system, jobRows, keys);
  // A job that waits for its workspace has nothing to do with what the workspace waits for.
  const workspaces = await readable(
    system,
    workspaceRows,
    jobs.map((job, index) =>
      job !== undefined && holdsWorkspace(job.value) ? [workspaceOf(job.value)] : (keys[index] as Key),
    ),
  );
  const waiting = jobs.flatMap((job, index) => {
    const program = workspaces[index]?.value;
    if (job === undefined || program === undefined || !holdsWorkspace(job.value)) return [];
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
