// An opened Statek: the one object an application works with. Everything it does is done by the services it is made of.
import {
  Agent,
  openServices,
  type Example,
  type Job,
  type JobDef,
  type Memory,
  type Services,
  type SubmitOptions,
} from '../agents/door.ts';
import {
  crashSummaries,
  leaseSummaries,
  queueSummaries,
  slowSlices,
  workerSummaries,
  writerOf,
  type CrashSummary,
  type EventOptions,
  type JobFilter,
  type JobPageOptions,
  type JobStreamEvent,
  type LeaseSummary,
  type PendingFilter,
  type PendingFuture,
  type Program,
  type QueueSummary,
  type RevisionWriter,
  type ScheduleOptions,
  type SlowSlice,
  type Tenants,
  type Worker,
  type WorkerOptions,
  type WorkerSummary,
} from '../jobs/door.ts';
import { exportJob, type ExportOptions } from './archive/export-job.ts';
import { importJob } from './archive/import-job.ts';
import { forget, type ForgetOptions, type ForgetReport } from './forget.ts';
import { HotObjects, type HotObject } from './hot-objects.ts';
import { jobViews, type JobViews, type KitAgents } from './job-views.ts';
import { Maintenance, type RetentionState } from './maintenance.ts';
import { servicesOptions, type StatekOptions } from './options.ts';
import { Schedule, scheduleState, submissionOf, type ScheduleState, type ScheduleSubmission } from './schedule.ts';
import { StateManagers } from './state-managers.ts';
import { StoreSizes, type StoreSize } from './store-sizes.ts';
import { verifyKit, type KitVerifyReport, type VerifyOptions } from './verify/verify-kit.ts';
import {
  functionOption,
  InvalidOptionError,
  refuseUnknownOptions,
  textOption,
  wholeNumberOption,
} from '../base/options.ts';
import type { Redactor } from '../base/redact.ts';
import {
  load,
  newIndex,
  ObjectBrowser,
  queryOf,
  remove,
  Space,
  taggedObjects,
  transact,
  transactAt,
  type DurableClass,
  type ObjectIndex,
  type Query,
  type ShownObject,
  type Synchronous,
  type Tag,
} from '../objects/door.ts';
import type {
  KnowledgeStateManager,
  OrchestrationStateManager,
  SpeechStateManager,
  StateManager,
  ToolStateManager,
  WorkflowStateManager,
} from '../state/door.ts';
import { backupStore, type BackupOptions, type BackupReport, type Revision, type Store } from '../store/door.ts';
import {
  collectGarbage,
  type KitGcOptions,
  type KitGcReport,
  type Workspace,
  type WorkspaceOptions,
} from '../workspace/door.ts';

/**
 * An opened Statek: agents, jobs, workspaces and durable objects on one store. An application opens one and closes it at its end.
 *
 * @example
 * import { program, Statek } from 'statek';
 *
 * const double = program<number>({ role: 'double', source: (input) => `${String(input)} * 2` });
 * const kit = await Statek.open({ store: 'memory:', drivers: [double] });
 * const job = await kit.submit(double, { input: 21 });
 * await kit.runUntilIdle();
 * console.log(await job.result()); // prints 42
 * await kit.close();
 */
export class Statek {
  /** Where everything is kept. */
  readonly store: Store;
  /** What is remembered across jobs. */
  readonly memory: Memory;
  /** Durable objects as rows, to look at without their classes. */
  readonly objects: ObjectBrowser;
  /** Snapshots, checkpoints and recovery of jobs, and the agents this process works for. */
  readonly agents: KitAgents;
  /** Jobs as workflows, and workflows that are reported. */
  readonly workflows: WorkflowStateManager;
  /** Calls of tools: history, statistics, cached results, retries. */
  readonly tools: ToolStateManager;
  /** Named values with versions, times to live and subscribers, in the kit's store. */
  readonly state: StateManager;
  /** Knowledge bases: sources, indexing that survives its process, and search. */
  readonly knowledge: KnowledgeStateManager;
  /** Sessions of speech to text and text to speech. */
  readonly speech: SpeechStateManager;
  /** Teams of agents, and the tasks they share. */
  readonly teams: OrchestrationStateManager;
  /** What the jobs of a tenant may use together: those with its label `tenant:…`. */
  readonly tenants: Tenants;
  readonly #managers: StateManagers;
  readonly #services: Services;
  readonly #views: JobViews;
  readonly #maintenance: Maintenance;
  readonly #sizes: StoreSizes;
  readonly #hotObjects: HotObjects;

  /**
   * Opens a store and everything needed to run what is in it.
   *
   * @example
   * import { Agent, Durable, Statek } from 'statek';
   *
   * class Meeting extends Durable {
   *   title = '';
   * }
   * const assistant = new Agent({ role: 'assistant', systemPrompt: 'You keep the calendar.' });
   * const kit = await Statek.open({
   *   store: 'memory:', // or a folder, a .db file, 'postgres://…', 'redis://…'
   *   agents: [assistant],
   *   classes: [Meeting],
   *   services: { clock: { now: () => Date.now() } },
   * });
   * await kit.close();
   */
  static async open(options: StatekOptions): Promise<Statek> {
    return new Statek(await openServices(servicesOptions(options)), options);
  }

  private constructor(services: Services, options: StatekOptions) {
    // Callers without types may try it.
    if ((options as StatekOptions | undefined) === undefined)
      throw new InvalidOptionError('A kit is opened with await Statek.open({ store }), not made with new Statek(…).');
    const { clock, leaseMilliseconds, retention } = options;
    this.#services = services;
    this.store = services.store;
    this.memory = services.agents.memory;
    this.objects = new ObjectBrowser(services.store);
    const { context } = services.workspaces;
    this.#maintenance = new Maintenance({
      store: services.store,
      context,
      clock: context.clock,
      retention,
      dropOthers: () => this.#dropOthers(),
    });
    this.#sizes = new StoreSizes(services.store, context.clock);
    this.#hotObjects = new HotObjects({
      store: services.store,
      clock: context.clock,
      contention: services.objects.contention,
      name: context.leases.name,
    });
    this.tenants = services.jobs.system.tenants;
    this.#views = jobViews(services);
    ({ agents: this.agents, workflows: this.workflows, tools: this.tools } = this.#views);
    this.#managers = new StateManagers({ store: services.store, jobs: services.jobs, clock, leaseMilliseconds });
    ({ state: this.state, knowledge: this.knowledge, speech: this.speech, teams: this.teams } = this.#managers);
    services.agents.readDocumentsFrom((base) => this.knowledge.indexOf(base));
  }

  /**
   * Opens a workspace by name, or creates it. It continues where any process left it.
   *
   * @example
   * import { Statek } from 'statek';
   *
   * const kit = await Statek.open({ store: 'memory:' });
   * const workspace = await kit.workspace('analysis', { vars: { prices: [10, 32] } });
   * await workspace.run('const total = prices.reduce((sum, price) => sum + price, 0)');
   * console.log((await workspace.run('total')).value); // prints 42
   * await kit.close();
   */
  async workspace(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    return this.#open.jobs.openWorkspace(name, options);
  }

  /** The workspace of this name as it was left, or undefined if there is none; unlike `workspace`, it makes nothing. */
  async findWorkspace(name: string): Promise<Workspace | undefined> {
    return this.#open.workspaces.find(name);
  }

  /** The names of all workspaces in the store, page by page. */
  workspaces(): AsyncGenerator<string, void, undefined> {
    return this.#open.workspaces.names();
  }

  /**
   * Deletes a workspace that nobody needs any more: its variables, steps, console and history. What it waited for is
   * forgotten. Refused while a call of it is under way, or a job uses it; the workspace of a job is deleted with the job.
   */
  async deleteWorkspace(name: string): Promise<void> {
    await this.#open.jobs.deleteWorkspace(name);
  }

  /**
   * Submits a job of an agent, of a definition, or of a driver. It is started by whichever process works on its role.
   *
   * @example
   * import { Agent, Models, Statek } from 'statek';
   * import { scriptedModel } from 'statek/testing';
   *
   * const assistant = new Agent({ role: 'assistant', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' } });
   * const models = new Models({ models: { script: scriptedModel(['exit(rooms.length)']) } });
   * const kit = await Statek.open({ store: 'memory:', agents: [assistant], models });
   * const job = await kit.submit(assistant, { vars: { rooms: ['red', 'blue'] }, message: 'How many rooms are there?' });
   * await kit.runUntilIdle();
   * console.log(await job.result()); // prints 2
   * await kit.close();
   */
  async submit<Result = unknown>(
    submitted: Agent | JobDef | Program<Result> | string,
    options: SubmitOptions = {},
  ): Promise<Job<Result>> {
    return this.#open.agents.submit(submitted, options);
  }

  /**
   * A job as one file: its program with all its commits, conversation, calls and the objects it holds, to be imported into another
   * store. Without `secrets` it can only be looked at there.
   *
   * @example
   * import { program, Statek } from 'statek';
   *
   * const greet = program({ role: 'greet', source: 'const greeting = "Hello"; greeting' });
   * const [here, there] = await Promise.all([
   *   Statek.open({ store: 'memory:', drivers: [greet] }),
   *   Statek.open({ store: 'memory:' }),
   * ]);
   * const job = await here.submit(greet);
   * await job.result();
   * const copy = await there.importJob(here.exportJob(job.id));
   * console.log(copy.status, await copy.locals()); // prints DONE { greeting: 'Hello' }
   * await Promise.all([here.close(), there.close()]);
   */
  exportJob(id: string, options: ExportOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    refuseUnknownOptions('kit.exportJob', options, { secrets: true });
    return exportJob(this.store, id, options, this.redactor);
  }

  /** A job out of a file that `exportJob` made. It is paused, and has the id it had. A damaged file is refused, and changes nothing. */
  async importJob(file: AsyncIterable<Uint8Array>): Promise<Job> {
    return this.job(await importJob(this.store, file));
  }

  /**
   * Writes the whole store into a new file, as it is at one revision, or what changed since an earlier backup; work goes on
   * meanwhile. `restoreStore` of `statek/store`, or `statek restore`, fills an empty store from it.
   *
   * @example
   * import { Statek } from 'statek';
   *
   * const kit = await Statek.open({ store: './data' });
   * const { revision } = await kit.backup('./monday.backup');
   * const next = await kit.backup('./tuesday.backup', { since: './monday.backup' });
   * console.log(next.since === revision); // prints true
   * await kit.close();
   */
  async backup(file: string, options: BackupOptions = {}): Promise<BackupReport> {
    textOption('kit.backup', 'the file', file);
    this.#services.workspaces.refuseClosed();
    return backupStore(this.store, file, options);
  }

  /**
   * Submits jobs at times: by a cron expression in a time zone, at an interval, or once. Calling it again with the same name changes
   * the schedule, or, if nothing is different, does nothing. Each time is fired once, by whichever worker comes first.
   *
   * @example
   * import { program, Statek } from 'statek';
   *
   * const report = program({ role: 'report', source: 'print("done")' });
   * const kit = await Statek.open({ store: 'memory:', drivers: [report] });
   * const nightly = await kit.schedule('nightly', { cron: '30 2 * * *', timeZone: 'Europe/Berlin', submit: { role: report } });
   * const job = await kit.job(await nightly.runNow());
   * await job.result();
   * console.log((await nightly.state()).fired, job.labels); // prints 1 [ 'schedule:nightly' ]
   * await kit.close();
   */
  async schedule(name: string, options: ScheduleOptions<ScheduleSubmission>): Promise<Schedule> {
    const { schedules } = this.#open.jobs;
    const { role, ...rest } = submissionOf(options);
    await schedules.set(name, { ...options, submit: { ...rest, role: typeof role === 'string' ? role : role.role } });
    return new Schedule(schedules, name);
  }

  /** A schedule by its name; throws if there is none. */
  async findSchedule(name: string): Promise<Schedule> {
    const { schedules } = this.#open.jobs;
    await schedules.read(name);
    return new Schedule(schedules, name);
  }

  /** All schedules, by name. */
  async *schedules(): AsyncGenerator<ScheduleState, void, undefined> {
    for await (const row of this.#open.jobs.schedules.all()) yield scheduleState(row);
  }

  /** Submits many jobs in one durable write. */
  async submitAll<Result = unknown>(
    submitted: Agent | JobDef | Program<Result> | string,
    all: readonly SubmitOptions[],
  ): Promise<readonly Job<Result>[]> {
    return this.#open.agents.submitAll(submitted, all);
  }

  /** Makes a job of an event, in the queue of its role: a driver has it as its input, an agent in the variable `event`. */
  async enqueue<Result = unknown>(
    submitted: Agent | JobDef | Program<Result> | string,
    event: unknown,
    options: Omit<SubmitOptions, 'input'> = {},
  ): Promise<Job<Result>> {
    return this.#open.agents.enqueue(submitted, event, options);
  }

  /**
   * Makes a job of an example: what was said is said again, and its code runs for real. If the example does not end the
   * job, the model goes on.
   */
  async playExample(
    agent: Agent | string,
    example: Example | string | number,
    options: SubmitOptions = {},
  ): Promise<Job> {
    return this.#open.agents.playExample(agent, example, options);
  }

  /** A job by its id. */
  async job(id: string): Promise<Job> {
    textOption('kit.job', 'the id of a job', id);
    const { agents, jobs } = this.#open;
    return agents.job(await jobs.row(id));
  }

  /** Jobs, the latest first; default: at most 100. */
  async jobs(options: JobPageOptions = {}): Promise<readonly Job[]> {
    return (await this.jobPage(options)).jobs;
  }

  /** One page of jobs; give `cursor` to the next call until it is undefined. */
  async jobPage(
    options: JobPageOptions = {},
  ): Promise<{ readonly jobs: readonly Job[]; readonly cursor: string | undefined }> {
    const { agents, jobs } = this.#open;
    const { rows, cursor } = await jobs.page(options);
    return { jobs: rows.map((row) => agents.job(row)), cursor };
  }

  /** How many jobs there are. */
  async countJobs(filter: JobFilter = {}): Promise<number> {
    return this.#open.jobs.count(filter);
  }

  /** What everyone is waiting for. */
  pending(filter: PendingFilter = {}): AsyncIterable<PendingFuture> {
    return this.#open.jobs.pending(filter);
  }

  /** @internal The jobs that wait or waited for something, by its id. */
  async askers(id: string): Promise<readonly string[]> {
    return this.#open.jobs.askers(id);
  }

  /** What waits to be worked on, by role. */
  async queues(): Promise<readonly QueueSummary[]> {
    return queueSummaries(this.#open.jobs.system);
  }

  /** The processes that work on jobs now, in whichever machine. */
  async workers(): Promise<readonly WorkerSummary[]> {
    return workerSummaries(this.#open.jobs.system);
  }

  /** Which process holds which job or workspace, at most 500 of them. */
  async leases(): Promise<readonly LeaseSummary[]> {
    return leaseSummaries(this.#open.jobs.system, 500);
  }

  /** Processes that died, or were cut off, while they worked on jobs: the latest first, at most 100 of the last four weeks. */
  async crashes(): Promise<readonly CrashSummary[]> {
    return crashSummaries(this.#open.jobs.system, 100);
  }

  /** What retention keeps of every program, and when it was last applied in the background. */
  async retention(): Promise<RetentionState> {
    return this.#maintenance.state();
  }

  /** What happens to jobs, in the order in which it was committed. */
  events(options: EventOptions = {}): AsyncIterable<JobStreamEvent> {
    return this.#open.jobs.events(options);
  }

  /**
   * Forgets a role that no process works on any more: no job can be started for it, and no agent finds it. Its jobs stay. A process
   * that opens a kit with the role makes it known again.
   */
  async forgetRole(role: string): Promise<void> {
    await this.#open.jobs.system.forgetRole(role);
  }

  /** The agent of a role, as it was given to `Statek.open`. */
  agent(role: string): Agent | undefined {
    const found = this.#services.agents.compiled(role)?.agent;
    return found instanceof Agent ? found : undefined;
  }

  /**
   * Sends a signal: it ends the oldest wait for that name, or the next one. `keep: 'latest'` drops those nobody took.
   *
   * @example
   * import { Statek } from 'statek';
   *
   * const kit = await Statek.open({ store: 'memory:' });
   * const workspace = await kit.workspace('order');
   * const step = await workspace.run("const paid = await signal('payment:42'); paid.amount");
   * console.log(step.status); // prints suspended
   * await kit.signal('payment:42', { amount: 12 });
   * console.log((await workspace.settled()).value); // prints 12
   * await kit.close();
   */
  async signal(
    name: string,
    payload?: unknown,
    options: { readonly keep?: 'all' | 'latest' | undefined } = {},
  ): Promise<void> {
    await this.#open.workspaces.signal(name, payload, options);
  }

  /** Answers a question that a program asked. Given again under the same `key`, it is the same answer; otherwise a second one is an error. */
  async answer(
    futureId: string,
    value: unknown,
    options: { readonly by?: string | undefined; readonly key?: string | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('kit.answer', options, { by: true, key: true });
    textOption('kit.answer', 'the id of a question', futureId);
    await this.#open.workspaces.answer(futureId, value, options);
  }

  /** Agrees: to what a program asked with `approve`, to a call that needs consent, or to making a call again. */
  async approve(
    futureId: string,
    options: { readonly by?: string | undefined; readonly comment?: string | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('kit.approve', options, { by: true, comment: true });
    textOption('kit.approve', 'the id of a decision', futureId);
    await this.#open.workspaces.decide(futureId, true, options);
  }

  /** The opposite of `approve`: the program's wait ends with a `DeniedError`. */
  async deny(futureId: string, why?: string, options: { readonly by?: string | undefined } = {}): Promise<void> {
    refuseUnknownOptions('kit.deny', options, { by: true });
    textOption('kit.deny', 'the id of a decision', futureId);
    await this.#open.workspaces.decide(futureId, false, { ...options, comment: why });
  }

  /**
   * Changes durable objects all or nothing, as if nobody else were at work; resolves when it is durable. `action` is
   * synchronous, and may run several times. If it throws, nothing has changed.
   */
  transaction<Result>(action: Synchronous<Result>): Promise<Result> {
    functionOption('kit.transaction', 'what it does', action);
    return transact(this.#open.objects, action as () => Result);
  }

  /** Runs `action` on the durable objects as they were at a revision. */
  async at<Result>(revision: Revision, action: Synchronous<Result>): Promise<Result> {
    wholeNumberOption('kit.at', 'revision', revision, 0, Number.MAX_SAFE_INTEGER);
    functionOption('kit.at', 'what it does at the revision', action);
    return transactAt(this.#open.objects, revision, action as () => Result);
  }

  /** The durable object or collection with this id, or undefined if there is none. */
  async fetch(id: string): Promise<object | undefined> {
    textOption('kit.fetch', 'the id of an object', id);
    return this.transaction(() => this.#open.objects.find(id));
  }

  /** Objects of a class with these tags. */
  find<Instance extends object>(target: DurableClass<Instance>, ...tags: readonly Tag[]): Query<Instance> {
    const { objects } = this.#open;
    return queryOf(objects, objects.spaces.current, target, tags);
  }

  /** A new sorted index. */
  index<Instance extends object = object>(): ObjectIndex<Instance> {
    return newIndex(this.#open.objects);
  }

  /** A partition of durable objects, made when something is put there; with `readonly`, nothing in it can be changed here. */
  space(name: string, options: { readonly readonly?: boolean | undefined } = {}): Space {
    return new Space(this.#open.objects, name, options);
  }

  /** What a durable object was, newest first, with the job and the commit of its program that wrote each version. */
  async *objectHistory(
    id: string,
  ): AsyncGenerator<{ readonly object: ShownObject; readonly by: RevisionWriter | undefined }, void, undefined> {
    for await (const object of this.objects.history(id))
      yield { object, by: await writerOf(this.store, object.revision) };
  }

  /** Loads an object for use outside a transaction, from a store without synchronous reads; returns it. */
  async load<Target extends object>(target: Target): Promise<Target> {
    return load(this.#open.objects, target);
  }

  /** Waits until changes made outside transactions are durable; throws what could not be kept. */
  async flush(): Promise<void> {
    await this.#open.objects.plainWrites.flush();
  }

  /** How large the store was in each hour of the last four weeks in which a worker ran, oldest first. Empty if the engine does not know its size. */
  async storeSizes(): Promise<readonly StoreSize[]> {
    this.#services.workspaces.refuseClosed();
    return this.#sizes.list();
  }

  /** Slices that kept their process busy for `slowSliceMilliseconds` or longer: the latest first, at most 100 of the last four weeks. */
  async slowSlices(): Promise<readonly SlowSlice[]> {
    this.#services.workspaces.refuseClosed();
    return slowSlices(this.store, 100);
  }

  /**
   * Durable objects over which slices and transactions conflicted, so that they ran again: the hottest first, at most 100, in the last 24
   * hours. Processes write down once a minute what they have counted.
   */
  async hotObjects(): Promise<readonly HotObject[]> {
    this.#services.workspaces.refuseClosed();
    return this.#hotObjects.list();
  }

  /** Starts working on jobs and workspaces, until the worker is stopped. A kit has one worker at a time. */
  start(options: WorkerOptions = {}): Worker {
    const worker = this.#open.jobs.start(options);
    this.#maintenance.begin(worker.ended);
    this.#sizes.begin(worker.ended);
    this.#hotObjects.begin(worker.ended);
    return worker;
  }

  /** Does everything in the store that can be done now, and returns when nothing is left. */
  async runUntilIdle(): Promise<void> {
    await this.#open.jobs.runUntilIdle();
  }

  /**
   * Drops commits that retention does not keep, frees what they took, and collects durable objects that nothing leads to.
   * With a retention, versions of objects that no kept commit can ask for are forgotten, too.
   */
  async gc(options: KitGcOptions = {}): Promise<KitGcReport> {
    refuseUnknownOptions('kit.gc', options, {
      retention: true,
      graceMilliseconds: true,
      onProgress: true,
      signal: true,
    });
    const report = await collectGarbage(this.#open.workspaces.context, options);
    return { ...report, rowsRemoved: report.rowsRemoved + (await this.#dropOthers()) };
  }

  /** Rows of the layers above that nothing needs any more. */
  async #dropOthers(): Promise<number> {
    return (await this.tools.dropExpiredResults()) + (await this.tools.dropGoneCalls());
  }

  /**
   * Removes a person's data: the jobs with a label and those they started, with programs, conversations, journals and histories, durable
   * objects that have the label as a tag, and facts remembered for it. The report says what is left, and why.
   */
  async forget(options: ForgetOptions): Promise<ForgetReport> {
    const { history } = this.#open.workspaces.context;
    const { store, memory } = this;
    return forget(
      {
        jobs: (filter) => this.#eachJob(filter),
        memory,
        free: async (jobs) => {
          await history.gc();
          await this.tools.dropGoneCalls();
          return history.partsLeft(jobs);
        },
        tagged: (tag) => taggedObjects(store, tag),
        removeObject: (id) =>
          this.transaction(() => {
            const found = this.#open.objects.find(id);
            if (found !== undefined) remove(found);
          }),
        engine: store.features.engine,
      },
      options,
    );
  }

  async *#eachJob(filter: JobFilter): AsyncGenerator<Job, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.jobPage({ ...filter, limit: 200, cursor });
      yield* page.jobs;
      ({ cursor } = page);
    } while (cursor !== undefined);
  }

  /**
   * Reads and checks everything: the store's own checksums, rows that name other rows, and the images of programs. Returns what is
   * damaged or missing, with the job that it belongs to; the other jobs are not concerned.
   */
  async verify(options: VerifyOptions = {}): Promise<KitVerifyReport> {
    refuseUnknownOptions('kit.verify', options, { images: true, onProgress: true, signal: true });
    this.#services.workspaces.refuseClosed();
    return verifyKit(this.store, options);
  }

  /**
   * Ends this kit's work: slices that run are committed, and calls under way get some time to end (default: 5,000 ms), so
   * that their outcomes are known. Programs that wait are in the store, and go on wherever it is opened next.
   */
  async close(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    await this.#hotObjects.write();
    await this.#views.close();
    await this.#managers.close();
    await this.#services.close(options);
  }

  /** What it is made of, while it is open. */
  get #open(): Services {
    this.#services.workspaces.refuseClosed();
    return this.#services;
  }

  /** @internal Takes secrets out of what others are shown. */
  get redactor(): Redactor | undefined {
    return this.#services.redactor;
  }

  /** @internal The kit of a process that died in a simulation: nothing is waited for, committed or given back. */
  abandon(): void {
    this.#managers.abandon();
    this.#services.workspaces.abandon();
  }
}
