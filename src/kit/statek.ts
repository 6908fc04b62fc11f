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
import type {
  EventOptions,
  JobFilter,
  JobPageOptions,
  JobStreamEvent,
  PendingFuture,
  PendingKind,
  Program,
  Worker,
  WorkerOptions,
} from '../jobs/door.ts';
import { servicesOptions, type StatekOptions } from './options.ts';
import { refuseUnknownOptions } from '../base/options.ts';
import {
  load,
  newIndex,
  queryOf,
  Space,
  transact,
  transactAt,
  type DurableClass,
  type ObjectIndex,
  type Query,
  type Synchronous,
  type Tag,
} from '../objects/door.ts';
import type { Revision, Store } from '../store/door.ts';
import {
  collectGarbage,
  type KitGcOptions,
  type KitGcReport,
  type LanguageName,
  type Workspace,
  type WorkspaceOptions,
} from '../workspace/door.ts';

/** What an agent is in a kit. */
export interface AgentSummary {
  readonly role: string;
  /** What other agents read of it. */
  readonly description: string;
  /** What its model writes. */
  readonly language: LanguageName;
  /** What its tools can do, in words of the application. */
  readonly capabilities: readonly string[];
}

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
  readonly #services: Services;

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
   *   store: 'memory:', // or a folder, a .db file, 'postgres://…'
   *   agents: [assistant],
   *   classes: [Meeting],
   *   services: { clock: { now: () => Date.now() } },
   * });
   * await kit.close();
   */
  static async open(options: StatekOptions): Promise<Statek> {
    return new Statek(await openServices(servicesOptions(options)));
  }

  private constructor(services: Services) {
    this.#services = services;
    this.store = services.store;
    this.memory = services.agents.memory;
  }

  /**
   * A workspace by name: made if it is new, and otherwise as it was left, whichever process left it.
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
    return this.#services.jobs.openWorkspace(name, options);
  }

  /** The workspace of this name as it was left, or undefined if there is none; unlike `workspace`, it makes nothing. */
  async findWorkspace(name: string): Promise<Workspace | undefined> {
    return this.#services.workspaces.find(name);
  }

  /** The names of all workspaces in the store, page by page. */
  workspaces(): AsyncGenerator<string, void, undefined> {
    return this.#services.workspaces.names();
  }

  /**
   * Deletes a workspace that nobody needs any more: its variables, steps, console and history. What it waited for is
   * forgotten. Refused while a call of it is under way, or a job uses it; the workspace of a job is deleted with the job.
   */
  async deleteWorkspace(name: string): Promise<void> {
    await this.#services.jobs.deleteWorkspace(name);
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
    return this.#services.agents.submit(submitted, options);
  }

  /** Submits many jobs in one durable write. */
  async submitAll<Result = unknown>(
    submitted: Agent | JobDef | Program<Result> | string,
    all: readonly SubmitOptions[],
  ): Promise<readonly Job<Result>[]> {
    return this.#services.agents.submitAll(submitted, all);
  }

  /** Makes a job of an event, in the queue of its role: a driver has it as its input, an agent in the variable `event`. */
  async enqueue<Result = unknown>(
    submitted: Agent | JobDef | Program<Result> | string,
    event: unknown,
    options: Omit<SubmitOptions, 'input'> = {},
  ): Promise<Job<Result>> {
    return this.#services.agents.enqueue(submitted, event, options);
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
    return this.#services.agents.playExample(agent, example, options);
  }

  /** A job by its id. */
  async job(id: string): Promise<Job> {
    return this.#services.agents.job(await this.#services.jobs.row(id));
  }

  /** Jobs, the latest first; default: at most 100. */
  async jobs(options: JobPageOptions = {}): Promise<readonly Job[]> {
    return (await this.jobPage(options)).jobs;
  }

  /** One page of jobs; give `cursor` to the next call until it is undefined. */
  async jobPage(
    options: JobPageOptions = {},
  ): Promise<{ readonly jobs: readonly Job[]; readonly cursor: string | undefined }> {
    const { rows, cursor } = await this.#services.jobs.page(options);
    return { jobs: rows.map((row) => this.#services.agents.job(row)), cursor };
  }

  /** How many jobs there are. */
  async countJobs(filter: JobFilter = {}): Promise<number> {
    return this.#services.jobs.count(filter);
  }

  /** What everyone is waiting for. */
  pending(
    filter: { readonly kind?: PendingKind | undefined; readonly role?: string | undefined } = {},
  ): AsyncIterable<PendingFuture> {
    return this.#services.jobs.pending(filter);
  }

  /** What happens to jobs, in the order in which it was committed. */
  events(options: EventOptions = {}): AsyncIterable<JobStreamEvent> {
    return this.#services.jobs.events(options);
  }

  /**
   * Forgets a role that no process works on any more: no job can be started for it, and no agent finds it. Its jobs stay. A process
   * that opens a kit with the role makes it known again.
   */
  async forgetRole(role: string): Promise<void> {
    await this.#services.jobs.system.forgetRole(role);
  }

  /** The agents this process works for, with what the settings and prompt files of this kit say about them. */
  agents(): readonly AgentSummary[] {
    return this.#services.agents.all().map(({ role, description, language, agent: { capabilities } }) => ({
      role,
      description,
      language,
      capabilities,
    }));
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
    await this.#services.workspaces.signal(name, payload, options);
  }

  /** Answers a question that a program asked. */
  async answer(futureId: string, value: unknown): Promise<void> {
    await this.#services.workspaces.answer(futureId, value);
  }

  /** Agrees: to what a program asked with `approve`, to a call that needs consent, or to making a call again. */
  async approve(
    futureId: string,
    options: { readonly by?: string | undefined; readonly comment?: string | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('kit.approve', options, { by: true, comment: true });
    await this.#services.workspaces.decide(futureId, true, options);
  }

  /** The opposite of `approve`: the program's wait ends with a `DeniedError`. */
  async deny(futureId: string, why?: string, options: { readonly by?: string | undefined } = {}): Promise<void> {
    refuseUnknownOptions('kit.deny', options, { by: true });
    await this.#services.workspaces.decide(futureId, false, { ...options, comment: why });
  }

  /**
   * Changes durable objects all or nothing, as if nobody else were at work; resolves when it is durable. `action` is
   * synchronous, and may run several times. If it throws, nothing has changed.
   */
  transaction<Result>(action: Synchronous<Result>): Promise<Result> {
    this.#services.workspaces.refuseClosed();
    return transact(this.#services.objects, action as () => Result);
  }

  /** Runs `action` on the durable objects as they were at a revision. */
  async at<Result>(revision: Revision, action: Synchronous<Result>): Promise<Result> {
    this.#services.workspaces.refuseClosed();
    return transactAt(this.#services.objects, revision, action as () => Result);
  }

  /** The durable object or collection with this id, or undefined if there is none. */
  async fetch(id: string): Promise<object | undefined> {
    return this.transaction(() => this.#services.objects.find(id));
  }

  /** Objects of a class with these tags. */
  find<Instance extends object>(target: DurableClass<Instance>, ...tags: readonly Tag[]): Query<Instance> {
    const { objects } = this.#services;
    return queryOf(objects, objects.spaces.current, target, tags);
  }

  /** A new sorted index. */
  index<Instance extends object = object>(): ObjectIndex<Instance> {
    return newIndex(this.#services.objects);
  }

  /** A partition of durable objects, made when something is put there; with `readonly`, nothing in it can be changed here. */
  space(name: string, options: { readonly readonly?: boolean | undefined } = {}): Space {
    return new Space(this.#services.objects, name, options);
  }

  /** Loads an object for use outside a transaction, from a store without synchronous reads; returns it. */
  async load<Target extends object>(target: Target): Promise<Target> {
    this.#services.workspaces.refuseClosed();
    return load(this.#services.objects, target);
  }

  /** Waits until changes made outside transactions are durable; throws what could not be kept. */
  async flush(): Promise<void> {
    await this.#services.objects.turns.flush();
  }

  /** Starts working on jobs and workspaces, until the worker is stopped. A kit has one worker at a time. */
  start(options: WorkerOptions = {}): Worker {
    return this.#services.jobs.start(options);
  }

  /** Does everything in the store that can be done now, and returns when nothing is left. */
  async runUntilIdle(): Promise<void> {
    await this.#services.jobs.runUntilIdle();
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
    this.#services.workspaces.refuseClosed();
    return collectGarbage(this.#services.workspaces.context, options);
  }

  /**
   * Ends this kit's work: slices that run are committed, and calls under way get some time to end (default: 5,000 ms), so
   * that their outcomes are known. Programs that wait are in the store, and go on wherever it is opened next.
   */
  async close(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    await this.#services.close(options);
  }

  /** @internal The kit of a process that died in a simulation: nothing is waited for, committed or given back. */
  abandon(): void {
    this.#services.workspaces.abandon();
  }
}
