// An opened Statek: a store, engines, models, agents, and the jobs and workspaces in it.
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import {
  jobKitOptionNames,
  Statek as JobKit,
  type JobPage as DrivenJobPage,
  type StatekOptions as JobKitOptions,
} from '../jobs/kit.ts';
import type { Driver, Program } from '../jobs/driver.ts';
import { delivery } from '../jobs/inbox.ts';
import type { JobParts } from '../jobs/job.ts';
import type { JobPageOptions } from '../jobs/listing.ts';
import { changeJob } from '../jobs/requesting.ts';
import { jobCollections, type JobRow } from '../jobs/rows.ts';
import type { SubmitOptions as DrivenSubmitOptions } from '../jobs/new-job.ts';
import { DriverMissingError } from '../jobs/errors.ts';
import { Models, type ModelsOptions } from '../models/models.ts';
import { mustCommit } from '../store/must-commit.ts';
import { wholeText } from '../workspace/large-texts.ts';
import { refuseReservedNames } from '../workspace/reserved-names.ts';
import { openKit, type KitParts } from '../workspace/open-kit.ts';
import { Agent } from './agent.ts';
import { jobDefOptionNames, type JobDefOptions } from './agent-options.ts';
import { agentCollections, chatRows, definitionRows } from './chat/item.ts';
import { JobDef } from './definition.ts';
import { Job } from './job.ts';
import type { Example } from './examples/example.ts';
import { Log } from './log.ts';
import { agentDriver } from './loop/driver.ts';
import type { AgentInput } from './loop/input.ts';
import { restoreConversation } from './loop/restore.ts';
import type { LoopState } from './loop/state.ts';
import { reminderRows } from './reminder.ts';
import type { MemoryBinding } from './memory/binding.ts';
import { bindingOf, type MemoryOptions } from './memory/granted.ts';
import { Memory } from './memory/memory.ts';
import { AgentRuntime } from './loop/runtime.ts';
import type { SettingOptions } from './settings/settings.ts';
import { Surroundings } from './surroundings.ts';
import { BoundTools } from './tools/bound-tools.ts';
import { sourceOf, type ToolSource } from './tools/tool-source.ts';

export interface StatekOptions extends JobKitOptions {
  /** Agents this process works for. */
  readonly agents?: readonly Agent[] | undefined;
  /** Where agents find their models; those of the environment unless told. */
  readonly models?: Models | ModelsOptions | undefined;
  /** Settings of agents; `STATEK_…` variables and `.env` say what is not said here. */
  readonly settings?: SettingOptions | undefined;
  /** What is remembered across jobs: categories of facts in addition to PREFERENCE, ENTITY and VOCABULARY. */
  readonly memory?: { readonly categories?: readonly string[] | undefined } | undefined;
}

/** What a job of an agent is submitted with. */
export interface SubmitOptions
  extends
    DrivenSubmitOptions,
    Pick<
      JobDefOptions,
      'metadata' | 'parameters' | 'warmup' | 'chatStyle' | 'locale' | 'settings' | 'fallbacks' | 'limits'
    > {
  /** What it is bound to, of what is remembered across jobs. */
  readonly memory?: MemoryOptions | undefined;
}

export interface JobPage extends DrivenJobPage {
  readonly jobs: readonly Job[];
}

type Submitted<Result = unknown> = Agent | JobDef | Program<Result> | string;

export class Statek extends JobKit {
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #runtime: AgentRuntime;
  /** What ends the keeping of reminders. */
  readonly #forgetting: (() => void)[] = [];
  /** Lets go of what tools need to have open. */
  #letGo: readonly (() => Promise<void>)[];
  /** What is remembered across jobs. */
  readonly memory: Memory;

  /** Opens a store and everything needed to run what is in it. */
  static override async open(options: StatekOptions): Promise<Statek> {
    refuseUnknownOptions('Statek.open', options, [...jobKitOptionNames, 'agents', 'models', 'settings', 'memory']);
    refuseUnknownOptions('Statek.open: memory', options.memory ?? {}, ['categories']);
    return openKit(options, [...jobCollections, ...agentCollections, reminderRows], async (parts) => {
      const memory = await Memory.open(parts.store, { clock: parts.clock, ...options.memory });
      const kit = new Statek(parts, options, memory);
      await kit.jobSystem.announceRoles();
      for (const agent of options.agents ?? [])
        kit.#forgetting.push(await agent.keepReminders((reminder) => kit.#runtime.keepReminder(agent.role, reminder)));
      return kit;
    });
  }

  /** @internal */
  protected constructor(parts: KitParts, options: StatekOptions, memory: Memory) {
    const { agents = [], models, settings, memory: _memory, ...rest } = options;
    for (const agent of agents)
      if (!(agent instanceof Agent)) throw new InvalidOptionError('Statek.open: agents are made with new Agent(…).');
    const surroundings = Surroundings.ofProcess(settings, parts.clock);
    for (const agent of agents) agent.surroundings = surroundings;
    const { values } = surroundings.settings;
    let made: Models | undefined;
    const runtime = new AgentRuntime(
      parts.store,
      parts.clock,
      () => (made ??= models instanceof Models ? models : new Models({ ...modelSettings(surroundings), ...models })),
      {
        log: new Log({ level: values.logLevel, traceFile: values.traceFile }),
        examplesFolder: values.examples,
      },
    );
    const drivers = agents.map((agent) => {
      const tools = new BoundTools(agent, runtime, parts.services);
      // Programs of earlier processes hold them already.
      void tools.vars;
      return agentDriver(agent, runtime, tools);
    });
    super(
      parts,
      { ...rest, drivers: [...(rest.drivers ?? []), ...drivers] },
      {
        owned: [chatRows],
        restore: (restoring) => restoreConversation(parts.store, restoring),
        report: (level, text, data) => runtime.log.log(level, text, data),
      },
    );
    this.#letGo = toolSourcesOf(agents, parts.services).map((source) => source.hold());
    this.#agents = new Map(agents.map((agent) => [agent.role, agent]));
    this.#runtime = runtime;
    this.memory = memory;
    runtime.memoryOf = (job) => this.#memoryOf(job);
    runtime.rolesElsewhere = () =>
      [...this.jobSystem.roles.all()].flatMap(([role, { about }]) => (about === undefined ? [] : [{ role, ...about }]));
    runtime.notify = (job, body) =>
      changeJob(this.jobSystem, job, () =>
        delivery(this.jobSystem, job, {
          kind: 'notice',
          from: job,
          body: this.jobSystem.shared.encode(body, 'A notice'),
        }),
      );
    const stateOf = async (job: string): Promise<LoopState | undefined> =>
      (await this.jobSystem.read(job))?.row.state as unknown as LoopState | undefined;
    runtime.isMute = async (job) => (await stateOf(job))?.spoken !== undefined;
    runtime.style = async (job) => (await stateOf(job))?.style;
    runtime.variable = async (job, name) => (await this.job(job)).local(name);
    runtime.dialog = async (job) => (await this.job(job)).dialog();
    runtime.say = async (job, message) => (await this.job(job)).say(message);
    runtime.startThread = async (role, id, message, vars) => (await this.submit(role, { id, message, vars })).id;
    for (const agent of agents) {
      agent.kit = this;
      runtime.agents.set(agent.role, agent);
    }
  }

  /** Submits a job of an agent, of a definition, or of a driver. It is started by whichever process works on its role. */
  override async submit<Result = unknown>(
    submitted: Submitted<Result>,
    options: SubmitOptions = {},
  ): Promise<Job<Result>> {
    const [job] = await this.submitAll(submitted, [options]);
    return job as Job<Result>;
  }

  /** Submits many jobs in one durable write. */
  override async submitAll<Result = unknown>(
    submitted: Submitted<Result>,
    all: readonly SubmitOptions[],
  ): Promise<readonly Job<Result>[]> {
    const agent = this.#agentOf(submitted);
    if (agent === undefined)
      return (await super.submitAll(submitted as Driver | string, all)) as readonly Job<Result>[];
    return (await this.#submitAll(agent, submitted, all, {})) as readonly Job<Result>[];
  }

  async #submitAll(
    agent: Agent,
    submitted: Submitted,
    all: readonly SubmitOptions[],
    more: Pick<AgentInput, 'example'>,
  ): Promise<readonly Job[]> {
    for (const source of agent.toolSources) await source.settled();
    const made = all.map((options) => this.#withDefinition(agent, submitted, options, more));
    const fresh = made.filter(({ def }) => !this.#runtime.definitions.has(def.hash));
    if (fresh.length > 0)
      await mustCommit(this.store, {
        writes: [...new Map(fresh.map(({ def }) => [def.hash, def])).values()].map((def) => ({
          kind: 'put',
          collection: definitionRows,
          key: [def.hash],
          value: def.definition,
        })),
      });
    for (const { def } of fresh) this.#runtime.definitions.set(def.hash, def.definition);
    return (await super.submitAll(
      agent.role,
      made.map(({ options }) => options),
    )) as readonly Job[];
  }

  /** Makes a job of an event: its warmup and its code find it in the variable `event`. */
  override async enqueue<Result = unknown>(
    submitted: Submitted<Result>,
    event: unknown,
    options: Omit<SubmitOptions, 'input'> = {},
  ): Promise<Job<Result>> {
    const agent = this.#agentOf(submitted);
    if (agent === undefined) return (await super.enqueue(submitted as Driver | string, event, options)) as Job<Result>;
    return this.submit(submitted, { ...options, vars: { ...options.vars, event } });
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
    const found = this.#agentOf(agent);
    if (found === undefined) throw new InvalidOptionError('kit.playExample: an agent of this kit plays the example.');
    const { items } =
      typeof example === 'object' ? example : (found.surroundings.examples?.find(found.role, example) ?? { items: [] });
    if (items.length === 0) throw new InvalidOptionError('kit.playExample: there is nothing in this example.');
    const [job] = await this.#submitAll(found, found, [options], { example: items });
    return job as Job;
  }

  override async job(id: string): Promise<Job> {
    return (await super.job(id)) as Job;
  }

  override async jobs(options: JobPageOptions = {}): Promise<readonly Job[]> {
    return (await super.jobs(options)) as readonly Job[];
  }

  override async jobPage(options: JobPageOptions = {}): Promise<JobPage> {
    return (await super.jobPage(options)) as JobPage;
  }

  /** @internal */
  override jobsIn(workspace: string): AsyncGenerator<Job, void, undefined> {
    return super.jobsIn(workspace) as AsyncGenerator<Job, void, undefined>;
  }

  /** @internal A value for the program of a task, in a kit whose programs may keep anything. */
  share(value: unknown): string {
    const key = String(this.#runtime.shared.size + 1);
    this.#runtime.shared.set(key, value);
    return `_sharedValue(${JSON.stringify(key)})`;
  }

  override async close(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    for (const agent of this.#agents.values()) if (agent.kit === this) agent.kit = undefined;
    for (const forget of this.#forgetting) forget();
    await super.close(options);
    this.#runtime.deltas.close();
    const all = this.#letGo;
    this.#letGo = [];
    await Promise.all(all.map((letGo) => letGo()));
    await this.#runtime.log.flush();
  }

  /** The agents this process works for. */
  agents(): readonly Agent[] {
    return [...this.#agents.values()];
  }

  /** An agent by its role. */
  agent(role: string): Agent | undefined {
    return this.#agents.get(role);
  }

  /** @internal */
  protected override jobOver(parts: JobParts, row: JobRow): Job {
    return Job.ofAgent(parts, row, this.#runtime);
  }

  async #memoryOf(job: string): Promise<MemoryBinding | undefined> {
    const known = await this.jobSystem.read(job);
    const input =
      known &&
      (this.jobSystem.shared.decode(await wholeText(this.store, job, known.row.input)) as AgentInput | undefined);
    const bound = input && bindingOf(input, known.row.parent !== undefined);
    return bound && this.memory.bound(bound.specifiers, bound.readonly === true);
  }

  #agentOf(submitted: Submitted): Agent | undefined {
    if (typeof submitted === 'string') return this.#agents.get(submitted);
    if (!(submitted instanceof Agent) && !(submitted instanceof JobDef)) return undefined;
    const agent = this.#agents.get(submitted.role);
    if (agent === undefined || (submitted instanceof Agent && submitted !== agent))
      throw new DriverMissingError(
        `The agent '${submitted.role}' was not given to Statek.open({ agents }), so no process would find it again.`,
        { role: submitted.role },
      );
    return agent;
  }

  #withDefinition(
    agent: Agent,
    submitted: Submitted,
    options: SubmitOptions,
    more: Pick<AgentInput, 'example'>,
  ): { def: JobDef; options: DrivenSubmitOptions } {
    const own = Object.entries(options);
    const defined = own.filter(([name]) => name !== 'vars' && jobDefOptionNames.includes(name));
    const { memory } = options;
    if (memory !== undefined) {
      refuseUnknownOptions('kit.submit: memory', memory, ['specifiers', 'readonly']);
      this.memory.bind(memory.specifiers);
    }
    const driven = Object.fromEntries(
      own.filter(([name]) => name !== 'memory' && (name === 'vars' || !jobDefOptionNames.includes(name))),
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
      options: { ...driven, input: { definition: def.hash, ...more, ...(memory === undefined ? {} : { memory }) } },
    };
  }
}

/** Where the tools of agents, and those among the services, come from. */
function toolSourcesOf(agents: readonly Agent[], services: ReadonlyMap<string, object>): ToolSource[] {
  const ofServices = [...services.values()].flatMap((service) => sourceOf(service) ?? []);
  return [...new Set([...agents.flatMap((agent) => [...agent.toolSources]), ...ofServices])];
}

/** What settings say about models; the models read their own variables themselves. */
function modelSettings({ settings: { values, environment } }: Surroundings): ModelsOptions {
  return {
    env: environment,
    ...(values.defaultProvider === undefined ? {} : { defaultProvider: values.defaultProvider }),
    ...(values.prices === undefined ? {} : { prices: values.prices }),
    ...(values.modelAttempts === undefined ? {} : { retry: { attempts: values.modelAttempts } }),
    ...(values.modelConcurrency === undefined ? {} : { concurrency: values.modelConcurrency }),
    ...(values.modelSilence === undefined ? {} : { limits: { silence: values.modelSilence * 1000 } }),
  };
}
