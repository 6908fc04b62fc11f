// The part of an opened Statek that has to do with workspaces: a store, an engine, and the workspaces in them.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { forEachAtMost } from '../base/for-each-at-most.ts';
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { scanAll } from '../store/scan-all.ts';
import type { Revision, Store } from '../store/store.ts';
import { answerQuestion, fireTimers, sendSignal } from './arrivals.ts';
import { Calls } from './calls.ts';
import { decide, type DecisionOptions } from './decisions.ts';
import { plainExtension, type Extension } from './extension.ts';
import type { KitContext } from './context.ts';
import { createWorkspace } from './create.ts';
import { KitClosedError, NotFoundError, WorkspaceTakenError } from './errors.ts';
import { collectGarbage, type KitGcOptions, type KitGcReport } from './garbage.ts';
import type { DurableClass } from '../objects/declaration.ts';
import { newIndex, Space, type SpaceOptions } from '../objects/graph.ts';
import { load } from '../objects/load.ts';
import type { ObjectIndex } from '../objects/object-index.ts';
import { queryOf, type Query, type Tag } from '../objects/query.ts';
import { transact, transactAt, type Synchronous } from '../objects/transact.ts';
import { languageNames, type LanguageName } from './language-name.ts';
import { Languages } from './languages.ts';
import { Leases } from './leases.ts';
import { limitsWith, type WorkspaceLimits } from './limits.ts';
import { LivePool } from './live-pool.ts';
import { LiveWorkspace } from './live-workspace.ts';
import type { KitParts, WorkspaceKitOptions } from './open-kit.ts';
import { handlesOf } from './loaded.ts';
import { readyRows, workspaceRows } from './rows.ts';
import { zoneOffsets } from './time-zone.ts';
import { variablesOf } from './variables.ts';
import { anyWorkspace, Wakes } from './wakes.ts';
import { Workspace } from './workspace.ts';

export interface WorkspaceOptions {
  /** What steps are written in; TypeScript unless told. */
  readonly language?: LanguageName | undefined;
  /** Variables the program starts with: data is copied, objects and functions become handles. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** The time zone of the program's local time, such as `Europe/Warsaw`; UTC unless told. */
  readonly timeZone?: string | undefined;
  /** Whose code it runs: classes of durable objects may withhold members from a role. */
  readonly role?: string | undefined;
  /** What `Math.random` (in Python `random`) starts from, a whole number from 0; something unforeseeable unless told. */
  readonly seed?: number | undefined;
}

const nothing: ReadonlyMap<string, object> = new Map();

export class WorkspaceKit {
  readonly store: Store;
  readonly #context: KitContext;
  readonly #limits: Partial<WorkspaceLimits>;
  readonly #ownsStore: boolean;
  readonly #live: LivePool;
  /** Objects given for variables, by workspace: they cannot be had from the store. */
  readonly #bindings = new Map<string, ReadonlyMap<string, object>>();
  readonly #maxLive: number;
  readonly #calls: Calls;
  readonly #wakes: Wakes;
  #closed = false;

  /** @internal `extension` is what a layer above adds; a kit of workspaces alone has none. */
  protected constructor(
    { store, clock, history, objects, services }: KitParts,
    options: WorkspaceKitOptions,
    extension: Extension = plainExtension(store),
  ) {
    this.store = store;
    this.#ownsStore = typeof options.store === 'string';
    this.#limits = options.limits ?? {};
    limitsWith(this.#limits);
    this.#maxLive = wholeNumberOption('Statek.open', 'liveWorkspaces', options.liveWorkspaces ?? 1000, 1, 100_000);
    const memoryMegabytes = wholeNumberOption(
      'Statek.open',
      'memoryMegabytes',
      options.memoryMegabytes ?? 512,
      16,
      1_000_000,
    );
    const leaseMilliseconds = wholeNumberOption(
      'Statek.open',
      'leaseMilliseconds',
      options.leaseMilliseconds ?? 5000,
      100,
      3_600_000,
    );
    const memoryBytes = memoryMegabytes * 2 ** 20;
    this.#wakes = new Wakes(store);
    this.#context = {
      store,
      history,
      objects,
      clock,
      languages: new Languages({
        instances: this.#maxLive,
        memoryBytes,
        modules: new Map(Object.entries(options.modules ?? {})),
      }),
      leases: new Leases(store, clock, {
        name: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
        leaseMilliseconds,
        waitMilliseconds: leaseMilliseconds * 2 + 1000,
        placeOf: (workspace) => extension.leasePlace(workspace),
      }),
      extension,
      kept: options.live === true ? new Map<string, object>() : undefined,
      services,
      changed: (workspace) => this.#wakes.wake(workspace),
    };
    this.#live = new LivePool(this.#maxLive, memoryBytes, (id) => this.#newLive(id));
    this.#calls = new Calls(
      this.#context,
      (workspace, tenancy) => this.#live.get(workspace).inspect(({ handles }) => handles, tenancy),
      (workspaces) => {
        for (const workspace of workspaces) {
          this.#wakes.wake(workspace);
          if (!this.#closed) void this.continueWorkspace(workspace).catch(() => undefined);
        }
      },
    );
  }

  /** A workspace by name: made if it is new, and otherwise as it was left, whichever process left it. */
  async workspace(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    refuseUnknownOptions('kit.workspace', options, ['language', 'vars', 'limits', 'timeZone', 'role', 'seed']);
    if (options.language !== undefined && !languageNames.includes(options.language))
      throw new InvalidOptionError(
        `There is no language '${options.language as string}'; there are ${languageNames.join(' and ')}.`,
      );
    const given = variablesOf(options.vars ?? {}, name);
    if (options.timeZone !== undefined) zoneOffsets(options.timeZone);
    if (options.seed !== undefined)
      wholeNumberOption('kit.workspace', 'seed', options.seed, 0, Number.MAX_SAFE_INTEGER);
    const { isFresh, bindings } = await createWorkspace(this.#context, name, {
      language: options.language,
      limits: limitsWith({ ...this.#limits, ...options.limits }),
      timeZone: options.timeZone,
      role: options.role,
      seed: options.seed,
      variables: Object.keys(options.vars ?? {}),
    });
    this.#give(name, given.objects);
    // Durable objects are found without being given; only what is new to the program concerns it.
    const isNews = [...given.names].some((variable) => !bindings.includes(variable));
    if (isFresh || isNews || given.objects.size > 0 || options.limits !== undefined)
      await this.#live.get(name).bind(given, (before) => limitsWith({ ...before, ...options.limits }));
    return this.#workspaceOver(name);
  }

  /** The workspace of this name as it was left, or undefined if there is none; unlike `workspace`, it makes nothing. */
  async findWorkspace(name: string): Promise<Workspace | undefined> {
    const [entry] = await this.store.read(workspaceRows, [[name]]);
    return entry === undefined ? undefined : this.#workspaceOver(name);
  }

  /**
   * Changes durable objects all or nothing, as if nobody else were at work; resolves when it is durable. `action` is
   * synchronous, and may run several times. If it throws, nothing has changed.
   */
  transaction<Result>(action: Synchronous<Result>): Promise<Result> {
    this.#refuseClosed();
    return transact(this.#context.objects, action as () => Result);
  }

  /** Runs `action` on the durable objects as they were at a revision. */
  async at<Result>(revision: Revision, action: Synchronous<Result>): Promise<Result> {
    this.#refuseClosed();
    return transactAt(this.#context.objects, revision, action as () => Result);
  }

  /** The durable object or collection with this id, or undefined if there is none. */
  async fetch(id: string): Promise<object | undefined> {
    return this.transaction(() => this.#context.objects.find(id));
  }

  /** Objects of a class with these tags. */
  find<Instance extends object>(target: DurableClass<Instance>, ...tags: readonly Tag[]): Query<Instance> {
    const { objects } = this.#context;
    return queryOf(objects, objects.spaces.current, target, tags);
  }

  /** A new sorted index. */
  index<Instance extends object = object>(): ObjectIndex<Instance> {
    return newIndex(this.#context.objects);
  }

  /** A partition of durable objects, made when something is put there. */
  space(name: string, options: SpaceOptions = {}): Space {
    return new Space(this.#context.objects, name, options);
  }

  /** Loads an object for use outside a transaction, from a store that cannot read at once; returns it. */
  async load<Target extends object>(target: Target): Promise<Target> {
    this.#refuseClosed();
    return load(this.#context.objects, target);
  }

  /** Waits until changes made outside transactions are durable; throws what could not be kept. */
  async flush(): Promise<void> {
    await this.#context.objects.turns.flush();
  }

  /** The names of all workspaces in the store, page by page. */
  async *workspaces(): AsyncGenerator<string, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.store.scan(workspaceRows, {}, { cursor });
      for (const { value } of page.entries) yield value.id;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /**
   * Deletes a workspace that nobody needs any more: its variables, steps, console and history. What it waited for is
   * forgotten. Refused while a call of it is under way.
   */
  async deleteWorkspace(name: string): Promise<void> {
    this.#refuseClosed();
    if ((await this.findWorkspace(name)) === undefined)
      throw new NotFoundError(`There is no workspace '${name}'.`, { name });
    await this.#live.get(name).remove();
    this.#bindings.delete(name);
  }

  /** Sends a signal: it ends the oldest wait for that name, or the next one. `keep: 'latest'` drops those nobody took. */
  async signal(
    name: string,
    payload?: unknown,
    options: { readonly keep?: 'all' | 'latest' | undefined } = {},
  ): Promise<void> {
    refuseUnknownOptions('kit.signal', options, ['keep']);
    const { keep = 'all' } = options;
    if (keep !== 'all' && keep !== 'latest')
      throw new InvalidOptionError("kit.signal: 'keep' is 'all' or 'latest'.", { name: 'keep' });
    if (typeof name !== 'string' || name === '') throw new InvalidOptionError('A signal needs a name.', { name });
    await sendSignal(this.#context, name, payload, keep);
  }

  /** Agrees: to what a program asked with `approve`, to a call that needs consent, or to making a call again. */
  async approve(futureId: string, options: DecisionOptions = {}): Promise<void> {
    refuseUnknownOptions('kit.approve', options, ['by', 'comment']);
    await decide(this.#context, futureId, true, options);
  }

  /** The opposite of `approve`: the program's wait ends with a `DeniedError`. */
  async deny(futureId: string, why?: string, options: { readonly by?: string | undefined } = {}): Promise<void> {
    refuseUnknownOptions('kit.deny', options, ['by']);
    await decide(this.#context, futureId, false, { ...options, comment: why });
  }

  /** Answers a question that a program asked. */
  async answer(futureId: string, value: unknown): Promise<void> {
    await answerQuestion(this.#context, futureId, value);
  }

  /** Continues every workspace of the store that has something to do, and returns when none has. */
  async runUntilIdle(): Promise<void> {
    const failures = new Map<string, unknown>();
    const left = new Set<string>();
    for (;;) {
      await this.#wakes.listen();
      const changed = this.#wakes.next(anyWorkspace, fireTimers(this.#context), this.#context.clock);
      changed.catch(() => undefined);
      await fireTimers(this.#context);
      const ready = (await this.#ready()).filter((id) => !left.has(id));
      await forEachAtMost(this.#maxLive, ready, async (id) => {
        try {
          await this.continueWorkspace(id);
        } catch (error) {
          left.add(id);
          // What another process is running, it will bring to its end.
          if (!(error instanceof WorkspaceTakenError)) failures.set(id, error);
        }
      });
      if (this.#calls.count > 0) {
        await Promise.race([this.#calls.any(), changed]);
        continue;
      }
      // What ran may have set timers that are due already.
      await fireTimers(this.#context);
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

  /**
   * Drops commits that retention does not keep, frees what they took, and collects durable objects that nothing leads to.
   * With a retention, versions of objects that no kept commit can ask for are forgotten, too.
   */
  async gc(options: KitGcOptions = {}): Promise<KitGcReport> {
    refuseUnknownOptions('kit.gc', options, ['retention', 'graceMilliseconds', 'onProgress', 'signal']);
    this.#refuseClosed();
    return collectGarbage(this.#context, options);
  }

  /**
   * Ends this kit's work: slices that run are committed, and calls under way get so long to end (5,000 unless told), so
   * that their outcomes are known. Programs that wait are in the store, and go on wherever it is opened next.
   */
  async close(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    refuseUnknownOptions('kit.close', options, ['graceMilliseconds']);
    const { graceMilliseconds = 5000 } = options;
    wholeNumberOption('kit.close', 'graceMilliseconds', graceMilliseconds, 0, 3_600_000);
    if (this.#closed) return;
    this.#closed = true;
    this.#context.leases.refuseMore();
    this.#wakes.close();
    await this.#live.idle();
    await this.#calls.close(graceMilliseconds);
    await this.#context.objects.turns.settle();
    this.#context.objects.close();
    await this.#context.leases.close();
    this.#context.languages.close();
    if (this.#ownsStore) await this.store.close();
  }

  /** @internal The kit of a process that died in a simulation: nothing is waited for, committed or given back. */
  abandon(): void {
    this.#context.objects.close();
    this.#context.languages.close();
  }

  /** @internal What layers above build on. */
  protected get parts(): {
    readonly context: KitContext;
    readonly calls: Calls;
    readonly limits: Partial<WorkspaceLimits>;
    readonly liveWorkspaces: number;
    readonly closed: boolean;
    live(id: string): LiveWorkspace;
    workspaceOver(id: string): Workspace;
    firstWake(): Promise<void>;
  } {
    return {
      context: this.#context,
      calls: this.#calls,
      limits: this.#limits,
      liveWorkspaces: this.#maxLive,
      closed: this.#closed,
      live: (id) => this.#live.get(id),
      workspaceOver: (id) => this.#workspaceOver(id),
      firstWake: async () => {
        await this.#wakes.listen();
        await this.#wakes.next(anyWorkspace, fireTimers(this.#context), this.#context.clock);
      },
    };
  }

  #workspaceOver(id: string): Workspace {
    return Workspace.over({
      id,
      context: this.#context,
      live: () => this.#live.get(id),
      handles: (row) => handlesOf(this.#context, row, this.#bindings.get(id) ?? nothing),
      drive: async () => {
        this.#refuseClosed();
        await fireTimers(this.#context);
        if ((await this.store.read(readyRows, [[id]]))[0] !== undefined) await this.continueWorkspace(id);
      },
      listen: async () => {
        this.#refuseClosed();
        await this.#wakes.listen();
      },
      change: () => this.#wakes.next(id, fireTimers(this.#context), this.#context.clock),
      openFork: (fork) => {
        this.#give(fork, this.#bindings.get(id) ?? nothing);
        return this.#workspaceOver(fork);
      },
    });
  }

  #newLive(id: string): LiveWorkspace {
    return new LiveWorkspace(
      this.#context,
      id,
      () => this.#bindings.get(id) ?? nothing,
      (calls, tenancy) => this.#calls.start(calls, tenancy),
    );
  }

  #give(workspace: string, objects: ReadonlyMap<string, object>): void {
    if (objects.size > 0)
      this.#bindings.set(workspace, new Map([...(this.#bindings.get(workspace) ?? nothing), ...objects]));
  }

  #refuseClosed(): void {
    if (this.#closed) throw new KitClosedError('This kit was closed. Open another one with Statek.open.');
  }

  /** @internal Goes on with a workspace that has something to do. */
  protected async continueWorkspace(id: string): Promise<void> {
    await this.#live.get(id).continue((call) => this.#calls.isRunning(call));
  }

  async #ready(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { key } of scanAll(this.store, readyRows, {})) ids.push(String(key[0]));
    return ids;
  }
}
