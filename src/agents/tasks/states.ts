// Where the variables of tasks stay: nowhere, in this process, or in a store.
import { randomUUID } from 'node:crypto';
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { NotFoundError } from '../../workspace/errors.ts';
import type { VariableDifference } from '../../workspace/locals.ts';
import type { Past } from '../../workspace/past.ts';
import type { WorkspaceCommit } from '../../workspace/workspace.ts';
import type { Agent } from '../agent.ts';
import type { Job } from '../job.ts';
import { Statek } from '../kit.ts';
import { taskEvents, type TaskEvent } from './events.ts';
import { places, type TaskAgent, type TaskPlace, type TaskState } from './task.ts';

/** What a state is looked at for: what the last change made, or everything. */
export type Focus = 'recent' | 'full';

/** One job per agent, whose calls follow each other. */
abstract class KeptState implements TaskState {
  readonly #kits = new Map<string, Promise<Statek>>();
  readonly #last = new Map<string, Promise<unknown>>();

  protected abstract open(agent: Agent): Promise<Statek>;
  protected abstract readonly keepsAnything: boolean;

  async run<Result>(agent: TaskAgent, action: (place: TaskPlace) => Promise<Result>): Promise<Result> {
    return this.queued(agent.role, async () => {
      const kit = await this.#kitOf(agent);
      const id = this.idOf(agent.role);
      return action({
        kit,
        job: id,
        find: () => found(kit, id),
        share: this.keepsAnything ? (value) => kit.share(value) : undefined,
      });
    });
  }

  /** The variables of an agent's tasks. */
  async variables(agent: Agent): Promise<Readonly<Record<string, unknown>>> {
    return (await this.job(agent)).locals();
  }

  /** @internal The jobs of all agents that have used it. */
  async jobs(): Promise<readonly Job[]> {
    const jobs = await Promise.all([...this.#kits].map(async ([role, kit]) => found(await kit, this.idOf(role))));
    return jobs.filter((job) => job !== undefined);
  }

  async close(): Promise<void> {
    const kits = await Promise.all(this.#kits.values());
    this.#kits.clear();
    for (const kit of kits) await kit.close();
  }

  /** After everything that was asked for before. */
  protected queued<Result>(role: string, action: () => Promise<Result>): Promise<Result> {
    const next = (this.#last.get(role) ?? Promise.resolve()).then(action);
    this.#last.set(
      role,
      next.catch(() => undefined),
    );
    return next;
  }

  protected async job(agent: Agent): Promise<Job> {
    return (await this.#kitOf(agent)).job(this.idOf(agent.role));
  }

  protected idOf(role: string): string {
    return `task of ${role}`;
  }

  async #kitOf(agent: TaskAgent): Promise<Statek> {
    let kit = this.#kits.get(agent.role);
    if (kit === undefined) this.#kits.set(agent.role, (kit = this.open(agent as Agent)));
    return kit;
  }
}

/** Variables stay as long as this process and this object do; they may hold anything. */
export class LiveState extends KeptState {
  protected readonly keepsAnything = true;

  protected open(agent: Agent): Promise<Statek> {
    return privateKit(agent);
  }
}

/** Variables stay in a store, with a commit for each slice. */
export class VersionedState extends KeptState {
  protected readonly keepsAnything = false;
  readonly #store: string | Store | VersionedState | undefined;
  /** What the jobs of a fork are called by, besides their roles. */
  readonly #fork: string;
  #opened: Promise<Store> | undefined;
  #reader: Promise<Statek> | undefined;

  constructor(store?: string | Store | VersionedState, fork = '') {
    super();
    this.#store = store;
    this.#fork = fork;
  }

  /** The commits of an agent's variables, newest first. */
  async commits(agent: Agent, options: { readonly limit?: number } = {}): Promise<readonly WorkspaceCommit[]> {
    return (await this.job(agent)).commits(options);
  }

  /** The variables of the agent whose commit it is, as they were, to look at. */
  async checkout(commit: string): Promise<Past> {
    return (await this.#jobWith(commit)).at(commit);
  }

  async diff(from: string, to: string): Promise<readonly VariableDifference[]> {
    return (await this.#jobWith(from)).diff(from, to);
  }

  /** The variables of the agent whose commit it is become what they were; nothing is destroyed. */
  async rollback(commit: string): Promise<void> {
    const job = await this.#jobWith(commit);
    await this.queued(job.role, async () => (await job.workspace()).rollback(commit));
  }

  /** Another state that begins with the variables as they were at this commit, of all agents. Both go on by themselves. */
  async fork(commit: string): Promise<VersionedState> {
    const owner = await this.#jobWith(commit);
    const { time } = (await owner.commits()).find(({ hash }) => hash === commit) ?? { time: new Date(0) };
    const fork = new VersionedState(this, `${this.#fork}~${randomUUID().slice(0, 8)}`);
    for (const job of await this.jobs()) {
      const hash = job.id === owner.id ? commit : (await job.commits()).find((one) => one.time <= time)?.hash;
      if (hash !== undefined) await this.queued(job.role, () => job.fork(hash, fork.idOf(job.role)));
    }
    return fork;
  }

  override async jobs(): Promise<readonly Job[]> {
    const used = new Map((await super.jobs()).map((job) => [job.id, job]));
    this.#reader ??= this.openedStore().then((store) => Statek.open({ store }));
    const all = await (await this.#reader).jobs({ limit: 1000 });
    const mine = all.filter(({ id, role }) => id === this.idOf(role));
    return mine.map((job) => used.get(job.id) ?? job);
  }

  override async close(): Promise<void> {
    await super.close();
    await (await this.#reader)?.close();
    if (typeof this.#store !== 'object') await (await this.#opened)?.close();
  }

  protected openedStore(): Promise<Store> {
    const given = this.#store;
    this.#opened ??=
      given instanceof VersionedState
        ? given.openedStore()
        : typeof given === 'object'
          ? Promise.resolve(given)
          : openStore(given ?? 'memory:');
    return this.#opened;
  }

  protected async open(agent: Agent): Promise<Statek> {
    const before = agent.kit;
    const kit = await Statek.open({ store: await this.openedStore(), agents: [agent], models: agent.options.models });
    agent.kit = before;
    return kit;
  }

  protected override idOf(role: string): string {
    return `${super.idOf(role)}${this.#fork}`;
  }

  async #jobWith(commit: string): Promise<Job> {
    for (const job of await this.jobs()) if ((await job.commits()).some(({ hash }) => hash === commit)) return job;
    throw new NotFoundError(`No agent's variables have the commit ${commit} in this state.`, { commit });
  }
}

/** What happened in the calls made with a state, agent by agent. */
export async function events(state: LiveState | VersionedState): Promise<readonly TaskEvent[]> {
  const all = await Promise.all((await state.jobs()).map((job) => taskEvents(job)));
  return all.flat().toSorted((a, b) => a.time.getTime() - b.time.getTime());
}

/** The variables in a state, by agent: all of them, or those that the last change of each agent's was about. */
export async function view(
  state: LiveState | VersionedState,
  options: { readonly focus?: Focus | undefined } = {},
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  refuseUnknownOptions('view', options, ['focus']);
  const { focus = 'recent' } = options;
  if (focus !== 'recent' && focus !== 'full')
    throw new InvalidOptionError("view: 'focus' is 'recent' or 'full'.", { name: 'focus' });
  const views = (await state.jobs()).map(async (job) => {
    const all = await job.locals();
    const names = focus === 'full' ? undefined : await recentNames(job);
    return [job.role, Object.fromEntries(Object.entries(all).filter(([name]) => names?.has(name) ?? true))] as const;
  });
  return Object.fromEntries(await Promise.all(views));
}

/** The variables that the latest commit which changed any has changed. */
async function recentNames(job: Job): Promise<ReadonlySet<string>> {
  const commits = await job.commits({ limit: 50 });
  for (let index = 0; index + 1 < commits.length; index++) {
    const changed = await job.diff(commits[index + 1]?.hash ?? '', commits[index]?.hash ?? '');
    if (changed.length > 0) return new Set(changed.map(({ name }) => name));
  }
  return new Set();
}

export function Live(): LiveState {
  return new LiveState();
}

/** A folder or `.db` file, `postgres://…` or a store; in memory unless told. */
export function Versioned(store?: string | Store, options: object = {}): VersionedState {
  refuseUnknownOptions('Versioned', options, []);
  return new VersionedState(store);
}

/** Each call is a job of its own: in the kit the agent is open in, or in one that lasts as long as the call. */
places.none = {
  async run(agent, action) {
    const nowhere = { job: undefined, find: () => Promise.resolve(undefined) };
    if (agent.kit !== undefined) return action({ ...nowhere, kit: agent.kit, share: undefined });
    const kit = await privateKit(agent as Agent);
    try {
      return await action({ ...nowhere, kit, share: (value) => kit.share(value), over: () => kit.close() });
    } catch (error) {
      await kit.close();
      throw error;
    }
  },
};

/** A kit of its own must not become the one that the agent's other calls are made in. */
async function privateKit(agent: Agent): Promise<Statek> {
  const before = agent.kit;
  const kit = await Statek.open({ store: 'memory:', live: true, agents: [agent], models: agent.options.models });
  agent.kit = before;
  return kit;
}

async function found(kit: Statek, id: string): Promise<Job | undefined> {
  try {
    return await kit.job(id);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
