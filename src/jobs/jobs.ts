// The jobs of a store, as this process works with them: submits and finds them, works on them, and does what people and
// programs ask of them from outside.
import { listPage, type ListPage, type ListPageOptions } from '../base/list-page.ts';
import { refuseUnknownOptions } from '../base/options.ts';
import type { Json } from '../history/door.ts';
import { commitParts, scanAll, type TransactionPart } from '../store/door.ts';
import {
  refuseName,
  waitingFutures,
  WorkspaceBusyError,
  workspaceRows,
  type GoingBack,
  type WaitingFuture,
  type Workspace,
  type WorkspaceOptions,
} from '../workspace/door.ts';
import { programFutures, type ProgramFuture } from './journal/program-futures.ts';
import type { JobCall } from './journal/call-journal.ts';
import { callOf, callStream, type CallFilter } from './journal/call-stream.ts';
import { checkDriver, type Driver, type JobMessage } from './driver.ts';
import { failureOf } from './changes/ending.ts';
import { DriverMissingError, JobStateError } from './errors.ts';
import { eventList, jobEvents, type EventOptions, type JobStreamEvent } from './journal/events.ts';
import { jobAtCommit, nameOfFork } from './past/going-back.ts';
import { messageOf } from './changes/inbox.ts';
import { givenVariables } from './work/job-workspace.ts';
import { LeasesOfOthers } from './work/leases-of-others.ts';
import {
  countJobs,
  jobPage,
  jobsBefore,
  type JobFilter,
  type JobPageOptions,
  type JobPosition,
} from './journal/listing.ts';
import {
  askersOf,
  checkPendingFilter,
  pendingFutures,
  type PendingFilter,
  type PendingFuture,
} from './journal/pending.ts';
import { checkLabels, type JobOptions } from './changes/new-job.ts';
import { mustRead, refuseDeleted } from './changes/control.ts';
import { optionsForRole } from './work/program-requests.ts';
import { jobInboxRows, jobRows, workspaceHolderRows, type JobRow } from './rows.ts';
import { submitAll } from './changes/submit.ts';
import { JobSystem, type JobsOptions, type JobsParts } from './system.ts';
import { fireSchedules, Schedules } from './schedules/schedules.ts';
import { fireJobTimers } from './work/timers.ts';
import { holdsWorkspace, shareWorkspace, usersOf, workspaceOf } from './changes/workspace-holders.ts';
import { schedulerOf, Worker, type WorkerOptions } from './work/worker.ts';

/** One page of jobs, as rows. */
export interface JobRowPage {
  readonly rows: readonly JobRow[];
  readonly cursor: string | undefined;
}

/** In what a fork of a job differs from it. */
export interface ForkEdits {
  /** Its driver is asked what to do next, where it would wait for a message otherwise. */
  readonly goesOn?: boolean;
  /** Variables that start with other values. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly message?: unknown;
  /** What it is made from, in the words of the layer above. */
  readonly definition?: Json | undefined;
}

const fromTheBeginning = { isReverse: false, after: undefined };

export class Jobs {
  readonly schedules: Schedules;
  readonly system: JobSystem;
  #worker: Worker | undefined;
  /** Works for those who wait for a result while nobody has started a worker. */
  #helper: { readonly worker: Worker; users: number } | undefined;
  #idle: Promise<void> | undefined;

  constructor(parts: JobsParts, options: JobsOptions) {
    this.system = new JobSystem(parts, options);
    this.schedules = new Schedules(this.system);
  }

  /** A workspace by name: made if it is new, and otherwise as it was left, whichever process left it. */
  async openWorkspace(name: string, options: WorkspaceOptions): Promise<Workspace> {
    refuseName(name);
    const job = await this.system.read(name);
    if (
      job?.row.workspace === undefined &&
      job !== undefined &&
      (await this.system.store.read(workspaceRows, [[name]]))[0] === undefined
    )
      throw new JobStateError(
        `'${name}' is a job that has not begun, and its workspace is made when it begins. Choose another name, or wait.`,
        { id: name },
      );
    return this.system.workspaces.open(name, options);
  }

  /** Deletes a workspace that no job uses. The workspace of a job is deleted with the job. */
  async deleteWorkspace(name: string): Promise<void> {
    const { store, workspaces } = this.system;
    const own = await this.system.read(name);
    if (own !== undefined && own.row.workspace === undefined)
      throw new JobStateError(`'${name}' is the workspace of a job. Delete the job, and it goes with it.`, {
        id: name,
      });
    const [user] = await usersOf(store, [name]);
    if (user !== undefined && user.row.status !== 'DONE')
      throw new JobStateError(
        `The job '${user.row.id}' uses the workspace '${name}'. Cancel it, or wait for its end.`,
        { id: user.row.id },
      );
    await workspaces.delete(name);
    // The name is free again, for a job as well.
    const [turn] = await store.read(workspaceHolderRows, [[name]]);
    if (turn === undefined) return;
    const place = { collection: workspaceHolderRows, key: [name] };
    await commitParts(store, [
      { checks: [{ kind: 'revision', ...place, revision: turn.revision }], writes: [{ kind: 'remove', ...place }] },
    ]);
  }

  /**
   * Submits jobs in one durable write, together with whatever `also` writes; returns their ids. They are started by
   * whichever process works on their role.
   */
  async submitAll(
    driver: Driver | string,
    all: readonly JobOptions[],
    also?: TransactionPart,
  ): Promise<readonly string[]> {
    const role = await this.#role(driver);
    // Tenants are told by labels, before anything else of a job is looked at.
    for (const { labels } of all) if (labels !== undefined) checkLabels('kit.submit', labels);
    // What a driver of this process wants in its input, it was given.
    const given = this.system.drivers.has(role)
      ? all
      : all.map((options) => optionsForRole(this.system.role(role), options));
    await this.system.backPressure.refuse(role, given, 'kit.submit');
    return submitAll(this.system, role, given, 'kit.submit', also);
  }

  /** A job as it is in the store; throws if there is none. */
  async row(id: string): Promise<JobRow> {
    return (await mustRead(this.system, id)).row;
  }

  async page(options: JobPageOptions): Promise<JobRowPage> {
    return jobPage(this.system, options);
  }

  async count(filter: JobFilter): Promise<number> {
    return countJobs(this.system, filter);
  }

  /** The jobs of a workspace, oldest first; the job whose own it is, too. */
  async *inWorkspace(workspace: string): AsyncGenerator<JobRow, void, undefined> {
    const [own] = await this.system.store.read(jobRows, [[workspace]]);
    if (own !== undefined && own.value.workspace === undefined) yield own.value;
    let cursor: string | undefined;
    do {
      const page = await this.page({ workspace, order: 'oldest', limit: 500, cursor });
      yield* page.rows;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** What jobs wait for. */
  pending(filter: PendingFilter): AsyncIterable<PendingFuture> {
    checkPendingFilter(filter);
    return pendingFutures(this.system, filter);
  }

  /** The jobs that wait or waited for something, by its id. */
  async askers(id: string): Promise<readonly string[]> {
    return askersOf(this.system, id);
  }

  /** What happens to jobs, in the order in which it was committed. */
  events(options: EventOptions): AsyncIterable<JobStreamEvent> {
    refuseUnknownOptions('kit.events', options, { job: true, since: true, signal: true });
    return jobEvents(this.system, options);
  }

  /** Everything that has happened to a job so far. */
  async pastEvents(id: string): Promise<readonly JobStreamEvent[]> {
    const events: JobStreamEvent[] = [];
    for await (const { item } of eventList(this.system.store, id, fromTheBeginning))
      if (item !== undefined) events.push(item);
    return events;
  }

  /** A page of it. */
  async eventPage(id: string, page: ListPageOptions): Promise<ListPage<JobStreamEvent>> {
    return listPage('job.eventPage', page, (start) => eventList(this.system.store, id, start));
  }

  /** Everything that was said to a job. */
  async messages(id: string): Promise<readonly JobMessage[]> {
    const messages: JobMessage[] = [];
    for await (const { value } of scanAll(this.system.store, jobInboxRows, { prefix: [id] }))
      messages.push(messageOf(this.system, value));
    return messages;
  }

  /** Waits until a job is DONE; any process may bring it there. */
  async ended(id: string): Promise<JobRow> {
    let row = await this.row(id);
    if (row.status !== 'DONE')
      await this.driven(() =>
        this.system.watch.until(id, async () => {
          row = await this.row(id);
          return row.status === 'DONE';
        }),
      );
    return row;
  }

  /** The result of a job that is DONE; throws `JobFailedError` if it has none. */
  resultOf(row: JobRow): unknown {
    const { outcome = 'failed', result, error } = row;
    if (outcome !== 'completed') throw failureOf(row, { outcome, ...(error && { error }) });
    return result === undefined ? undefined : this.system.shared.decode(result);
  }

  /** What the program of a job waits for. */
  async waiting(row: JobRow): Promise<readonly WaitingFuture[]> {
    // What a workspace waits for while it is another's turn is not this job's.
    if (!holdsWorkspace(row)) return [];
    const { store, workspaces } = this.system;
    const [entry] = await store.read(workspaceRows, [[workspaceOf(row)]]);
    return entry === undefined ? [] : waitingFutures(workspaces.context, entry.value);
  }

  /** The journal of a job's calls; a fork has those of the job it came from, up to its commit. */
  async calls(row: JobRow, filter: CallFilter): Promise<readonly JobCall[]> {
    const calls: JobCall[] = [];
    for await (const { item } of callStream(this.system, row, filter, fromTheBeginning))
      if (item !== undefined) calls.push(item);
    return calls;
  }

  /** A page of them. */
  async callPage(row: JobRow, { commit, undone, ...page }: CallFilter & ListPageOptions): Promise<ListPage<JobCall>> {
    return listPage('job.callPage', page, (start) => callStream(this.system, row, { commit, undone }, start));
  }

  /** One of them, by its id. */
  async call(row: JobRow, id: string): Promise<JobCall | undefined> {
    return callOf(this.system, row, id);
  }

  /** What the program of a job has asked others for, from a number on. */
  async futures(row: JobRow, first: number): Promise<readonly ProgramFuture[]> {
    const { store, shared, workspaces } = this.system;
    const workspace = (): Workspace => workspaces.workspace(workspaceOf(row));
    return row.hasWorkspace === true ? programFutures({ job: row, store, shared, workspace }, first) : [];
  }

  /** The variables a job was given when it was submitted. */
  givenVariables(row: JobRow): Promise<Readonly<Record<string, unknown>>> {
    return givenVariables(this.system, row);
  }

  /** The workspace a job runs in; undefined before its first code. */
  workspaceOf(row: JobRow): Workspace | undefined {
    return row.hasWorkspace === true ? this.system.workspaces.workspace(workspaceOf(row)) : undefined;
  }

  /**
   * Makes a job of its own that begins at one of the commits of another (default: the latest); returns its id. With `goesOn`, it does
   * not wait for a message if its driver can go on without one. All edits are part of the commit that makes it.
   */
  async fork(
    row: JobRow,
    workspace: Workspace,
    hash?: string,
    id = nameOfFork(row),
    { goesOn = false, vars, message, definition }: ForkEdits = {},
  ): Promise<string> {
    const { system } = this;
    const known = await (message === undefined ? system.knownRole(row.role) : system.learnRole(row.role));
    const takesMessages = known?.reopens === true;
    if (message !== undefined && !takesMessages)
      throw new JobStateError(`A '${row.role}' takes no messages, so a fork cannot begin with one.`, { id: row.id });
    const body = message === undefined ? undefined : this.system.shared.encode(message, 'The message');
    const joined = async (fork: GoingBack): Promise<TransactionPart> =>
      jobAtCommit(this.system, await this.row(row.id), fork, {
        goesOn: takesMessages && (goesOn || message !== undefined),
        begins: known !== undefined && !takesMessages,
        body,
        definition,
      });
    await workspace.forkWith(hash, { id, vars, joined });
    return id;
  }

  /** Jobs that were created before another one, the latest first; default: the latest of all. */
  async before(position: JobPosition | undefined, limit: number): Promise<readonly JobRow[]> {
    return jobsBefore(this.system, position, limit);
  }

  /** A job becomes what it was at a commit, and goes on from there. Effects are neither undone nor repeated. */
  async rollback(row: JobRow, workspace: Workspace, hash: string): Promise<void> {
    const { id } = row;
    refuseDeleted(row);
    if (row.status === 'DONE' && row.workspace !== undefined)
      throw new JobStateError(
        `The job '${id}' is over, and its workspace '${row.workspace}' goes on without it. Roll the workspace back, or fork the job.`,
        { id },
      );
    if (!holdsWorkspace(row))
      throw new JobStateError(`The job '${id}' waits for its turn and has nothing to go back to.`, { id });
    if (row.status === 'DONE' && this.system.driver(row.role).reopens !== true)
      throw new JobStateError(`The job '${id}' is over, and a '${row.role}' cannot be started again.`, { id });
    await workspace.rollback(hash);
    // Released now, so that a worker can claim the job; otherwise the lease would idle for 200 ms.
    await this.system.workspaces.context.leases.releaseIfIdle(workspace.id);
  }

  /** Starts working on jobs and workspaces, until the worker is stopped. There is one worker at a time. */
  start(options: WorkerOptions = {}): Worker {
    this.system.workspaces.refuseClosed('kit.start');
    this.#worker ??= this.#newWorker(options, () => {
      this.#worker = undefined;
    });
    return this.#worker;
  }

  /** Does everything in the store that can be done now, and returns when nothing is left. */
  async runUntilIdle(): Promise<void> {
    // Two at once would each wait for what the other has taken.
    while (this.#idle !== undefined) await this.#idle;
    this.#idle = this.#runUntilIdle().finally(() => {
      this.#idle = undefined;
    });
    return this.#idle;
  }

  /** Makes a workspace one that jobs are given; if it is a job's own, what that one is doing comes to its end first. */
  async shareWorkspace(id: string): Promise<void> {
    const [own] = await this.system.store.read(jobRows, [[id]]);
    if (own === undefined || own.value.workspace !== undefined) return;
    await this.driven(() => shareWorkspace(this.system, id, Number.POSITIVE_INFINITY));
  }

  /** Does something with a workspace between two jobs. */
  async whenFree(workspace: string, action: () => Promise<void>): Promise<void> {
    for (;;) {
      const [user] = await usersOf(this.system.store, [workspace]);
      if (user !== undefined && user.row.status !== 'DONE') {
        const { id } = user.row;
        const isOver = async (): Promise<boolean> => ((await this.system.read(id))?.row.status ?? 'DONE') === 'DONE';
        await this.driven(() => this.system.watch.until(id, isOver));
        continue;
      }
      try {
        await action();
        return;
      } catch (error) {
        // A job came in between.
        if (!(error instanceof WorkspaceBusyError)) throw error;
      }
    }
  }

  /** Makes sure that somebody works in this process while something is waited for. */
  async driven<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#worker !== undefined || this.system.workspaces.isClosed) return action();
    const helper = (this.#helper ??= { worker: this.#newWorker({}, () => undefined), users: 0 });
    helper.users++;
    try {
      return await action();
    } finally {
      if (--helper.users === 0) {
        this.#helper = undefined;
        await helper.worker.stop();
      }
    }
  }

  /** Stops working. */
  async close(options: { readonly graceMilliseconds?: number | undefined }): Promise<void> {
    await Promise.all([this.#worker?.stop(options), this.#helper?.worker.stop(options)]);
  }

  #newWorker(options: WorkerOptions, onStop: () => void): Worker {
    return new Worker(this.system, options, onStop);
  }

  async #runUntilIdle(): Promise<void> {
    const { workspaces, drivers, roles } = this.system;
    const scheduler = schedulerOf(this.system, {}, 'kit.runUntilIdle');
    const others = new LeasesOfOthers(this.system);
    // A worker hears of the roles of processes that came later; nobody else does.
    if (drivers.size > 0) await roles.look();
    try {
      for (;;) {
        await workspaces.runUntilIdle();
        if (drivers.size === 0) return;
        await workspaces.fireTimers();
        await fireJobTimers(this.system);
        await fireSchedules(this.system);
        scheduler.lookAgain();
        const taken = scheduler.takenCount;
        await scheduler.kick();
        if (scheduler.activeCount > 0) {
          await scheduler.any();
          continue;
        }
        // One that was taken and is done with already may have woken a job whose queue had been looked at before.
        if (scheduler.takenCount > taken) continue;
        // The queue could not be read, so idleness is unproven.
        if (scheduler.trouble !== undefined) throw scheduler.trouble;
        // A job may stand under the lease of a process that has died.
        if (!(await others.mayEnd())) return;
      }
    } finally {
      await scheduler.stop(0);
    }
  }

  async #role(driver: Driver | string): Promise<string> {
    if (typeof driver === 'string') {
      await this.system.learnRole(driver);
      return driver;
    }
    checkDriver(driver);
    if (this.system.drivers.get(driver.role) !== driver)
      throw new DriverMissingError(
        `The driver '${driver.role}' was not given to Statek.open({ drivers }), so no process would find it again.`,
        { role: driver.role },
      );
    return driver.role;
  }
}
