// Where the variables of tasks stay: nowhere, in this process, or in a store.
import { refuseUnknownOptions } from '../../base/options.ts';
import type { JobStreamEvent } from '../../jobs/events.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { NotFoundError } from '../../workspace/errors.ts';
import type { VariableDifference } from '../../workspace/locals.ts';
import type { Past } from '../../workspace/past.ts';
import type { WorkspaceCommit } from '../../workspace/workspace.ts';
import type { Agent } from '../agent.ts';
import type { Job } from '../job.ts';
import { Statek } from '../kit.ts';
import { places, type TaskAgent, type TaskPlace, type TaskState } from './task.ts';

/** One job per agent, whose calls follow each other. */
abstract class KeptState implements TaskState {
  readonly #kits = new Map<string, Promise<Statek>>();
  readonly #last = new Map<string, Promise<unknown>>();

  protected abstract open(agent: Agent): Promise<Statek>;
  protected abstract readonly keepsAnything: boolean;

  async run<Result>(agent: TaskAgent, action: (place: TaskPlace) => Promise<Result>): Promise<Result> {
    const next = (this.#last.get(agent.role) ?? Promise.resolve()).then(async () => {
      const kit = await this.#kitOf(agent);
      const id = idOf(agent);
      return action({
        kit,
        job: id,
        find: () => found(kit, id),
        share: this.keepsAnything ? (value) => kit.share(value) : undefined,
      });
    });
    this.#last.set(
      agent.role,
      next.catch(() => undefined),
    );
    return next;
  }

  /** The variables of an agent's tasks. */
  async variables(agent: Agent): Promise<Readonly<Record<string, unknown>>> {
    return (await this.job(agent)).locals();
  }

  async close(): Promise<void> {
    const kits = await Promise.all(this.#kits.values());
    this.#kits.clear();
    for (const kit of kits) await kit.close();
  }

  protected async job(agent: Agent): Promise<Job> {
    return (await this.#kitOf(agent)).job(idOf(agent));
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
  readonly #store: string | Store | undefined;
  #opened: Promise<Store> | undefined;

  constructor(store?: string | Store) {
    super();
    this.#store = store;
  }

  /** The commits of an agent's variables, newest first. */
  async commits(agent: Agent, options: { readonly limit?: number } = {}): Promise<readonly WorkspaceCommit[]> {
    return (await this.job(agent)).commits(options);
  }

  /** The variables as they were, to look at. */
  async checkout(agent: Agent, commit: string): Promise<Past> {
    return (await this.job(agent)).at(commit);
  }

  async diff(agent: Agent, from: string, to: string): Promise<readonly VariableDifference[]> {
    return (await this.job(agent)).diff(from, to);
  }

  /** The variables become what they were; nothing is destroyed. */
  async rollback(agent: Agent, commit: string): Promise<void> {
    await (await (await this.job(agent)).workspace()).rollback(commit);
  }

  /** What happens to an agent's tasks; each event has the commit it belongs to. */
  async *events(agent: Agent, options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<JobStreamEvent> {
    yield* (await this.job(agent)).events(options);
  }

  override async close(): Promise<void> {
    await super.close();
    if (typeof this.#store !== 'object') await (await this.#opened)?.close();
  }

  protected async open(agent: Agent): Promise<Statek> {
    this.#opened ??=
      typeof this.#store === 'object' ? Promise.resolve(this.#store) : openStore(this.#store ?? 'memory:');
    const before = agent.kit;
    const kit = await Statek.open({ store: await this.#opened, agents: [agent], models: agent.options.models });
    agent.kit = before;
    return kit;
  }
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

function idOf({ role }: TaskAgent): string {
  return `task of ${role}`;
}

async function found(kit: Statek, id: string): Promise<Job | undefined> {
  try {
    return await kit.job(id);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
