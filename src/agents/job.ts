// One durable run of a driver or an agent, as the application sees it. What it shows without waiting is as of the last look
// at it; `refresh` looks again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listPage, listPageNames, type ListPage, type ListPageOptions } from '../base/list-page.ts';
import { makeFolders } from '../base/make-folders.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import {
  decisionJournal,
  deleteJob,
  jobRows,
  jobTimeline,
  mustRead,
  pastOf,
  requestCancel,
  requestPause,
  requestResume,
  awaitsVersion,
  requestUnpin,
  scheduleOf,
  sendMessage,
  submitAgain,
  type EventOptions,
  type JobCall,
  type JobDecision,
  type JobError,
  type JobMessage,
  type JobOutcome,
  type JobRow,
  type JobSchedule,
  type OnChange,
  type Jobs,
  type JobStatus,
  type JobTimeline,
  type ProgramFuture,
  type SendOptions,
  type JobStreamEvent,
  type TimelineOptions,
} from '../jobs/door.ts';
import type { Difficulty, ModelRequest } from '../models/door.ts';
import {
  NotFoundError,
  type ComparedVariable,
  type ConsolePageOptions,
  type Found,
  type LocalsOptions,
  type MemberOptions,
  type Members,
  type Past,
  type ValuePath,
  type VariableDifference,
  type WaitingFuture,
  type Watched,
  type WatchOptions,
  type Workspace,
  type WorkspaceCommit,
} from '../workspace/door.ts';
import { compareJobs, type JobComparison } from './comparison.ts';
import { chatList } from './chat/chat-list.ts';
import { currentItems } from './chat/current.ts';
import { scanAll } from '../store/door.ts';
import { chatRows, type ChatItem } from './chat/item.ts';
import { chatOf, dialogOf, repliesOf, usageOf, type DialogPair, type JobUsage } from './conversation.ts';
import type { JobDefinition } from './definition.ts';
import { exampleFromChat, formatExample } from './examples/example-text.ts';
import type { Example } from './examples/example.ts';
import { exampleItems } from './examples/from-chat.ts';
import { requestOf } from './loop/request.ts';
import type { DeltaListener } from './loop/deltas.ts';
import type { AgentRuntime } from './loop/runtime.ts';
import { loopStateOf } from './loop/state.ts';
import type { Language } from './prompts/metadata.ts';
import type { ChatStyle } from './settings/chat-style.ts';
import { ownVariables } from './tools/tool-variables.ts';

/** What an example is called, and where it stands. */
export interface ExampleOptions {
  readonly name: string;
  /** Its number and its place in the list. */
  readonly number?: number | undefined;
  readonly difficulty?: Difficulty | undefined;
}

/** What a job was at one of its commits. */
export interface JobMoment {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly chat: readonly ChatItem[];
  readonly calls: readonly JobCall[];
}

/** Where a job stands, and what has come to its conversation. */
export interface JobActivity {
  readonly status: JobStatus;
  /** Undefined before its first turn, and for what is not an agent. */
  readonly style: ChatStyle | undefined;
  readonly language: Language | undefined;
  readonly items: readonly ChatItem[];
  readonly futures: readonly ProgramFuture[];
  /** Something was said to it that it has not read. */
  readonly isUnread: boolean;
}

/** The version of the application's code that a job began under, and the one that it needs. */
export interface JobVersion {
  /** Undefined before it begins, and if the code had no version. */
  readonly started: string | undefined;
  /** The oldest version that may work on it; with `pinned`, the only one. */
  readonly needs: string | undefined;
  readonly pinned: boolean;
  /** How often newer code has started it again from its beginning. */
  readonly restarts: number;
  /** What the code of this process does with jobs of older code; undefined if it does not work on the role. */
  readonly onChange: OnChange | undefined;
}

/** What a fork of a job is called, and in what it differs from the job at that commit. */
export interface JobForkOptions {
  /** Default: the id of the job and a few random characters. */
  readonly id?: string | undefined;
  /** Variables that start with other values: data, durable objects, services. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  /** A model string, as in MODEL. */
  readonly model?: string | undefined;
  /** The system prompt, as the model is to get it. */
  readonly prompt?: string | undefined;
  /** Said to it first. */
  readonly message?: unknown;
}

function forkOptions(options: string | JobForkOptions): JobForkOptions {
  if (typeof options === 'string') return { id: options };
  refuseUnknownOptions('job.fork', options, { id: true, vars: true, model: true, prompt: true, message: true });
  for (const name of ['model', 'prompt'] as const) {
    const text = options[name];
    if (text !== undefined && (typeof text !== 'string' || text.trim() === ''))
      throw new InvalidOptionError(`job.fork: ${name} must be a text that is not empty.`, { [name]: text });
  }
  return options;
}

/** Which calls of a job, and how many of them. */
export interface CallPageOptions extends ListPageOptions {
  /** Also those that a rollback left behind: they were made. */
  readonly undone?: boolean | undefined;
  /** Those until this commit; default: until now. */
  readonly commit?: string | undefined;
}

/** Which items of a conversation, and how many of them. */
export interface ChatPageOptions extends ListPageOptions {
  /** Also what was taken back by a rollback. */
  readonly undone?: boolean | undefined;
  /** As it was at this commit; default: as it is now. */
  readonly commit?: string | undefined;
}

/** What jobs are made of. */
export interface JobParts {
  readonly jobs: Jobs;
  readonly runtime: AgentRuntime;
}

/**
 * One durable run of an agent or a driver. What it shows without waiting is as of the last look at it; `refresh` looks again.
 *
 * @example
 * import { program, Statek } from 'statek';
 *
 * const greet = program<string>({ role: 'greet', source: "const name = await ask('Who are you?'); `Hello, ${name}`" });
 * const kit = await Statek.open({ store: 'memory:', drivers: [greet] });
 * const job = await kit.submit(greet);
 * await kit.runUntilIdle();
 * const [question] = await job.waiting();
 * console.log(question?.question); // prints Who are you?
 * await kit.answer(question?.id ?? '', 'Ann');
 * console.log(await job.result()); // prints Hello, Ann
 * await kit.close();
 */
export class Job<Result = unknown> {
  /** Its id: the one it was submitted under, or a random one. */
  readonly id: string;
  readonly #parts: JobParts;
  #row: JobRow;

  /** @internal */
  static over<Result>(parts: JobParts, row: JobRow): Job<Result> {
    return new Job(parts, row);
  }

  private constructor(parts: JobParts, row: JobRow) {
    this.id = row.id;
    this.#parts = parts;
    this.#row = row;
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

  /** @internal It has started other jobs. */
  get hasChildren(): boolean {
    return this.#row.hasChildren === true;
  }

  /** What it was given to be found by. */
  get labels(): readonly string[] {
    return this.#row.labels;
  }

  /** From -100 to 100; higher ones are worked on first. */
  get priority(): number {
    return this.#row.priority;
  }

  /** The version of the application's code it needs; undefined if that never had one. */
  get version(): JobVersion | undefined {
    const { role, version, needs, pinned, restarts = 0 } = this.#row;
    if (version === undefined && needs === undefined) return undefined;
    const driver = this.#system.drivers.get(role);
    const onChange = driver === undefined ? undefined : (driver.onChange ?? 'continue');
    return { started: version, needs, pinned: pinned === true, restarts, onChange };
  }

  /** @internal It could go on, and no process of the version that it needs works on it. */
  async awaitsVersion(): Promise<boolean> {
    return this.version !== undefined && awaitsVersion(this.#system, this.id);
  }

  /** The schedule that submitted it, and the time that it is for; undefined for others. */
  get schedule(): JobSchedule | undefined {
    return scheduleOf(this.#row);
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
    this.#row = await this.#parts.jobs.row(this.id);
    return this;
  }

  /**
   * Its result, once it is DONE; throws `JobFailedError` if it has none. Any process may bring it there.
   *
   * @example
   * import { JobFailedError, program, Statek } from 'statek';
   *
   * const broken = program({ role: 'broken', source: "throw new Error('no such room')" });
   * const kit = await Statek.open({ store: 'memory:', drivers: [broken] });
   * const job = await kit.submit(broken);
   * try {
   *   await job.result();
   * } catch (error) {
   *   if (error instanceof JobFailedError) console.log(job.error?.message); // prints no such room
   * }
   * await kit.close();
   */
  async result(): Promise<Result> {
    const { jobs } = this.#parts;
    this.#row = await jobs.ended(this.id);
    return jobs.resultOf(this.#row) as Result;
  }

  /**
   * Sends it a message. It is shown to the driver or model the next time it is asked. With a `key` it is sent once, however
   * often it is said; with `reopen` a job that was cancelled, failed or reached a limit goes on with it.
   */
  async say(message: unknown, options: SendOptions = {}): Promise<void> {
    refuseUnknownOptions('job.say', options, { key: true, reopen: true });
    await sendMessage(this.#system, this.id, message, options);
    await this.refresh();
  }

  /** Everything that was said to it. */
  async messages(): Promise<readonly JobMessage[]> {
    return this.#parts.jobs.messages(this.id);
  }

  /** Ends it: what it waits for is rejected with a `CancelledError`, so that its `finally` blocks run. */
  async cancel(reason = 'The job was cancelled.'): Promise<void> {
    await requestCancel(this.#system, this.id, reason);
    await this.refresh();
  }

  /** Nobody works on it until it is resumed; what is under way is brought to its end. */
  async pause(): Promise<void> {
    await requestPause(this.#system, this.id);
    await this.refresh();
  }

  /** Ends a pause, or starts it again after its end if its driver can. */
  async resume(): Promise<void> {
    await requestResume(this.#system, this.id);
    await this.refresh();
  }

  /** Lets later versions of the code go on with it, if it is pinned to one. */
  async unpin(): Promise<void> {
    await requestUnpin(this.#system, this.id);
    await this.refresh();
  }

  /** Deletes it, once it is DONE, with everything that was kept of it. */
  async delete(): Promise<void> {
    await deleteJob(this.#system, this.id);
  }

  /**
   * Submits a new job with what this one was given: input, variables, first message, labels, priority. Only once it is
   * DONE; it stays as it is. Returns the id of the new one.
   */
  async again(options: { readonly id?: string | undefined } = {}): Promise<string> {
    refuseUnknownOptions('job.again', options, { id: true });
    return submitAgain(this.#system, await mustRead(this.#system, this.id), options.id);
  }

  /** What its program waits for. */
  async waiting(): Promise<readonly WaitingFuture[]> {
    await this.refresh();
    return this.#parts.jobs.waiting(this.#row);
  }

  /**
   * Calls of tools and of the driver's, in the order in which they were asked for: as far as they belong to what the job is
   * now. A fork has those of the job it came from up to its commit. With `undone`, also those that a rollback left behind:
   * they were made.
   */
  async calls(options: { readonly undone?: boolean | undefined } = {}): Promise<readonly JobCall[]> {
    refuseUnknownOptions('job.calls', options, { undone: true });
    await this.refresh();
    return this.#parts.jobs.calls(this.#row, options);
  }

  /**
   * One page of them, oldest first unless another order is asked for; at a commit, of those until then. A page reads no more of the
   * journal than it needs.
   */
  async callPage(options: CallPageOptions = {}): Promise<ListPage<JobCall>> {
    refuseUnknownOptions('job.callPage', options, { ...listPageNames, undone: true, commit: true });
    await this.refresh();
    return this.#parts.jobs.callPage(this.#row, options);
  }

  /** One of its calls, by its id; undefined if there is none. */
  async call(id: string): Promise<JobCall | undefined> {
    await this.refresh();
    return this.#parts.jobs.call(this.#row, id);
  }

  /** What people had to agree to, in the order in which it was asked: with `approve`, and for calls that need consent. */
  async decisions(): Promise<readonly JobDecision[]> {
    await this.refresh();
    return decisionJournal(this.#system.store, this.#row);
  }

  /** What happens to it, from its beginning or from a revision on. */
  events(options: Omit<EventOptions, 'job'> = {}): AsyncIterable<JobStreamEvent> {
    return this.#parts.jobs.events({ since: 0, ...options, job: this.id });
  }

  /** @internal Everything that has happened to it so far. */
  async pastEvents(): Promise<readonly JobStreamEvent[]> {
    return this.#parts.jobs.pastEvents(this.id);
  }

  /** One page of what has happened to it so far, oldest first unless another order is asked for. */
  async eventPage(options: ListPageOptions = {}): Promise<ListPage<JobStreamEvent>> {
    refuseUnknownOptions('job.eventPage', options, listPageNames);
    return this.#parts.jobs.eventPage(this.id, options);
  }

  /** @internal What it did over time, in lanes. */
  async timeline(options: TimelineOptions): Promise<JobTimeline> {
    await this.refresh();
    return jobTimeline({ store: this.#system.store, now: this.#system.clock.now() }, this.#row, options);
  }

  /** The workspace its program runs in, once it has one. */
  async workspace(): Promise<Workspace> {
    const workspace = await this.#begunWorkspace();
    if (workspace !== undefined) return workspace;
    throw new NotFoundError(`The job '${this.id}' has no workspace: it has not run any code.`, { id: this.id });
  }

  /** Its variables, without the tools it can call; before its first code, those it was given. */
  async locals(options: LocalsOptions = {}): Promise<Readonly<Record<string, unknown>>> {
    const workspace = await this.#begunWorkspace();
    return ownVariables(
      workspace === undefined ? await this.#parts.jobs.givenVariables(this.#row) : await workspace.locals(options),
    );
  }

  /** One of its variables; an object of the application is that object itself. */
  async local(name: string): Promise<unknown> {
    const workspace = await this.#begunWorkspace();
    return workspace === undefined ? (await this.#parts.jobs.givenVariables(this.#row))[name] : workspace.local(name);
  }

  /** Variables by their names, or by what they hold. */
  async findLocals(
    wanted: RegExp | (abstract new (...parameters: never[]) => unknown),
  ): Promise<Readonly<Record<string, unknown>>> {
    const names = Object.keys(await this.locals());
    if (wanted instanceof RegExp) {
      const found = names.filter((name) => wanted.test(name));
      return Object.fromEntries(await Promise.all(found.map(async (name) => [name, await this.local(name)] as const)));
    }
    const all = await Promise.all(names.map(async (name) => [name, await this.local(name)] as const));
    return Object.fromEntries(all.filter(([, value]) => value instanceof wanted));
  }

  /** Everything its program has printed, line by line. */
  async console(): Promise<readonly string[]> {
    return (await this.#begunWorkspace())?.console() ?? [];
  }

  /**
   * One page of the lines it has printed, oldest first unless another order is asked for; at a commit, of those until then. However long
   * its console is, a page reads no more of it than it gives.
   */
  async consolePage(options: ConsolePageOptions = {}): Promise<ListPage<string>> {
    const workspace = await this.#begunWorkspace();
    return workspace === undefined ? { items: [], cursor: undefined } : workspace.consolePage(options);
  }

  /** The commits of its program, the latest first. */
  async commits(options: { readonly limit?: number | undefined } = {}): Promise<readonly WorkspaceCommit[]> {
    return (await this.workspace()).commits(options);
  }

  /** The members of one value in its variables, each in a line: what it holds, page by page. With an empty path, the variables. */
  async members(path: ValuePath = [], options: MemberOptions = {}): Promise<Members> {
    return (await this.workspace()).members(path, options);
  }

  /** Its program as it was at a commit, to look at: variables and console. */
  async at(hash: string): Promise<Past> {
    return (await (await this.workspace()).at(hash)).withOwn(ownVariables);
  }

  /**
   * A job of its own that begins at one of this job's commits (default: the latest): with its variables, its console, its
   * conversation, and what its driver kept then. It goes on with the step that had begun, or waits for a message. It can begin with
   * other variables, another model or prompt, and a message; then it goes on at once.
   *
   * @example
   * import { program, Statek } from 'statek';
   *
   * const trip = program<string>({ role: 'trip', source: "const day = await ask('When?'); `On ${day}`" });
   * const kit = await Statek.open({ store: 'memory:', drivers: [trip] });
   * const job = await kit.submit(trip);
   * await kit.runUntilIdle();
   * const fork = await job.fork(); // both wait for the same answer
   * const [question] = await job.waiting();
   * await kit.answer(question?.id ?? '', 'Friday');
   * console.log(await job.result(), await fork.result()); // prints On Friday On Friday
   * await kit.close();
   */
  async fork(hash?: string, options: string | JobForkOptions = {}): Promise<Job<Result>> {
    const { jobs } = this.#parts;
    const workspace = await this.workspace();
    const { id, vars, model, prompt, message } = forkOptions(options);
    const isRedefined = model !== undefined || prompt !== undefined;
    const definition = { ...(model === undefined ? {} : { model }), ...(prompt === undefined ? {} : { prompt }) };
    const edits = {
      vars,
      message,
      definition: isRedefined ? definition : undefined,
      // Whoever changes what it knows or is asked wants to see what it does then.
      goesOn: isRedefined || vars !== undefined,
    };
    return Job.over(this.#parts, await jobs.row(await jobs.fork(this.#row, workspace, hash, id, edits)));
  }

  /**
   * The value of an expression at many of its commits, oldest first. If there are more than `limit`, they are sampled evenly.
   */
  async watch(code: string, options: WatchOptions = {}): Promise<Watched> {
    return (await this.workspace()).watch(code, options);
  }

  /** The first of its commits at which an expression is true, found by bisection. */
  async find(code: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Found> {
    return (await this.workspace()).find(code, options);
  }

  /** In what it differs from another job: variables, conversation, calls, usage; and where the two part, if one is a fork. */
  async compare(other: Job): Promise<JobComparison> {
    return compareJobs(this, other);
  }

  /** @internal Its variables, to be compared with those of another job; none before its first code. */
  async compared(): Promise<ReadonlyMap<string, ComparedVariable>> {
    return (await (await this.#begunWorkspace())?.compared()) ?? new Map();
  }

  /** @internal This job, and the jobs it is a fork of, with the commits at which it parts from them. */
  async origins(): Promise<readonly { readonly job: string; readonly commit: string | undefined }[]> {
    const found: { readonly job: string; readonly commit: string | undefined }[] = [
      { job: this.id, commit: undefined },
    ];
    for (let { forkedFrom } = this.#row; forkedFrom !== undefined;) {
      found.push({ job: forkedFrom.job, commit: forkedFrom.commit });
      const [origin] = await this.#system.store.read(jobRows, [[forkedFrom.job]]);
      forkedFrom = origin?.value.forkedFrom;
    }
    return found;
  }

  /** Which variables differ between two commits. */
  async diff(from: string, to: string): Promise<readonly VariableDifference[]> {
    return (await this.workspace()).diff(from, to);
  }

  /**
   * It becomes what it was at a commit: variables, console, and what its driver kept, such as the conversation. It goes on from
   * there: with the step that had begun, or with the next message. Effects are neither undone nor repeated.
   *
   * @example
   * import { Agent, Models, Statek } from 'statek';
   * import { scriptedModel } from 'statek/testing';
   *
   * const agent = new Agent({ role: 'counter', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
   * const script = scriptedModel(['```ts\nlet count = 1\n```', 'One.', '```ts\ncount += 1\n```', 'Two.']);
   * const models = new Models({ models: { script } });
   * const kit = await Statek.open({ store: 'memory:', agents: [agent], models });
   * const job = await kit.submit(agent, { message: 'Begin.' });
   * await job.result();
   * const [before] = await job.commits();
   * await job.say('Go on.');
   * await job.result();
   * await job.rollback(before?.hash ?? '');
   * console.log(await job.local('count'), (await job.dialog()).length); // prints 1 1
   * await kit.close();
   */
  async rollback(hash: string): Promise<void> {
    await this.refresh();
    await this.#parts.jobs.rollback(this.#row, await this.workspace(), hash);
    await this.refresh();
  }

  /** @internal Its variables, conversation and calls, as they were at one of its commits. */
  async moment(hash: string): Promise<JobMoment> {
    const workspace = await this.workspace();
    const [variables, chat, calls] = await Promise.all([
      workspace.at(hash).then((at) => at.locals()),
      this.chatAt(hash),
      this.callsAt(hash),
    ]);
    return { variables: ownVariables(variables), chat, calls };
  }

  /** Its conversation as it was at one of its commits. */
  async chatAt(hash: string): Promise<readonly ChatItem[]> {
    const then = loopStateOf({ state: (await this.#pastAt(hash))?.state ?? null });
    if (then === null) return [];
    return currentItems((await chatOf(this.#system.store, this.id, true)).filter(({ number }) => number < then.next));
  }

  /** Its calls until one of its commits. */
  async callsAt(hash: string): Promise<readonly JobCall[]> {
    return this.#parts.jobs.calls(this.#row, { commit: hash });
  }

  /** Its conversation, item by item; with `undone`, also what was taken back by a rollback. */
  async chat(options: { readonly undone?: boolean | undefined } = {}): Promise<readonly ChatItem[]> {
    refuseUnknownOptions('job.chat', options, { undone: true });
    return chatOf(this.#system.store, this.id, options.undone);
  }

  /**
   * One page of its conversation, oldest first unless another order is asked for; at a commit, as it was then. With `undone`, also what
   * was taken back by a rollback.
   */
  async chatPage(options: ChatPageOptions = {}): Promise<ListPage<ChatItem>> {
    refuseUnknownOptions('job.chatPage', options, { ...listPageNames, undone: true, commit: true });
    const { commit, undone = false, ...page } = options;
    await this.refresh();
    const { back = [], forkedFrom } = this.#row;
    const then = commit === undefined ? undefined : loopStateOf({ state: (await this.#pastAt(commit))?.state ?? null });
    const span = {
      job: this.id,
      before: commit === undefined ? undefined : (then?.next ?? 0),
      // Where nothing was taken back, there is nothing to leave out.
      undone: undone || (back.length === 0 && forkedFrom === undefined),
    };
    return listPage('job.chatPage', page, (start) => chatList(this.#system.store, span, start));
  }

  /** @internal What has come to its conversation since a look at it: its items, and what its program has asked for. */
  async activity(since: { readonly item: number; readonly future: number }): Promise<JobActivity> {
    // First where it stands: what is read after that holds everything that led there.
    await this.refresh();
    const { status, messages } = this.#row;
    const state = loopStateOf(this.#row);
    const items: ChatItem[] = [];
    const range = { from: [this.id, since.item + 1], to: [this.id, Number.MAX_SAFE_INTEGER] };
    for await (const { value } of scanAll(this.#system.store, chatRows, range)) items.push(value);
    const futures = await this.#parts.jobs.futures(this.#row, since.future);
    const isUnread = messages.next - 1 > messages.read;
    return { status, style: state?.style, language: state?.language, items, futures, isUnread };
  }

  /** What was said to it, and what it answered: what was sent, or what it ended its turn with. Drafts and code are not answers. */
  async dialog(): Promise<readonly DialogPair[]> {
    return dialogOf(await this.chat(), loopStateOf(this.#row));
  }

  /** What it was made from. */
  async definition(): Promise<JobDefinition> {
    await this.refresh();
    const hash = loopStateOf(this.#row)?.definition;
    if (hash === undefined) throw new NotFoundError(`The job '${this.id}' has not begun.`, { id: this.id });
    return this.#parts.runtime.definition(hash);
  }

  /** @internal Replies of its model so far; 0 for what is not an agent. */
  get turns(): number {
    return loopStateOf(this.#row)?.turn ?? 0;
  }

  /** What it has used, turn by turn and in all; each turn is priced at its own model. */
  async usage(): Promise<JobUsage> {
    return usageOf(await repliesOf(this.#system.store, this.id));
  }

  /** The request of a past turn, made again exactly as it was. */
  async request(turn: number): Promise<ModelRequest> {
    const reply = (await repliesOf(this.#system.store, this.id)).find((item) => item.turn === turn);
    if (reply?.asked === undefined)
      throw new NotFoundError(`The job '${this.id}' has no turn ${turn} in which a model was asked.`, {
        id: this.id,
        turn,
      });
    const { asked, difficulty } = reply;
    return requestOf(this.#parts.runtime, this.id, { ...asked, difficulty, turn, heldBack: 0 });
  }

  /**
   * Calls `listener` for pieces of replies as they arrive, in whichever process the job runs. They are not stored, and pieces
   * from other processes may be lost; the reply itself is in `chat()`. Returns the function that ends it.
   */
  onDelta(listener: DeltaListener): () => void {
    return this.#parts.runtime.deltas.listen(this.id, listener);
  }

  /** Its conversation as an example, for others to learn from. `kit.playExample` makes a job of it again. */
  async toExample(options: ExampleOptions): Promise<Example> {
    refuseUnknownOptions('job.toExample', options, { name: true, number: true, difficulty: true });
    const { name, ...more } = options;
    if (typeof name !== 'string' || name.trim() === '')
      throw new InvalidOptionError('job.toExample: an example needs a name.', { name: 'name' });
    const { style, language } = await this.definition();
    return exampleFromChat(name, exampleItems(await this.chat(), style, language), more);
  }

  /** Writes its conversation as an example of its role into a folder of examples; returns the path of the file. */
  async saveExample(options: ExampleOptions & { readonly folder?: string | undefined }): Promise<string> {
    const { folder = this.#parts.runtime.examplesFolder, ...more } = options;
    if (folder === undefined)
      throw new InvalidOptionError(
        'job.saveExample: say in which folder, or set STATEK_EXAMPLES or Statek.open({ settings: { examples } }).',
        { name: 'folder' },
      );
    const example = await this.toExample(more);
    const { language } = await this.definition();
    const place = join(folder, this.role);
    const file = join(place, `${example.name.replaceAll(/[^\p{L}\p{N}]+/gu, '_').slice(0, 100)}.md`);
    makeFolders(place);
    await writeFile(file, formatExample(example, language));
    return file;
  }

  get #system(): Jobs['system'] {
    return this.#parts.jobs.system;
  }

  /** What is recorded of it at a commit. The commits that make a fork belong to the commit it begins at. */
  async #pastAt(hash: string): ReturnType<typeof pastOf> {
    const { store } = this.#system;
    const past = await pastOf(store, this.#row, hash);
    const { forkedFrom } = this.#row;
    return past === undefined && forkedFrom !== undefined ? pastOf(store, this.#row, forkedFrom.commit) : past;
  }

  async #begunWorkspace(): Promise<Workspace | undefined> {
    if (this.#row.hasWorkspace !== true) await this.refresh();
    return this.#parts.jobs.workspaceOf(this.#row);
  }
}
