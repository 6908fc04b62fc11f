// The workspaces of a store, as this process works on them: finds and makes them, keeps those in use in memory, goes on with
// those that have something to do, and delivers what arrives from outside.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { forEachAtMost } from '../base/for-each-at-most.ts';
import { choiceOption, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import type { Clock } from '../base/clock.ts';
import { HistoryChainExistsError, type History } from '../history/door.ts';
import type { Objects } from '../objects/door.ts';
import { commitParts, scanAll, type Store } from '../store/door.ts';
import { answerQuestion, fireTimers, sendSignal, type AnswerOptions } from './futures/arrivals.ts';
import { Calls } from './futures/calls.ts';
import type { WorkspaceContext } from './context.ts';
import { refuseName, refuseTraits, type WorkspaceTraits } from './variables/new-workspace.ts';
import { decide, type DecisionOptions } from './futures/decisions.ts';
import { KitClosedError, NotFoundError, WorkspaceTakenError } from './errors.ts';
import { languageNames, type LanguageName } from './language-name.ts';
import { Languages } from './languages.ts';
import { Leases } from './leases.ts';
import { limitsWith, type WorkspaceLimits } from './limits.ts';
import { LivePool } from './slices/live-pool.ts';
import { LiveWorkspace, type WorkspaceSetUp } from './slices/live-workspace.ts';
import { handlesOf } from './slices/loaded.ts';
import type { WorkspaceOwners } from './owners.ts';
import { readyRows, workspaceRows, type WorkspaceRow } from './rows.ts';
import { zoneOffsets } from './variables/time-zone.ts';
import { variablesOf } from './variables/variables.ts';
import { anyWorkspace, Wakes } from './wakes.ts';
import { Workspace } from './workspace.ts';

/** What a new workspace is made with. */
export interface WorkspaceOptions {
  /** What steps are written in; default: TypeScript. */
  readonly language?: LanguageName | undefined;
  /** Variables the program starts with: data is copied, objects and functions become handles. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** The time zone of the program's local time, such as `Europe/Warsaw`; default: UTC. */
  readonly timeZone?: string | undefined;
  /** Whose code it runs: classes of durable objects may withhold members from a role. */
  readonly role?: string | undefined;
  /** The seed of `Math.random` (in Python `random`), a whole number from 0; default: unpredictable. */
  readonly seed?: number | undefined;
}

/** What the workspaces of a process are built on. */
export interface WorkspacesParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: History;
  readonly objects: Objects;
  /** Host objects by name, for every workspace. */
  readonly services: ReadonlyMap<string, object>;
  readonly owners: WorkspaceOwners;
}

/** Settings of the workspaces of a process. */
export interface WorkspacesOptions {
  /** Modules that steps may import: source text by specifier; for Python by the path of its file, such as `billing/tax.py`. */
  readonly modules?: Readonly<Record<string, string>> | undefined;
  /** Limits of workspaces that are made with this kit; default: `defaultLimits`. */
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** The maximum number of programs kept in memory; default: 1,000. Others come back from the store by themselves. */
  readonly liveWorkspaces?: number | undefined;
  /** Memory for programs that are kept, in MiB; default: 512. */
  readonly memoryMegabytes?: number | undefined;
  /** Programs may keep any object of the application, sockets and cursors too. Only with a `memory:` store: nothing survives the process. */
  readonly live?: boolean | undefined;
  /** How long another process waits before it takes over from one that died; default: 5,000. */
  readonly leaseMilliseconds?: number | undefined;
}

const nothing: ReadonlyMap<string, object> = new Map();

export class Workspaces {
  readonly context: WorkspaceContext;
  readonly calls: Calls;
  /** Limits of workspaces that say nothing else. */
  readonly limits: Partial<WorkspaceLimits>;
  readonly #pool: LivePool;
  readonly #maxLive: number;
  /** Objects given for variables, by workspace: they cannot be found in the store. */
  readonly #bindings = new Map<string, ReadonlyMap<string, object>>();
  readonly #wakes: Wakes;
  #closed = false;
  /** Told when calls were added to the log of calls. */
  onCallsLogged: ((count: number) => void) | undefined;

  constructor(parts: WorkspacesParts, options: WorkspacesOptions) {
    const { store, clock, owners } = parts;
    this.limits = options.limits ?? {};
    limitsWith(this.limits);
    const whole = (name: keyof WorkspacesOptions, given: number, least: number, most: number): number =>
      wholeNumberOption('Statek.open', name, given, least, most);
    this.#maxLive = whole('liveWorkspaces', options.liveWorkspaces ?? 1000, 1, 100_000);
    const memoryBytes = whole('memoryMegabytes', options.memoryMegabytes ?? 512, 16, 1_000_000) * 2 ** 20;
    const leaseMilliseconds = whole('leaseMilliseconds', options.leaseMilliseconds ?? 5000, 100, 3_600_000);
    this.#wakes = new Wakes(store);
    this.context = {
      ...parts,
      languages: new Languages({
        instances: this.#maxLive,
        memoryBytes,
        modules: new Map(Object.entries(options.modules ?? {})),
      }),
      leases: new Leases(store, clock, {
        name: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
        leaseMilliseconds,
        waitMilliseconds: leaseMilliseconds * 2 + 1000,
        placeOf: (workspace) => owners.leasePlace(workspace),
      }),
      kept: options.live === true ? new Map<string, object>() : undefined,
      changed: (workspace) => this.#wakes.wake(workspace),
      callsLogged: (count) => this.onCallsLogged?.(count),
    };
    this.#pool = new LivePool(this.#maxLive, memoryBytes, (id) => this.#newLive(id));
    this.calls = new Calls(
      this.context,
      (workspace, tenancy) => this.live(workspace).inspect(({ handles }) => handles, tenancy),
      (workspaces) => {
        for (const workspace of workspaces) {
          this.#wakes.wake(workspace);
          this.continueSoon(workspace);
        }
      },
    );
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** A workspace by name: made if it is new, and otherwise as it was left, whichever process left it. */
  async open(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    this.refuseClosed();
    refuseUnknownOptions('kit.workspace', options, {
      language: true,
      vars: true,
      limits: true,
      timeZone: true,
      role: true,
      seed: true,
    });
    const { language, timeZone, role, seed } = options;
    if (language !== undefined && !languageNames.includes(language))
      throw new InvalidOptionError(
        `There is no language '${language as string}'; there are ${languageNames.join(' and ')}.`,
      );
    refuseName(name);
    const given = variablesOf(options.vars ?? {}, name);
    if (timeZone !== undefined) zoneOffsets(timeZone);
    if (seed !== undefined) wholeNumberOption('kit.workspace', 'seed', seed, 0, Number.MAX_SAFE_INTEGER);
    const traits = { language, limits: limitsWith({ ...this.limits, ...options.limits }), timeZone, role, seed };
    const setUp: WorkspaceSetUp = {
      traits,
      given,
      limits: (before) => limitsWith({ ...before, ...options.limits }),
      again: false,
    };
    const before = (await this.context.store.read(workspaceRows, [[name]]))[0]?.value;
    refuseTraits(name, before, traits, Object.keys(options.vars ?? {}));
    this.#give(name, given.objects);
    const existing = before ?? (await this.#create(name, setUp));
    if (existing !== undefined) {
      refuseTraits(name, existing, traits, []);
      // Durable objects are found without being given; only what is new to the program concerns it.
      const isNews = [...given.names].some((variable) => !existing.bindings.includes(variable));
      if (existing.fresh || isNews || given.objects.size > 0 || options.limits !== undefined)
        await this.live(name).bind(setUp);
    }
    return this.workspace(name);
  }

  /** Makes a workspace without variables unless it is there; refuses one that is there and made of something else. */
  async ensure(name: string, traits: WorkspaceTraits): Promise<void> {
    const [entry] = await this.context.store.read(workspaceRows, [[name]]);
    const given = variablesOf({}, name);
    const existing =
      entry?.value ?? (await this.#create(name, { traits, given, limits: (before) => before, again: false }));
    if (existing !== undefined) refuseTraits(name, existing, traits, []);
  }

  /** The workspace of this name, or undefined if there is none; unlike `open`, it makes nothing. */
  async find(name: string): Promise<Workspace | undefined> {
    const [entry] = await this.context.store.read(workspaceRows, [[name]]);
    return entry === undefined ? undefined : this.workspace(name);
  }

  /** The names of all workspaces in the store, or of those whose names begin with something, page by page. */
  async *names(beginning = ''): AsyncGenerator<string, void, undefined> {
    const range = beginning === '' ? {} : { from: [beginning], to: [`${beginning}\u{10ffff}`] };
    for await (const { value } of scanAll(this.context.store, workspaceRows, range)) yield value.id;
  }

  /** Deletes a workspace with its variables, steps, console and history. Refused while a call of it is under way. */
  async delete(name: string): Promise<void> {
    this.refuseClosed();
    if ((await this.find(name)) === undefined) throw new NotFoundError(`There is no workspace '${name}'.`, { name });
    await this.live(name).remove();
    this.#bindings.delete(name);
  }

  /** A workspace that is in the store, as the application uses it. */
  workspace(id: string): Workspace {
    return Workspace.over({
      id,
      context: this.context,
      live: () => this.live(id),
      handles: (row) => handlesOf(this.context, row, this.#bindings.get(id) ?? nothing),
      drive: async () => {
        this.refuseClosed();
        await fireTimers(this.context);
        if ((await this.context.store.read(readyRows, [[id]]))[0] !== undefined) await this.continue(id);
      },
      listen: async () => {
        this.refuseClosed();
        await this.#wakes.listen();
      },
      change: () => this.#wakes.next(id, fireTimers(this.context), this.context.clock),
      openFork: (fork) => {
        this.#give(fork, this.#bindings.get(id) ?? nothing);
        return this.workspace(fork);
      },
    });
  }

  /** A workspace to work on. */
  live(id: string): LiveWorkspace {
    return this.#pool.get(id);
  }

  /** Sends a signal: it ends the oldest wait for that name, or the next one. `keep: 'latest'` drops those nobody took. */
  async signal(
    name: string,
    payload?: unknown,
    options: { readonly keep?: 'all' | 'latest' | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('kit.signal', options, { keep: true });
    const { keep = 'all' } = options;
    choiceOption('kit.signal', 'keep', keep, ['all', 'latest']);
    if (typeof name !== 'string' || name === '') throw new InvalidOptionError('A signal needs a name.', { name });
    await sendSignal(this.context, name, payload, keep);
  }

  /** Somebody agrees or does not: to what a program asked, to a call before it is made, or to making a call again. */
  async decide(futureId: string, approved: boolean, options: DecisionOptions): Promise<void> {
    await decide(this.context, futureId, approved, options);
  }

  /** Answers a question that a program asked. */
  async answer(futureId: string, value: unknown, options: AnswerOptions = {}): Promise<void> {
    await answerQuestion(this.context, futureId, value, options);
  }

  /** Goes on with a workspace that has something to do; if somebody owns it, they are told instead. */
  async continue(id: string): Promise<void> {
    const { owners, store, clock } = this.context;
    const woken = await owners.wakeOwner(id, clock.now());
    if (woken === undefined) {
      await this.live(id).continue((call) => this.calls.isRunning(call));
      return;
    }
    const [mark] = await store.read(readyRows, [[id]]);
    if (mark !== undefined)
      await commitParts(store, [woken, { writes: [{ kind: 'remove', collection: readyRows, key: [id] }] }]);
  }

  /** The same, without waiting for it. Its mark stays until somebody went on with it, so a failure here loses nothing. */
  continueSoon(id: string): void {
    if (this.#closed) return;
    this.continue(id).catch((error: unknown) => {
      if (this.#closed || error instanceof WorkspaceTakenError || error instanceof KitClosedError) return;
      process.emitWarning(`The workspace '${id}' could not go on, and is tried again later: ${String(error)}`, {
        type: 'StatekWarning',
      });
    });
  }

  /** Settles the timers that are due; returns when the next one is, if there is one. */
  fireTimers(): Promise<number | undefined> {
    return fireTimers(this.context);
  }

  /** Goes on with every workspace that has something to do, and returns when none has. */
  async runUntilIdle(): Promise<void> {
    const failures = new Map<string, unknown>();
    const left = new Set<string>();
    for (;;) {
      await this.#wakes.listen();
      const changed = this.#wakes.next(anyWorkspace, this.fireTimers(), this.context.clock);
      changed.catch(() => undefined);
      await this.fireTimers();
      const ready = (await this.#ready()).filter((id) => !left.has(id));
      await forEachAtMost(this.#maxLive, ready, async (id) => {
        try {
          await this.continue(id);
        } catch (error) {
          left.add(id);
          // What another process is running, it will bring to its end.
          if (!(error instanceof WorkspaceTakenError)) failures.set(id, error);
        }
      });
      if (this.calls.count > 0) {
        await Promise.race([this.calls.any(), changed]);
        continue;
      }
      // What ran may have set timers that are due already.
      await this.fireTimers();
      if ((await this.#ready()).every((id) => left.has(id))) break;
    }
    const [failure] = failures.values();
    if (failures.size === 1) throw failure;
    if (failures.size > 1)
      throw new AggregateError(
        [...failures.values()],
        `${failures.size} workspaces could not go on: ${[...failures.keys()].join(', ')}.`,
      );
  }

  /** Slices that run are committed, calls under way get so long to end, and leases are given back. */
  async close(graceMilliseconds: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { leases, objects, languages } = this.context;
    leases.refuseMore();
    this.#wakes.close();
    await this.#pool.idle();
    await this.calls.close(graceMilliseconds);
    await objects.plainWrites.settle();
    objects.close();
    await leases.close();
    languages.close();
  }

  /** For a process that died in a simulation: nothing is waited for, committed or given back. */
  abandon(): void {
    this.context.objects.close();
    this.context.languages.close();
  }

  refuseClosed(where?: string): void {
    if (!this.#closed) return;
    const prefix = where === undefined ? 'This' : `${where}: this`;
    throw new KitClosedError(`${prefix} kit was closed. Open another one with Statek.open.`);
  }

  /** Makes a workspace; returns the row of one that another process has made meanwhile. */
  async #create(name: string, setUp: WorkspaceSetUp): Promise<WorkspaceRow | undefined> {
    try {
      if (await this.live(name).create(setUp)) return undefined;
    } catch (error) {
      if (!(error instanceof HistoryChainExistsError)) throw error;
      const [entry] = await this.context.store.read(workspaceRows, [[name]]);
      if (entry === undefined) throw error;
      return entry.value;
    }
    const [entry] = await this.context.store.read(workspaceRows, [[name]]);
    return entry?.value ?? this.#create(name, setUp);
  }

  #newLive(id: string): LiveWorkspace {
    return new LiveWorkspace(
      this.context,
      id,
      () => this.#bindings.get(id) ?? nothing,
      (calls, tenancy) => this.calls.start(calls, tenancy),
    );
  }

  #give(workspace: string, objects: ReadonlyMap<string, object>): void {
    if (objects.size > 0)
      this.#bindings.set(workspace, new Map([...(this.#bindings.get(workspace) ?? nothing), ...objects]));
  }

  async #ready(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of scanAll(this.context.store, readyRows, {})) ids.push(String(key[0]));
    return ids;
  }
}
