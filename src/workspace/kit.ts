// An opened Statek: a store, an engine, and the workspaces in them.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock, type Clock } from '../base/clock.ts';
import { InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { openHistory } from '../history/open.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { answerQuestion, fireTimers, matchSignals, sendSignal } from './arrivals.ts';
import { Calls } from './calls.ts';
import type { KitContext } from './context.ts';
import { createWorkspace } from './create.ts';
import { Leases } from './leases.ts';
import { limitsWith, type WorkspaceLimits } from './limits.ts';
import { LiveWorkspace } from './live-workspace.ts';
import { futureRows, readyRows, workspaceCollections, workspaceRows } from './rows.ts';
import { TypeScriptLanguage } from './typescript/language.ts';
import { variablesOf } from './variables.ts';
import { Wakes } from './wakes.ts';
import { Workspace } from './workspace.ts';

export interface StatekOptions {
  /** A folder or `.db` file, `memory:`, `postgres://…`, or an opened store. */
  readonly store: string | Store;
  /** Host objects and functions by name. A handle to one is durable: every process that registers the name can go on with it. */
  readonly services?: Readonly<Record<string, object>> | undefined;
  /** Modules that steps may import: source text by specifier. */
  readonly modules?: Readonly<Record<string, string>> | undefined;
  /** Limits of workspaces that are made with this kit; `defaultLimits` unless told. */
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** Programs that are kept alive in memory, at most; 100 unless told. Others come back from the store by themselves. */
  readonly liveWorkspaces?: number | undefined;
  /** Memory for live programs, in MiB; 512 unless told. */
  readonly memoryMegabytes?: number | undefined;
  /** Programs may keep any object of the application, sockets and cursors too. Only with a `memory:` store: nothing survives the process. */
  readonly live?: boolean | undefined;
  /** How long another process waits before it takes over from one that died; 5,000 unless told. */
  readonly leaseMilliseconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

export interface WorkspaceOptions {
  readonly language?: 'typescript' | undefined;
  /** Variables the program starts with: data is copied, objects and functions become handles. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly limits?: Partial<WorkspaceLimits> | undefined;
}

const optionNames = [
  'store',
  'services',
  'modules',
  'limits',
  'liveWorkspaces',
  'memoryMegabytes',
  'live',
  'leaseMilliseconds',
  'clock',
];

export class Statek {
  readonly store: Store;
  readonly #context: KitContext;
  readonly #limits: Partial<WorkspaceLimits>;
  readonly #ownsStore: boolean;
  readonly #live = new Map<string, LiveWorkspace>();
  readonly #maxLive: number;
  readonly #calls: Calls;
  readonly #wakes: Wakes;
  #closed = false;

  /** Opens a store and everything needed to run what is in it. */
  static async open(options: StatekOptions): Promise<Statek> {
    refuseUnknownOptions('Statek.open', options, optionNames);
    const store = typeof options.store === 'string' ? await openStore(options.store) : options.store;
    try {
      refuseLive(options, store);
      await store.declare(...workspaceCollections);
      const clock = options.clock ?? systemClock;
      const history = await openHistory(store, { clock });
      return new Statek(store, options, clock, history);
    } catch (error) {
      if (typeof options.store === 'string') await store.close();
      throw error;
    }
  }

  private constructor(store: Store, options: StatekOptions, clock: Clock, history: KitContext['history']) {
    this.store = store;
    this.#ownsStore = typeof options.store === 'string';
    this.#limits = options.limits ?? {};
    limitsWith(this.#limits);
    this.#maxLive = wholeNumberOption('Statek.open', 'liveWorkspaces', options.liveWorkspaces ?? 100, 1, 100_000);
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
    this.#wakes = new Wakes(store);
    this.#context = {
      store,
      history,
      clock,
      language: new TypeScriptLanguage({
        instances: this.#maxLive,
        memoryBytes: memoryMegabytes * 2 ** 20,
        modules: new Map(Object.entries(options.modules ?? {})),
      }),
      leases: new Leases(store, clock, {
        owner: `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`,
        leaseMilliseconds,
        waitMilliseconds: leaseMilliseconds * 2 + 1000,
      }),
      kept: options.live === true ? new Map<string, object>() : undefined,
      services: new Map(Object.entries(options.services ?? {})),
      changed: (workspace) => this.#wakes.wake(workspace),
    };
    this.#calls = new Calls(
      this.#context,
      (workspace) => this.#liveWorkspace(workspace).inspect(({ handles }) => handles),
      (workspace) => {
        this.#wakes.wake(workspace);
        if (!this.#closed) void this.#continue(workspace).catch(() => undefined);
      },
    );
  }

  /** A workspace by name: made if it is new, and otherwise as it was left, whichever process left it. */
  async workspace(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    refuseUnknownOptions('kit.workspace', options, ['language', 'vars', 'limits']);
    const isFresh = await createWorkspace(this.#context, name, limitsWith({ ...this.#limits, ...options.limits }));
    const live = this.#liveWorkspace(name);
    const { objects, messages } = variablesOf(options.vars ?? {}, name);
    if (isFresh || objects.size > 0)
      await live.bind(
        objects,
        (loaded) => messages(loaded, isFresh),
        isFresh ? randomBytes(8).readBigUInt64LE() : undefined,
      );
    return this.#workspaceOver(live);
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

  /** Sends a signal: it ends the oldest wait for that name, or the next one. */
  async signal(name: string, payload?: unknown): Promise<void> {
    await sendSignal(this.#context, name, payload);
  }

  /** Answers a question that a program asked. */
  async answer(futureId: string, value: unknown): Promise<void> {
    await answerQuestion(this.#context, futureId, value);
  }

  /** Continues every workspace of the store that has something to do, and returns when none has. */
  async runUntilIdle(): Promise<void> {
    const failures = new Map<string, unknown>();
    for (;;) {
      await fireTimers(this.#context);
      const ready = (await this.#ready()).filter((id) => !failures.has(id));
      await Promise.all(
        ready.map(async (id) => {
          try {
            await this.#continue(id);
          } catch (error) {
            failures.set(id, error);
          }
        }),
      );
      if (this.#calls.count > 0) await this.#calls.any();
      else if ((await this.#ready()).every((id) => failures.has(id))) break;
    }
    const [failure] = failures.values();
    if (failures.size === 1) throw failure;
    if (failures.size > 1)
      throw new AggregateError(
        [...failures.values()],
        `${failures.size} workspaces could not go on: ${[...failures.keys()].join(', ')}.`,
      );
  }

  /** Drops commits that retention does not keep, and frees what they took. */
  async gc(
    options: Parameters<KitContext['history']['gc']>[0] = {},
  ): Promise<Awaited<ReturnType<KitContext['history']['gc']>>> {
    return this.#context.history.gc(options);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#wakes.close();
    await this.#context.leases.close();
    this.#context.language.close();
    if (this.#ownsStore) await this.store.close();
  }

  #workspaceOver(live: LiveWorkspace): Workspace {
    return new Workspace({
      context: this.#context,
      live,
      calls: this.#calls,
      drive: async () => {
        await fireTimers(this.#context);
        if ((await this.store.read(readyRows, [[live.id]]))[0] !== undefined) await this.#continue(live.id);
      },
      change: () => this.#wakes.next(live.id, fireTimers(this.#context), this.#context.clock),
      openFork: (id) => Promise.resolve(this.#workspaceOver(this.#liveWorkspace(id))),
    });
  }

  async #continue(id: string): Promise<void> {
    const live = this.#liveWorkspace(id);
    // A signal may have been sent before the wait for it was in the store.
    const [entry] = await this.store.read(workspaceRows, [[id]]);
    if (entry === undefined) return;
    const futures =
      entry.value.state.waiting.length === 0
        ? []
        : await this.store.read(
            futureRows,
            entry.value.state.waiting.map(({ workspace, number }) => [workspace, number]),
          );
    for (const future of futures)
      if (future?.value.signal !== undefined && future.value.outcome === undefined)
        await matchSignals(this.#context, future.value.signal);
    await live.continue((call) => this.#calls.isRunning(call));
  }

  async #ready(): Promise<string[]> {
    const { entries } = await this.store.scan(readyRows, {}, { limit: 10_000 });
    return entries.map(({ key }) => String(key[0]));
  }

  #liveWorkspace(id: string): LiveWorkspace {
    let live = this.#live.get(id);
    if (live === undefined) live = new LiveWorkspace(this.#context, id, (calls) => this.#calls.start(calls));
    // The one used longest ago comes first, and is parked when there are too many.
    this.#live.delete(id);
    this.#live.set(id, live);
    for (const [other, parked] of this.#live) {
      if (this.#live.size <= this.#maxLive) break;
      if (parked.isBusy) continue;
      parked.forget();
      if (!parked.hasBindings) this.#live.delete(other);
    }
    return live;
  }
}

function refuseLive({ live }: StatekOptions, { features }: Store): void {
  if (live === true && features.durable) {
    throw new InvalidOptionError(
      "Statek.open: 'live' needs a store that ends with the process, such as 'memory:'; in a durable one, programs keep only what can be found again.",
      { name: 'live' },
    );
  }
}
