// One durable run of a driver, as the application sees it. What it shows without waiting is as of the last look at it.
import { refuseUnknownOptions } from '../base/options.ts';
import { scanAll } from '../store/scan-all.ts';
import type { LocalsOptions, VariableDifference } from '../workspace/locals.ts';
import { NotFoundError } from '../workspace/errors.ts';
import type { Past } from '../workspace/past.ts';
import { workspaceRows } from '../workspace/rows.ts';
import { waitingFutures, type WaitingFuture } from '../workspace/step.ts';
import type { Workspace, WorkspaceCommit } from '../workspace/workspace.ts';
import { callJournal, type JobCall, type JournalReach } from './call-journal.ts';
import { decisionJournal, type JobDecision } from './decision-journal.ts';
import { deleteJob } from './deleting.ts';
import type { JobMessage } from './driver.ts';
import { failureOf } from './ending.ts';
import { jobAtCommit, nameOfFork } from './going-back.ts';
import { givenVariables } from './job-workspace.ts';
import { eventsOf, jobEvents, type EventOptions, type JobStreamEvent } from './events.ts';
import { messageOf } from './inbox.ts';
import { mustRead, refuseDeleted, requestCancel, requestPause, requestResume, sendMessage } from './requesting.ts';
import { jobEventRows, jobInboxRows, type JobError, type JobRow } from './rows.ts';
import type { JobOutcome, JobStatus } from './states.ts';
import { submitAgain } from './submit.ts';
import type { JobSystem } from './system.ts';
import { JobStateError } from './errors.ts';
import { hasTurn, workspaceOf } from './turns.ts';

export interface JobParts {
  readonly system: JobSystem;
  workspace(id: string): Workspace;
  job(id: string): Promise<Job>;
  /** Makes sure that somebody works while something is waited for. */
  driven<Result>(action: () => Promise<Result>): Promise<Result>;
}

export class Job<Result = unknown> {
  /** Its id: the one it was submitted under, or a random one. */
  readonly id: string;
  readonly #parts: JobParts;
  #row: JobRow;

  /** @internal */
  static over(parts: JobParts, row: JobRow): Job {
    return new Job(parts, row);
  }

  protected constructor(parts: JobParts, row: JobRow) {
    this.id = row.id;
    this.#parts = parts;
    this.#row = row;
  }

  /** As it was last looked at. */
  protected get row(): JobRow {
    return this.#row;
  }

  /** The role of the driver or agent that works on it. */
  get role(): string {
    return this.#row.role;
  }

  /** READY, STARTED, SUSPENDED (it waits for something) and so on up to DONE, as it was last looked at; `refresh` looks again. */
  get status(): JobStatus {
    return this.#row.status;
  }

  /** How it has ended, once it is DONE. */
  get outcome(): JobOutcome | undefined {
    return this.#row.outcome;
  }

  /** Why it has no result: the error of its program, its limit, or its last failed attempt. */
  get error(): JobError | undefined {
    return this.#row.error;
  }

  /** Nobody works on it until it is resumed. */
  get paused(): boolean {
    return this.#row.paused === true;
  }

  /** The job that started it, if one did. */
  get parent(): string | undefined {
    return this.#row.parent?.job;
  }

  /** What it was given to be found by. */
  get labels(): readonly string[] {
    return this.#row.labels;
  }

  /** From -100 to 100; higher ones are worked on first. */
  get priority(): number {
    return this.#row.priority;
  }

  /** When it was submitted. */
  get created(): Date {
    return new Date(this.#row.created);
  }

  /** When something of it was last written. */
  get updated(): Date {
    return new Date(this.#row.updated);
  }

  /** Looks at it again; returns itself. */
  async refresh(): Promise<this> {
    this.#row = (await mustRead(this.#parts.system, this.id)).row;
    return this;
  }

  /** Its result, once it is DONE; throws `JobFailedError` if it has none. Any process may bring it there. */
  async result(): Promise<Result> {
    const { system } = this.#parts;
    if ((await this.refresh()).status !== 'DONE')
      await this.#parts.driven(() => system.watch.until(this.id, async () => (await this.refresh()).status === 'DONE'));
    const { outcome = 'failed', result, error } = this.#row;
    if (outcome !== 'completed') throw failureOf(this.#row, { outcome, ...(error && { error }) });
    return (result === undefined ? undefined : system.shared.decode(result)) as Result;
  }

  /** Sends it a message. It is shown to the driver in its next turn. */
  async say(message: unknown): Promise<void> {
    await sendMessage(this.#parts.system, this.id, message);
    await this.refresh();
  }

  /** Everything that was said to it. */
  async messages(): Promise<readonly JobMessage[]> {
    const messages: JobMessage[] = [];
    for await (const { value } of scanAll(this.#parts.system.store, jobInboxRows, { prefix: [this.id] }))
      messages.push(messageOf(this.#parts.system, value));
    return messages;
  }

  /** Ends it: what it waits for is rejected with a `CancelledError`, so that its `finally` blocks run. */
  async cancel(reason = 'The job was cancelled.'): Promise<void> {
    await requestCancel(this.#parts.system, this.id, reason);
    await this.refresh();
  }

  /** Nobody works on it until it is resumed; what is under way is brought to its end. */
  async pause(): Promise<void> {
    await requestPause(this.#parts.system, this.id);
    await this.refresh();
  }

  /** Ends a pause, or starts it again after its end if its driver can. */
  async resume(): Promise<void> {
    await requestResume(this.#parts.system, this.id);
    await this.refresh();
  }

  /** Deletes it, once it is DONE, with everything that was kept of it. */
  async delete(): Promise<void> {
    await deleteJob(this.#parts.system, this.id);
  }

  /**
   * Submits a new job with what this one was given: input, variables, first message, labels, priority. Only once it is
   * DONE; it stays as it is. Returns the id of the new one.
   */
  async again(options: { readonly id?: string | undefined } = {}): Promise<string> {
    refuseUnknownOptions('job.again', options, ['id']);
    return submitAgain(this.#parts.system, await mustRead(this.#parts.system, this.id), options.id);
  }

  /** What its program waits for. */
  async waiting(): Promise<readonly WaitingFuture[]> {
    const { system } = this.#parts;
    const { row } = await this.refresh();
    // What a workspace waits for while it is another's turn is not this job's.
    if (!hasTurn(row)) return [];
    const [entry] = await system.store.read(workspaceRows, [[workspaceOf(row)]]);
    return entry === undefined ? [] : waitingFutures(system.workspaces.context, entry.value.state.waiting);
  }

  /**
   * Calls of tools and of the driver's, in the order in which they were asked for: as far as they belong to what the job is
   * now. A fork has those of the job it came from up to its commit. With `undone`, also those that a rollback left behind:
   * they were made.
   */
  async calls(options: { readonly undone?: boolean | undefined } = {}): Promise<readonly JobCall[]> {
    refuseUnknownOptions('job.calls', options, ['undone']);
    return this.#callsOf((await this.refresh()).row, options);
  }

  async #callsOf(row: JobRow, reach: JournalReach): Promise<readonly JobCall[]> {
    const { system, workspace } = this.#parts;
    const { store, shared } = system;
    const { forkedFrom } = row;
    const origin = forkedFrom && (await system.read(forkedFrom.job));
    const inherited =
      origin === undefined || forkedFrom?.mark === undefined
        ? []
        : await this.#callsOf(origin.row, { ...reach, until: reach.until ?? forkedFrom.mark });
    const own = await callJournal({ job: row, store, shared, workspace: () => workspace(workspaceOf(row)) }, reach);
    return [...inherited, ...own];
  }

  /** @internal Everything that has happened to it so far. */
  async pastEvents(): Promise<readonly JobStreamEvent[]> {
    const events: JobStreamEvent[] = [];
    for await (const { key, value, revision } of scanAll(this.#parts.system.store, jobEventRows, { prefix: [this.id] }))
      events.push(...eventsOf(key, value, revision));
    return events;
  }

  /** What people had to agree to, in the order in which it was asked: with `approve`, and for calls that need consent. */
  async decisions(): Promise<readonly JobDecision[]> {
    return decisionJournal(this.#parts.system.store, (await this.refresh()).row);
  }

  /** What happens to it, from its beginning or from a revision on. */
  events(options: Omit<EventOptions, 'job'> = {}): AsyncIterable<JobStreamEvent> {
    return jobEvents(this.#parts.system, { since: 0, ...options, job: this.id });
  }

  /** The workspace its program runs in, once it has one. */
  async workspace(): Promise<Workspace> {
    if (this.#row.hasWorkspace !== true) await this.refresh();
    if (this.#row.hasWorkspace !== true)
      throw new NotFoundError(`The job '${this.id}' has no workspace: it has not run any code.`, { id: this.id });
    return this.#parts.workspace(workspaceOf(this.#row));
  }

  async #begunWorkspace(): Promise<Workspace | undefined> {
    if (this.#row.hasWorkspace !== true) await this.refresh();
    return this.#row.hasWorkspace === true ? this.workspace() : undefined;
  }

  /** Its variables; before its first code, those it was given. */
  async locals(options: LocalsOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const workspace = await this.#begunWorkspace();
    return workspace === undefined ? givenVariables(this.#parts.system, this.#row) : workspace.locals(options);
  }

  /** One of its variables; an object of the application is that object itself. */
  async local(name: string): Promise<unknown> {
    const workspace = await this.#begunWorkspace();
    return workspace === undefined
      ? (await givenVariables(this.#parts.system, this.#row))[name]
      : workspace.local(name);
  }

  /** Everything its program has printed, line by line. */
  async console(): Promise<readonly string[]> {
    return (await this.#begunWorkspace())?.console() ?? [];
  }

  /** The commits of its program, the latest first. */
  async commits(options: { readonly limit?: number } = {}): Promise<readonly WorkspaceCommit[]> {
    return (await this.workspace()).commits(options);
  }

  /** Its program as it was at a commit, to look at: variables and console. */
  async at(hash: string): Promise<Past> {
    return (await this.workspace()).at(hash);
  }

  /**
   * A job of its own that begins at one of this job's commits (default: the latest): with its variables, its console, and what its
   * driver kept then. It goes on with the step that had begun, or waits for a message.
   */
  async fork(hash?: string, id?: string): Promise<Job> {
    const { system, job } = this.#parts;
    const workspace = await this.workspace();
    const name = id ?? nameOfFork(this.#row);
    await workspace.forkWith(hash, name, async (fork) => jobAtCommit(system, (await this.refresh()).row, fork));
    return job(name);
  }

  /** Which variables differ between two commits. */
  async diff(from: string, to: string): Promise<readonly VariableDifference[]> {
    return (await this.workspace()).diff(from, to);
  }

  /**
   * It becomes what it was at a commit: variables, console, and what its driver kept, such as the conversation. It goes on from
   * there: with the step that had begun, or with the next message. Effects are neither undone nor repeated.
   */
  async rollback(hash: string): Promise<void> {
    const { system } = this.#parts;
    const { row } = await this.refresh();
    refuseDeleted(row);
    if (row.status === 'DONE' && row.workspace !== undefined)
      throw new JobStateError(
        `The job '${this.id}' is over, and its workspace '${row.workspace}' goes on without it. Roll the workspace back, or fork the job.`,
        { id: this.id },
      );
    if (!hasTurn(row))
      throw new JobStateError(`The job '${this.id}' waits for its turn and has nothing to go back to.`, {
        id: this.id,
      });
    if (row.status === 'DONE' && system.driver(row.role).reopens !== true)
      throw new JobStateError(`The job '${this.id}' is over, and a '${row.role}' cannot be started again.`, {
        id: this.id,
      });
    const workspace = await this.workspace();
    await workspace.rollback(hash);
    // Released now, so that a worker can claim the job; otherwise the lease would idle for 200 ms.
    await system.workspaces.context.leases.releaseIfIdle(workspace.id);
    await this.refresh();
  }
}
