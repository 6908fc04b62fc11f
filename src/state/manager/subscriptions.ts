// Tells subscribers what changed: each at its own pace, from the change feed of the store, so that one that is slow, fails or was
// away for a while neither misses anything nor delays anybody.
import type { Revision, Store } from '../../store/door.ts';
import { StoreClosedError, StoreRevisionGoneError } from '../../store/door.ts';
import { StateArgumentError, StateNotFoundError } from '../foundation/errors.ts';
import type { Entries } from './entries.ts';
import { keyMatcher, type KeyMatcher, type KeyPattern } from './pattern.ts';
import { entryRows } from './rows.ts';

/** What else is known about a change. */
export interface StateChangeContext {
  /** Pass the latest that was handled as `since` to go on after it. */
  readonly revision: Revision;
}

/** Called for each change of a matching key; undefined is a value that is not there. The next call waits for its promise. */
export type StateCallback = (
  key: string,
  oldValue: unknown,
  newValue: unknown,
  context: StateChangeContext,
) => void | Promise<void>;

/** A running subscription. */
export interface StateSubscription {
  /** Resolves when changes from now on are seen, with the revision after which they are. */
  readonly started: Promise<Revision>;
  /** The latest revision that was handled. */
  readonly revision: Revision | undefined;
  /** Ends it; a call that is under way ends by itself. */
  unsubscribe(): void;
}

/** What went wrong in a subscription, and where. */
export interface SubscriptionFailure {
  readonly error: unknown;
  readonly pattern: KeyPattern;
  readonly key: string | undefined;
  readonly revision: Revision | undefined;
  /** Whether the subscription goes on. */
  readonly continues: boolean;
}

interface KeyChange {
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

const reconnectMilliseconds = 500;

/** Changes that were read for one subscriber are often wanted by the next. */
const rememberedRevisions = 256;

export class Subscriptions {
  readonly #store: () => Promise<Store>;
  readonly #prefix: string;
  readonly #entries: Entries;
  readonly #report: (failure: SubscriptionFailure) => void;
  readonly #running = new Set<RunningSubscription>();
  readonly #remembered = new Map<Revision, Promise<readonly KeyChange[]>>();

  constructor(parts: {
    store: () => Promise<Store>;
    prefix: string;
    entries: Entries;
    report: (failure: SubscriptionFailure) => void;
  }) {
    this.#store = parts.store;
    this.#prefix = parts.prefix;
    this.#entries = parts.entries;
    this.#report = parts.report;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when all subscriptions made so far see what happens from now on. */
  async started(): Promise<void> {
    for (const { started } of this.#running) await started.catch(() => undefined);
  }

  add(pattern: KeyPattern, callback: StateCallback, since: Revision | undefined): StateSubscription {
    if (typeof callback !== 'function') throw new StateArgumentError('subscribe needs a function to call.');
    const matcher = keyMatcher(pattern);
    const ended = new AbortController();
    const started = Promise.withResolvers<Revision>();
    started.promise.catch(() => undefined);
    const subscription: RunningSubscription = {
      name: matcher.name,
      callback,
      started: started.promise,
      revision: since,
      unsubscribe: () => {
        this.#running.delete(subscription);
        ended.abort();
      },
    };
    this.#running.add(subscription);
    void this.#run({ pattern, matcher, subscription, started, signal: ended.signal });
    return subscription;
  }

  remove(pattern: KeyPattern, callback: StateCallback): void {
    const { name } = keyMatcher(pattern);
    const found = [...this.#running].filter((one) => one.name === name && one.callback === callback);
    for (const subscription of found) subscription.unsubscribe();
    if (found.length === 0)
      throw new StateNotFoundError(`Nothing is subscribed to ${name} with this function.`, { pattern: name });
  }

  close(): void {
    for (const subscription of this.#running) subscription.unsubscribe();
  }

  async #run(run: Run): Promise<void> {
    const { subscription, started, signal, pattern } = run;
    while (!hasEnded(signal)) {
      try {
        await this.#follow(run);
      } catch (error) {
        if (hasEnded(signal) || error instanceof StoreClosedError) break;
        const continues = !(error instanceof StoreRevisionGoneError || isMistake(error));
        this.#report({ error, pattern, key: undefined, revision: subscription.revision, continues });
        if (!continues) {
          started.reject(error);
          break;
        }
        await pause(reconnectMilliseconds, signal);
      }
    }
    started.reject(new StateArgumentError('The subscription ended before it started.'));
    subscription.unsubscribe();
  }

  async #follow({ subscription, started, signal, matcher, pattern }: Run): Promise<void> {
    const store = await this.#store();
    const since = subscription.revision ?? (await store.revision());
    // A revision that is pruned, or of another store, is refused before anything counts as started.
    await store.read(entryRows, [[this.#prefix, '']], { at: since });
    const changes = store.follow({ collections: [entryRows], range: { prefix: [this.#prefix] }, since, signal });
    subscription.revision = since;
    started.resolve(since);
    for await (const { revision, changes: all } of changes) {
      const keys = all.map(({ key }) => key[1] as string);
      if (keys.some((key) => matcher.matches(key))) {
        const handed = { subscription, pattern, revision, signal, matcher };
        await this.#hand(handed, await this.#changesAt(revision, keys));
      }
      if (signal.aborted) return;
      subscription.revision = revision;
    }
  }

  async #hand(
    { subscription, pattern, revision, signal, matcher }: Omit<Run, 'started'> & { readonly revision: Revision },
    changes: readonly KeyChange[],
  ): Promise<void> {
    for (const { key, old, new: next } of changes) {
      if (signal.aborted) return;
      if (!matcher.matches(key)) continue;
      try {
        await subscription.callback(key, copy(old), copy(next), { revision });
      } catch (error) {
        this.#report({ error, pattern, key, revision, continues: true });
      }
    }
  }

  #changesAt(revision: Revision, keys: readonly string[]): Promise<readonly KeyChange[]> {
    let changes = this.#remembered.get(revision);
    if (changes === undefined) {
      changes = this.#entries.changesAt(revision, keys);
      changes.catch(() => this.#remembered.delete(revision));
      this.#remembered.set(revision, changes);
      if (this.#remembered.size > rememberedRevisions)
        this.#remembered.delete(this.#remembered.keys().next().value as Revision);
    }
    return changes;
  }
}

interface RunningSubscription extends StateSubscription {
  readonly name: string;
  readonly callback: StateCallback;
  revision: Revision | undefined;
}

interface Run {
  readonly pattern: KeyPattern;
  readonly matcher: KeyMatcher;
  readonly subscription: RunningSubscription;
  readonly started: PromiseWithResolvers<Revision>;
  readonly signal: AbortSignal;
}

function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** What trying again does not help. */
function isMistake(error: unknown): boolean {
  return ['STORE_ARGUMENT', 'STATE_ARGUMENT', 'INVALID_OPTION', 'STATE_DECRYPTION', 'STORE_CORRUPT'].includes(
    String((error as { code?: unknown } | undefined)?.code),
  );
}

/** Several subscribers share what was read, and none may change what another gets. */
function copy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}
