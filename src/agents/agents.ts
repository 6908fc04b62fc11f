// The agents of a process: compiles them, drives their jobs, and submits jobs with their definitions.
import { described, InvalidOptionError, listOption, refuseUnknownOptions } from '../base/options.ts';
import {
  DriverMissingError,
  type Driver,
  type Drivers,
  type JobOptions,
  type JobRow,
  type Jobs,
  type Program,
} from '../jobs/door.ts';
import { Models, type ModelsOptions } from '../models/door.ts';
import { refuseReservedNames } from '../workspace/door.ts';
import { isAgent, type AgentDefinition } from './kinds/agent-definition.ts';
import { jobDefOptionNames, type JobDefOptions } from './kinds/agent-options.ts';
import { definitionRows } from './chat/item.ts';
import { CompiledAgent } from './compiled-agent.ts';
import { JobDef } from './definition.ts';
import { KnowledgeDocuments, type KnowledgeIndex } from './documents/knowledge-documents.ts';
import type { AgentEnvironment } from './environment.ts';
import type { Example } from './examples/example.ts';
import { Job } from './job.ts';
import type { Log } from './log.ts';
import { agentDriver } from './loop/driver.ts';
import type { AgentInput } from './loop/input.ts';
import { AgentRuntime } from './loop/runtime.ts';
import type { MemoryOptions } from './memory/granted.ts';
import type { Memory } from './memory/memory.ts';
import { openIn, type AgentHost } from './open-agents.ts';
import type { Reminder } from './reminder.ts';
import { BoundTools } from './tools/bound-tools.ts';
import { sourceOf, type ToolSource } from './tools/tool-source.ts';

/** What a job of an agent is submitted with. */
export interface SubmitOptions
  extends
    JobOptions,
    Pick<
      JobDefOptions,
      'metadata' | 'parameters' | 'warmup' | 'chatStyle' | 'locale' | 'settings' | 'fallbacks' | 'limits'
    > {
  /** What it is bound to, of what is remembered across jobs. */
  readonly memory?: MemoryOptions | undefined;
}

/** What a job can be submitted of: an agent, a definition, a driver, or the role of one of them. */
export type Submitted<Result = unknown> = AgentDefinition | JobDef | Program<Result> | string;

/** What the agents of a process are built on. */
export interface AgentsParts {
  readonly jobs: Jobs;
  readonly drivers: Drivers;
  /** Tools become services, so that any process can go on with a program that holds them. */
  readonly services: Map<string, object>;
  readonly environment: AgentEnvironment;
  readonly log: Log;
  readonly memory: Memory;
  readonly models: Models | ModelsOptions | undefined;
  readonly agents: readonly AgentDefinition[];
}

/** Callers without types may give anything. */
function checkSubmitted(submitted: unknown, all: readonly SubmitOptions[]): void {
  const { role } = (typeof submitted === 'object' && submitted !== null ? submitted : { role: submitted }) as {
    readonly role?: unknown;
  };
  if (typeof role !== 'string')
    throw new InvalidOptionError(
      `kit.submit takes an agent, a program or the name of a role, not ${described(submitted)}.`,
    );
  for (const options of listOption<unknown>('kit.submitAll', 'options', all))
    if (typeof options !== 'object' || options === null)
      throw new InvalidOptionError(
        `kit.submit takes an object of options, such as { message }, not ${described(options)}.`,
      );
}

export class Agents implements AgentHost {
  readonly memory: Memory;
  readonly #jobs: Jobs;
  readonly #log: Log;
  readonly #agents = new Map<string, CompiledAgent>();
  readonly #runtime: AgentRuntime;
  readonly #documents: AgentEnvironment['documents'];
  /** Lets go of what tools need to have open. */
  #letGo: readonly (() => Promise<void>)[];
  /** Ends that agents are found here. */
  #leave: readonly (() => void)[] = [];

  constructor({ jobs, drivers, services, environment, log, memory, models, agents }: AgentsParts) {
    this.memory = memory;
    this.#jobs = jobs;
    this.#log = log;
    this.#documents = environment.documents;
    let made: Models | undefined;
    this.#runtime = new AgentRuntime({
      jobs,
      agents: this.#agents,
      models: () =>
        (made ??= models instanceof Models ? models : new Models({ ...modelSettings(environment), ...models })),
      memory,
      log,
      examplesFolder: environment.settings.values.examples,
      startThread: async (role, id, message, options) => (await this.submit(role, { id, message, ...options })).id,
    });
    for (const agent of agents) {
      if (!isAgent(agent))
        throw new InvalidOptionError('Statek.open: agents are made with new Agent(…).', { name: 'agents' });
      const compiled = new CompiledAgent(agent, environment);
      const tools = new BoundTools(compiled, this.#runtime, services);
      // Programs of earlier processes hold them already.
      void tools.varsWith([]);
      drivers.add(agentDriver(compiled, this.#runtime, tools));
      this.#agents.set(agent.role, compiled);
    }
    // What is wrong with them is said now, and not when the first job asks a model.
    if (models !== undefined) void this.#runtime.models;
    this.#letGo = toolSourcesOf(agents, services).map((source) => source.hold());
  }

  /** Makes its agents findable: calls of their tasks and what they remind of come here. */
  async begin(): Promise<void> {
    this.#leave = [...this.#agents.values()].map(({ agent }) => openIn(agent, this));
    for (const { role, agent } of this.#agents.values())
      if (agent.reminder !== undefined) await this.keepReminder(role, agent.reminder ?? undefined);
  }

  /** Calls of tasks are jobs here. */
  get tasks(): this {
    return this;
  }

  async keepReminder(role: string, reminder: Reminder | undefined): Promise<void> {
    await this.#runtime.keepReminder(role, reminder);
  }

  /** A job as the application sees it. */
  job<Result>(row: JobRow): Job<Result> {
    return Job.over({ jobs: this.#jobs, runtime: this.#runtime }, row);
  }

  /** Where documents are that agents read in a knowledge base. */
  readDocumentsFrom(open: (base: string) => KnowledgeIndex): void {
    if (this.#documents instanceof KnowledgeDocuments) this.#documents.readFrom(open);
  }

  /** The agents this process works for. */
  all(): readonly CompiledAgent[] {
    return [...this.#agents.values()];
  }

  /** An agent by its role, with what is around it here. */
  compiled(role: string): CompiledAgent | undefined {
    return this.#agents.get(role);
  }

  async submit<Result = unknown>(submitted: Submitted<Result>, options: SubmitOptions = {}): Promise<Job<Result>> {
    const [job] = await this.submitAll(submitted, [options]);
    return job as Job<Result>;
  }

  /** Submits jobs in one durable write, with the definitions that are not in the store yet. */
  async submitAll<Result = unknown>(
    submitted: Submitted<Result>,
    all: readonly SubmitOptions[],
  ): Promise<readonly Job<Result>[]> {
    checkSubmitted(submitted, all);
    const agent = this.#agentOf(submitted);
    if (agent === undefined) return this.#found(await this.#jobs.submitAll(submitted as Driver | string, all));
    return this.#submitAll(agent, submitted, all, {});
  }

  /** Makes a job of an event: a driver has it as its input, an agent in the variable `event`. */
  async enqueue<Result = unknown>(
    submitted: Submitted<Result>,
    event: unknown,
    options: Omit<SubmitOptions, 'input'>,
  ): Promise<Job<Result>> {
    return this.#agentOf(submitted) === undefined
      ? this.submit(submitted, { ...options, input: event })
      : this.submit(submitted, { ...options, vars: { ...options.vars, event } });
  }

  /** Makes a job of an example: what was said is said again, and its code runs for real. */
  async playExample(
    agent: AgentDefinition | string,
    example: Example | string | number,
    options: SubmitOptions,
  ): Promise<Job> {
    const found = this.#agentOf(agent);
    if (found === undefined) throw new InvalidOptionError('kit.playExample: an agent of this kit plays the example.');
    const { items } =
      typeof example === 'object' ? example : (found.environment.examples?.find(found.role, example) ?? { items: [] });
    if (items.length === 0) throw new InvalidOptionError('kit.playExample: there is nothing in this example.');
    const [job] = await this.#submitAll(found, found.agent, [options], { example: items });
    return job as Job;
  }

  /** Answers a question that a program asked. */
  async answer(futureId: string, value: unknown): Promise<void> {
    await this.#jobs.system.workspaces.answer(futureId, value);
  }

  /** A value for the program of a task, where programs may keep anything; returns the code that finds it. */
  share(value: unknown): string {
    const key = String(this.#runtime.shared.size + 1);
    this.#runtime.shared.set(key, value);
    return `_sharedValue(${JSON.stringify(key)})`;
  }

  /** From now on agents are not found here. */
  leave(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
  }

  /** Lets go of what tools had open, after the last job. */
  async close(): Promise<void> {
    this.#runtime.deltas.close();
    const all = this.#letGo;
    this.#letGo = [];
    await Promise.all(all.map((letGo) => letGo()));
    await this.#log.flush();
  }

  async #submitAll<Result>(
    agent: CompiledAgent,
    submitted: Submitted<Result>,
    all: readonly SubmitOptions[],
    more: Pick<AgentInput, 'example'>,
  ): Promise<readonly Job<Result>[]> {
    for (const source of agent.agent.toolSources) await source.settled();
    const made = all.map((options) => this.#withDefinition(agent, submitted, options, more));
    const { definitions } = this.#runtime;
    const fresh = new Map(made.flatMap(({ def }) => (definitions.has(def.hash) ? [] : [[def.hash, def]])));
    const ids = await this.#jobs.submitAll(
      agent.role,
      made.map(({ options }) => options),
      {
        checks: [],
        writes: [...fresh.values()].map(({ hash, definition }) => ({
          kind: 'put',
          collection: definitionRows,
          key: [hash],
          value: definition,
        })),
      },
    );
    for (const { hash, definition } of fresh.values()) definitions.set(hash, definition);
    return this.#found(ids);
  }

  async #found<Result>(ids: readonly string[]): Promise<readonly Job<Result>[]> {
    return Promise.all(ids.map(async (id) => this.job<Result>(await this.#jobs.row(id))));
  }

  #agentOf(submitted: Submitted): CompiledAgent | undefined {
    if (typeof submitted === 'string') return this.#agents.get(submitted);
    if (!isAgent(submitted) && !(submitted instanceof JobDef)) return undefined;
    const agent = this.#agents.get(submitted.role);
    if (agent === undefined || (isAgent(submitted) && submitted !== agent.agent))
      throw new DriverMissingError(
        `The agent '${submitted.role}' was not given to Statek.open({ agents }), so no process would find it again.`,
        { role: submitted.role },
      );
    return agent;
  }

  #withDefinition(
    agent: CompiledAgent,
    submitted: Submitted,
    options: SubmitOptions,
    more: Pick<AgentInput, 'example'>,
  ): { def: JobDef; options: JobOptions } {
    const own = Object.entries(options);
    const defined = own.filter(([name]) => name !== 'vars' && Object.hasOwn(jobDefOptionNames, name));
    const { memory } = options;
    if (memory !== undefined) {
      refuseUnknownOptions('kit.submit: memory', memory, { specifiers: true, readonly: true });
      this.memory.bind(memory.specifiers);
    }
    const driven = Object.fromEntries(
      own.filter(([name]) => name !== 'memory' && (name === 'vars' || !Object.hasOwn(jobDefOptionNames, name))),
    );
    if (submitted instanceof JobDef && defined.length > 0)
      throw new InvalidOptionError(`kit.submit: '${defined[0]?.[0] ?? ''}' is part of the definition that was given.`);
    const def =
      submitted instanceof JobDef
        ? submitted
        : agent.createJobDef({ ...Object.fromEntries(defined), vars: options.vars ?? {} });
    refuseReservedNames('kit.submit', Object.keys(options.vars ?? {}), def.definition.language);
    return {
      def,
      options: {
        ...driven,
        input: {
          definition: def.hash,
          ...more,
          ...(memory === undefined ? {} : { memory }),
          ...(agent.agent.options.onChange === 'restart' && !(submitted instanceof JobDef)
            ? { made: Object.fromEntries(defined) }
            : {}),
        },
      },
    };
  }
}

/** Where the tools of agents, and those among the services, come from. */
function toolSourcesOf(agents: readonly AgentDefinition[], services: ReadonlyMap<string, object>): ToolSource[] {
  const ofServices = [...services.values()].flatMap((service) => sourceOf(service) ?? []);
  return [...new Set([...agents.flatMap((agent) => [...agent.toolSources]), ...ofServices])];
}

/** What settings say about models; the models read their own variables themselves. */
function modelSettings({ settings: { values, environment } }: AgentEnvironment): ModelsOptions {
  return {
    env: environment,
    ...(values.defaultProvider === undefined ? {} : { defaultProvider: values.defaultProvider }),
    ...(values.prices === undefined ? {} : { prices: values.prices }),
    ...(values.modelAttempts === undefined ? {} : { retry: { attempts: values.modelAttempts } }),
    ...(values.modelConcurrency === undefined ? {} : { concurrency: values.modelConcurrency }),
    ...(values.modelSilence === undefined ? {} : { limits: { silence: values.modelSilence * 1000 } }),
  };
}
