// Where the variables of tasks stay: nowhere, in this process, or in a store.
import { randomUUID } from 'node:crypto';
import { choiceOption, InvalidOptionError, refuseUnknownOptions, textOption } from '../../base/options.ts';
import { openSource, type Store, type StoreSource } from '../../store/door.ts';
import {
  KitClosedError,
  NotFoundError,
  Past,
  type VariableDifference,
  type Workspace,
  type WorkspaceCommit,
} from '../../workspace/door.ts';
import type { Job } from '../job.ts';
import type { Agent } from '../kinds/agent.ts';
import type { AgentDefinition } from '../kinds/agent-definition.ts';
import { openServices, type Services } from '../services.ts';
import { taskEvents, type TaskEvent } from './events.ts';
import { isTool, ownVariables } from '../tools/tool-variables.ts';
import { inMemory } from './stateless.ts';
import type { TaskAgent, TaskCall, TaskPlace, TaskState } from './task-host.ts';

/** Variables of tasks that stay as long as this process and this object do; they may hold anything. Made by `Live()`. */
export interface LiveState extends TaskState {
  /** The variables of an agent's tasks. */
  variables(agent: Agent): Promise<Readonly<Record<string, unknown>>>;
  /** Ends it: the variables of a live state are gone, those of a versioned one are in its store. */
  close(): Promise<void>;
}

/** Variables of tasks that stay in a store, with a commit for each slice. Made by `Versioned(store)`. */
export interface VersionedState extends LiveState {
  /** The commits of an agent's variables, newest first. */
  commits(agent: Agent, options?: { readonly limit?: number | undefined }): Promise<readonly WorkspaceCommit[]>;
  /** The variables of the agent whose commit it is, as they were, to look at. */
  checkout(commit: string): Promise<Past>;
  /** Which variables differ between two commits. */
  diff(from: string, to: string): Promise<readonly VariableDifference[]>;
  /** The variables of the agent whose commit it is become what they were, after the calls under way; nothing is destroyed. */
  rollback(commit: string): Promise<void>;
  /** Another state that begins with the variables of all agents as they were at this commit. Both go on by themselves. */
  fork(commit: string): Promise<VersionedState>;
}

/** The variables of one agent's tasks: a workspace, and the kit it is in. */
interface AgentPlace {
  readonly role: string;
  readonly services: Services;
  readonly workspace: Workspace;
}

/** A workspace for each agent. Calls are jobs in it, one after another, in whichever process they are made. */
abstract class KeptState implements LiveState {
  readonly #services = new Map<string, Promise<Services>>();
  readonly #last = new Map<string, Promise<unknown>>();
  #isClosed = false;

  protected abstract open(agent: AgentDefinition): Promise<Services>;
  protected abstract readonly keepsAnything: boolean;

  async submit(agent: TaskAgent, submit: (place: TaskPlace) => Promise<Job>): Promise<TaskCall> {
    return this.#inOrder(agent.role, async () => {
      const { jobs, agents } = await this.#servicesOf(agent);
      const workspace = this.nameOf(agent.role);
      // A state that was made when all calls were one job goes on with what that job left.
      await jobs.shareWorkspace(workspace);
      const share = this.keepsAnything ? (value: unknown) => agents.share(value) : undefined;
      const place: TaskPlace = { host: agents, workspace, share };
      return { place, job: await submit(place) };
    });
  }

  async variables(agent: Agent): Promise<Readonly<Record<string, unknown>>> {
    return ownVariables(await (await this.workspace(agent)).locals());
  }

  /** Those of all agents that have used it. */
  async places(): Promise<readonly AgentPlace[]> {
    const found = await Promise.all(
      [...this.#services].map(async ([role, opened]) => {
        const services = await opened;
        const workspace = await services.workspaces.find(this.nameOf(role));
        return workspace === undefined ? [] : [{ role, services, workspace }];
      }),
    );
    return found.flat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // What could not be opened need not be closed.
    const all = await Promise.allSettled(this.#services.values());
    this.#services.clear();
    for (const opened of all) if (opened.status === 'fulfilled') await opened.value.close();
  }

  protected refuseClosed(): void {
    if (this.#isClosed)
      throw new KitClosedError('This state was closed. Make another one with Live() or Versioned(…).');
  }

  protected async workspace(agent: AgentDefinition): Promise<Workspace> {
    const workspace = await (await this.#servicesOf(agent)).workspaces.find(this.nameOf(agent.role));
    if (workspace !== undefined) return workspace;
    throw new NotFoundError(`No task of the agent '${agent.role}' has run with this state yet.`, { role: agent.role });
  }

  protected nameOf(role: string): string {
    return `task of ${role}`;
  }

  /** Calls that were made one after another are submitted one after another. */
  #inOrder<Result>(role: string, action: () => Promise<Result>): Promise<Result> {
    const next = (this.#last.get(role) ?? Promise.resolve()).then(action);
    this.#last.set(
      role,
      next.catch(() => undefined),
    );
    return next;
  }

  async #servicesOf(agent: TaskAgent): Promise<Services> {
    this.refuseClosed();
    const { role } = agent;
    let opened = this.#services.get(role);
    if (opened === undefined) {
      opened = this.open(agent as AgentDefinition);
      this.#services.set(role, opened);
      // A failure to open is not remembered: the service behind the store may come back.
      opened.catch(() => this.#services.delete(role));
    }
    return opened;
  }
}

class InProcess extends KeptState {
  protected readonly keepsAnything = true;

  protected open(agent: AgentDefinition): Promise<Services> {
    return inMemory(agent);
  }
}

class InStore extends KeptState implements VersionedState {
  protected readonly keepsAnything = false;
  readonly #store: string | Store | StoreSource | InStore | undefined;
  /** What the workspaces of a fork are called by, besides their roles. */
  readonly #fork: string;
  #opened: Promise<{ readonly store: Store; readonly isOwned: boolean }> | undefined;
  #reader: Promise<Services> | undefined;

  constructor(store?: string | Store | StoreSource | InStore, fork = '') {
    super();
    this.#store = store;
    this.#fork = fork;
  }

  async commits(
    agent: Agent,
    options: { readonly limit?: number | undefined } = {},
  ): Promise<readonly WorkspaceCommit[]> {
    return (await this.workspace(agent)).commits(options);
  }

  async checkout(commit: string): Promise<Past> {
    return (await (await this.#placeWith(commit)).workspace.at(commit)).withOwn(ownVariables);
  }

  async diff(from: string, to: string): Promise<readonly VariableDifference[]> {
    return (await this.#placeWith(from)).workspace.diff(from, to);
  }

  async rollback(commit: string): Promise<void> {
    const { services, workspace } = await this.#placeWith(commit);
    await services.jobs.whenFree(workspace.id, () => workspace.rollback(commit));
  }

  async fork(commit: string): Promise<InStore> {
    const owner = await this.#placeWith(commit);
    const time = (await owner.workspace.commit(commit))?.time ?? new Date(0);
    const fork = new InStore(this, `${this.#fork}~${randomUUID().slice(0, 8)}`);
    for (const { role, workspace } of await this.places()) {
      const hash = workspace.id === owner.workspace.id ? commit : await lastCommitUntil(workspace, time);
      if (hash !== undefined) await workspace.fork(hash, fork.nameOf(role));
    }
    return fork;
  }

  override async places(): Promise<readonly AgentPlace[]> {
    this.refuseClosed();
    const used = new Map((await super.places()).map((place) => [place.workspace.id, place]));
    this.#reader ??= this.openedStore()
      .then((store) => openServices({ store }, true))
      .catch((error: unknown) => {
        this.#reader = undefined;
        throw error;
      });
    const reader = await this.#reader;
    const found: AgentPlace[] = [];
    for await (const name of reader.workspaces.names(super.nameOf(''))) {
      const known = used.get(name);
      const role = known?.role ?? this.#roleOf(name);
      if (role !== undefined)
        found.push(known ?? { role, services: reader, workspace: reader.workspaces.workspace(name) });
    }
    return found;
  }

  override async close(): Promise<void> {
    await super.close();
    const [reader, opened] = [this.#reader, this.#opened];
    this.#reader = undefined;
    this.#opened = undefined;
    await (await reader?.catch(() => undefined))?.close();
    const found = await opened?.catch(() => undefined);
    if (found?.isOwned === true) await found.store.close();
  }

  protected async openedStore(): Promise<Store> {
    this.refuseClosed();
    const given = this.#store;
    this.#opened ??= (
      given instanceof InStore
        ? given.openedStore().then((store) => ({ store, isOwned: false }))
        : openSource(given ?? 'memory:')
    ).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return (await this.#opened).store;
  }

  protected async open(agent: AgentDefinition): Promise<Services> {
    return openServices({ store: await this.openedStore(), agents: [agent], models: agent.options.models }, true);
  }

  protected override nameOf(role: string): string {
    return `${super.nameOf(role)}${this.#fork}`;
  }

  /** The role of a workspace of this state; undefined for one of a fork, or of the state this was forked from. */
  #roleOf(workspace: string): string | undefined {
    if (!workspace.endsWith(this.#fork)) return undefined;
    const role = workspace.slice(super.nameOf('').length, workspace.length - this.#fork.length);
    return /~[0-9a-f]{8}$/.test(role) ? undefined : role;
  }

  async #placeWith(commit: string): Promise<AgentPlace> {
    textOption('state', 'the hash of a commit', commit);
    for (const place of await this.places()) if ((await place.workspace.commit(commit)) !== undefined) return place;
    throw new NotFoundError(`No agent's variables have the commit ${commit} in this state.`, { commit });
  }
}

async function lastCommitUntil(workspace: Workspace, time: Date): Promise<string | undefined> {
  let cursor: string | undefined;
  do {
    const page = await workspace.commitPage({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    const found = page.commits.find((one) => one.time <= time);
    if (found !== undefined) return found.hash;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}

/** What happened in the calls made with a state, of all agents. */
export async function events(state: LiveState | VersionedState): Promise<readonly TaskEvent[]> {
  const all: TaskEvent[] = [];
  for (const { services, workspace } of await keptState('events', state).places())
    for await (const row of services.jobs.inWorkspace(workspace.id))
      all.push(...(await taskEvents(services.agents.job(row))));
  return all.toSorted((a, b) => a.time.getTime() - b.time.getTime());
}

/**
 * The variables in a state, by agent: all of them, or those that the last change of each agent's was about. Of a commit
 * that was checked out: its variables, all of them.
 */
export async function view(
  state: Past,
  options?: { readonly focus?: 'full' | undefined },
): Promise<Readonly<Record<string, unknown>>>;
export async function view(
  state: LiveState | VersionedState,
  options?: { readonly focus?: 'recent' | 'full' | undefined },
): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
export async function view(
  state: LiveState | VersionedState | Past,
  options: { readonly focus?: 'recent' | 'full' | undefined } = {},
): Promise<Readonly<Record<string, unknown>>> {
  refuseUnknownOptions('view', options, { focus: true });
  const { focus = state instanceof Past ? 'full' : 'recent' } = options;
  choiceOption('view', 'focus', focus, ['recent', 'full']);
  if (state instanceof Past) {
    if (focus !== 'full')
      throw new InvalidOptionError("view: a commit is viewed as a whole: 'focus' is 'full'.", { name: 'focus' });
    return state.locals();
  }
  const views = (await keptState('view', state).places()).map(async ({ role, workspace }) => {
    const all = ownVariables(await workspace.locals());
    const names = focus === 'full' ? undefined : await recentNames(workspace);
    return [role, Object.fromEntries(Object.entries(all).filter(([name]) => names?.has(name) ?? true))] as const;
  });
  return Object.fromEntries(await Promise.all(views));
}

function keptState(where: string, state: unknown): KeptState {
  if (state instanceof KeptState) return state;
  throw new InvalidOptionError(`${where} takes a state made by Live() or Versioned(…).`, { where });
}

/** The variables that the latest commit which changed any has changed. */
async function recentNames(workspace: Workspace): Promise<ReadonlySet<string>> {
  let cursor: string | undefined;
  let after: string | undefined;
  do {
    const page = await workspace.commitPage({ limit: 50, ...(cursor === undefined ? {} : { cursor }) });
    for (const { hash } of page.commits) {
      const changed = after === undefined ? [] : await workspace.diff(hash, after);
      const names = changed.filter(({ after: shown, name }) => !isTool(name, shown)).map(({ name }) => name);
      if (names.length > 0) return new Set(names);
      after = hash;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return new Set();
}

/**
 * A state in this process: the variables of tasks that are called with it stay until it is closed.
 *
 * @example
 * import { Agent, Live, Models } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 * import { z } from 'zod';
 *
 * const script = scriptedModel(['globalThis.seen = [input]; exit(1)', 'seen.push(input); exit(seen.length)']);
 * const models = new Models({ models: { script } });
 * const agent = new Agent({ role: 'counter', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' }, models });
 * const count = agent.task({ input: z.string(), output: z.number(), description: 'Counts calls.' });
 * const state = Live();
 * console.log(await count('one', { state }), await count('two', { state })); // prints 1 2
 * await state.close();
 */
export function Live(): LiveState {
  return new InProcess();
}

/**
 * A state in a store, which is a folder or `.db` file, `postgres://…`, `redis://…`, `Disk(…)`, `Cache(…)`, `storeOf(…)` or an opened store; default:
 * in memory.
 *
 * @example
 * import { Agent, Models, Versioned } from 'statek';
 * import { scriptedModel } from 'statek/testing';
 * import { z } from 'zod';
 *
 * const script = scriptedModel(['globalThis.total = input; exit(total)', 'total += input; exit(total)']);
 * const models = new Models({ models: { script } });
 * const agent = new Agent({ role: 'adder', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' }, models });
 * const add = agent.task({ input: z.number(), output: z.number(), description: 'Adds numbers up.' });
 * const state = Versioned(); // a folder keeps it across restarts
 * await add(20, { state });
 * const [before] = await state.commits(agent);
 * await add(22, { state });
 * await state.rollback(before?.hash ?? '');
 * console.log((await state.variables(agent))['total']); // prints 20
 * await state.close();
 */
export function Versioned(store?: string | Store | StoreSource): VersionedState {
  return new InStore(store);
}
