// Named values that outlive the process: saved, patched, listed, watched, with versions and times to live. The first file to read
// of this room: it says what can be done, and leaves the doing to its neighbours.
import { after, afterQuietly, type Clock } from '../../base/clock.ts';
import { described, wholeNumberOption } from '../../base/options.ts';
import { encodeJson, type Revision, type Store } from '../../store/door.ts';
import { StateArgumentError } from '../foundation/errors.ts';
import { Place } from '../foundation/place.ts';
import { checkArgument, checkGiven, is } from '../foundation/given.ts';
import { Buffered, type Change, type Held } from './buffered.ts';
import { milliseconds, stateSettings, type StateConfig, type StateSettings } from './config.ts';
import { Entries, keyOfCursor, type KeyPage, type Wish } from './entries.ts';
import { StateVersionError } from './errors.ts';
import { mergePatch } from './merge-patch.ts';
import { keyMatcher, type KeyPattern } from './pattern.ts';
import { entryRows, expiryRows, type StateEntry, type StateLookup } from './rows.ts';
import { Sealing } from './sealing.ts';
import { Subscriptions, type StateCallback, type StateSubscription } from './subscriptions.ts';

/** How something is saved. */
export interface SaveOptions {
  /** Only if the entry has this version; 0: only if there is none. Throws `StateVersionError` otherwise. */
  readonly ifVersion?: number | undefined;
  /** Seconds until it expires; null: never. Default: of a new or saved entry that of the manager, of a changed one what it was. */
  readonly ttl?: number | null | undefined;
  /** What the application wants to say about the entry; default: of a saved entry none, of a changed one what it was. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What was saved. */
export interface SaveResult {
  /** The new version; undefined as long as the change is buffered. */
  readonly version: number | undefined;
}

/** How many entries are saved together. */
export interface SaveManyOptions extends Omit<SaveOptions, 'ifVersion'> {
  /** Only if these entries have these versions. */
  readonly ifVersions?: Readonly<Record<string, number>> | undefined;
}

/** Which page of keys is wanted. */
export interface ListKeysOptions {
  /** The maximum number of keys; default: 1,000, at most 10,000. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly cursor?: string | undefined;
}

/** How a subscription begins. */
export interface SubscribeOptions {
  /** Changes after this revision; default: from now on. */
  readonly since?: Revision | undefined;
}

/** Expiries that other processes have added are noticed after this time. */
const maxSweepMilliseconds = 30_000;

/** After so many changes it is looked whether old ones can go. */
const pruneEvery = 500;

/**
 * Named values with versions, times to live and subscribers, in a store of their own or in that of a kit (`kit.state`).
 *
 * @example
 * import { StateManager } from 'statek/state';
 *
 * const state = new StateManager({ backend: 'memory' });
 * await state.save('agent:researcher', { status: 'running', progress: 0.45 });
 * await state.update('agent:researcher', { progress: 0.75 });
 * console.log(await state.get('agent:researcher')); // prints { status: 'running', progress: 0.75 }
 * console.log((await state.listKeys('agent:*')).keys); // prints [ 'agent:researcher' ]
 * await state.close();
 */
export class StateManager {
  readonly #settings: StateSettings;
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #entries: Entries;
  readonly #subscriptions: Subscriptions;
  readonly #buffered: Buffered | undefined;
  #stopSweep: (() => void) | undefined;
  #nextSweep = Number.POSITIVE_INFINITY;
  #sweeping: Promise<void> | undefined;
  #stopSave: (() => void) | undefined;
  #changes = 0;
  #isClosed = false;

  constructor(config: StateConfig = {}) {
    this.#settings = stateSettings(config);
    this.#place = new Place('StateManager', this.#settings.place, [entryRows, expiryRows]);
    const { clock, prefix } = this.#place;
    this.#clock = clock;
    const store = (): Promise<Store> => this.#place.store();
    const sealing = new Sealing(this.#settings.packing, this.#settings.encryption);
    this.#entries = new Entries({ store, prefix, clock, sealing });
    const { report } = this.#settings;
    this.#subscriptions = new Subscriptions({ store, prefix, entries: this.#entries, report });
    if (this.#settings.saveMilliseconds !== undefined) this.#buffered = new Buffered(this.#entries);
  }

  /** Saves a value under a key, in place of what is there. The value is copied; what JSON cannot hold is refused with its path. */
  async save(key: string, value: unknown, options: SaveOptions = {}): Promise<SaveResult> {
    const wish = this.#putOf('save', key, value, options);
    const { ifVersion } = options;
    const change: Change = { replaces: ifVersion === undefined, apply: () => wish };
    return { version: await this.#change(key, change, ifVersion) };
  }

  /** Saves several values together: all of them or none. They are durable at once. */
  async saveMany(
    values: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>,
    options: SaveManyOptions = {},
  ): Promise<SaveResult> {
    checkGiven('state.saveMany', options, { ifVersions: is.object, ttl: is.anything, metadata: is.object });
    checkArgument('state.saveMany', 'the values', values, is.object);
    const { ifVersions = {}, ttl, metadata } = options;
    const pairs: [string, unknown][] =
      values instanceof Map ? [...(values as Map<string, unknown>)] : Object.entries(values);
    const wishes = pairs.map(([key, value]) => this.#putOf('saveMany', key, value, { ttl, metadata }));
    const others = Object.keys(ifVersions).filter((key) => !pairs.some(([name]) => name === key));
    const keys = [...pairs.map(([key]) => key), ...others];
    if (keys.length === 0) return { version: undefined };
    await this.#prepared(wishes);
    const version = await this.#entries.change(keys, (found) =>
      keys.map((key, index) => {
        if (Object.hasOwn(ifVersions, key)) checkVersion(key, found[index], ifVersions[key]);
        return wishes[index] ?? { kind: 'keep' };
      }),
    );
    this.#changed();
    return { version };
  }

  /** The value under a key; undefined if there is none, or it has expired. */
  async get<Value = unknown>(key: string): Promise<Value | undefined> {
    refuseNoText('get', key);
    const [value] = await this.#values([key]);
    return value as Value | undefined;
  }

  /** The values under several keys at one moment; keys without one are left out. */
  async getMany<Value = unknown>(keys: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    checkArgument('state.getMany', 'the keys', keys, is.listOf(is.text));
    const values = await this.#values(keys);
    return new Map(
      keys.flatMap((key, index) => (values[index] === undefined ? [] : [[key, values[index] as Value] as const])),
    );
  }

  /** The value with its version, times and metadata; undefined if there is none. Buffered changes are made durable first. */
  async getEntry<Value = unknown>(key: string): Promise<StateEntry<Value> | undefined> {
    const found = await this.lookup<Value>(key);
    return found.status === 'found' ? found.entry : undefined;
  }

  /** Like `getEntry`, but tells an entry that has expired (for a day afterwards) from one that never was. */
  async lookup<Value = unknown>(key: string): Promise<StateLookup<Value>> {
    refuseNoText('lookup', key);
    await this.#prepared();
    const [found] = await this.#entries.lookup([key]);
    return found as StateLookup<Value>;
  }

  /** Whether there is an entry. */
  async exists(key: string): Promise<boolean> {
    refuseNoText('exists', key);
    const [value] = await this.#values([key]);
    return value !== undefined;
  }

  /**
   * Merges a patch into the value (RFC 7386): members replace those of the same name, null removes them, objects are merged. What
   * others change at the same time is not lost. Without an entry, the patch makes one.
   */
  async update(key: string, patch: unknown, options: SaveOptions = {}): Promise<SaveResult> {
    const wish = this.#putOf('update', key, patch, options);
    const { ifVersion } = options;
    const change: Change = {
      replaces: false,
      apply: (current) => ({ ...this.#over(wish, current, options), value: mergePatch(current?.value, wish.value) }),
    };
    return { version: await this.#change(key, change, ifVersion) };
  }

  /**
   * Changes a value with a function, which gets what is there (undefined if there is nothing) and returns what is to be there. It is
   * called again if another process changed the entry meanwhile. Returns the new value, which is durable.
   */
  async mutate<Value = unknown>(
    key: string,
    change: (value: Value | undefined, entry: StateEntry<Value> | undefined) => Value | Promise<Value>,
    options: Omit<SaveOptions, 'ifVersion'> = {},
  ): Promise<Value> {
    refuseNoText('mutate', key);
    checkGiven('state.mutate', options, { ttl: is.anything, metadata: is.object });
    checkArgument(`state.mutate('${key}')`, 'the change', change, is.action);
    const wish = this.#putOf('mutate', key, null, options);
    await this.#prepared([wish]);
    let result: unknown;
    await this.#entries.change([key], async ([found]) => {
      const entry = found as StateEntry<Value> | undefined;
      const next: unknown = await change(
        entry === undefined ? undefined : (copyOf(whereOf(key), entry.value) as Value),
        entry,
      );
      if (next === undefined)
        throw new StateArgumentError(`state.mutate('${key}'): the function returned nothing. Return the new value.`, {
          key,
        });
      result = copyOf(whereOf(key), next);
      return [{ ...this.#over(wish, heldOf(found), options), value: result }];
    });
    this.#changed();
    return copyOf(whereOf(key), result) as Value;
  }

  /** Deletes an entry, and returns when it is gone; nothing happens if there is none. */
  async delete(key: string, options: { readonly ifVersion?: number | undefined } = {}): Promise<void> {
    refuseNoText('delete', key);
    checkGiven('state.delete', options, { ifVersion: is.count });
    const { ifVersion } = options;
    await this.#change(key, { replaces: ifVersion === undefined, apply: () => ({ kind: 'remove' }) }, ifVersion);
  }

  /** One page of the keys that match, in the order of their characters; without a pattern, of all keys. */
  async listKeys(pattern: KeyPattern = { prefix: '' }, options: ListKeysOptions = {}): Promise<KeyPage> {
    checkGiven('state.listKeys', options, { limit: is.whole(1, 10_000), cursor: is.text });
    const { limit = 1000, cursor } = options;
    const matcher = keyMatcher(pattern);
    const from = cursor === undefined ? undefined : keyOfCursor(cursor);
    await this.#prepared();
    return this.#entries.page(matcher, limit, from);
  }

  /** All keys that match, page by page. */
  async *keys(pattern: KeyPattern = { prefix: '' }): AsyncGenerator<string, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.listKeys(pattern, { cursor });
      yield* page.keys;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /**
   * Calls a function for each change of matching keys, by any process, with the key, the old and the new value: in the order of the
   * changes, each at least once. One that throws is reported and called for the next change.
   *
   * @example
   * import { StateManager } from 'statek/state';
   *
   * const state = new StateManager();
   * const seen = Promise.withResolvers<void>();
   * state.subscribe('agent:*', (key, oldValue, newValue) => {
   *   console.log(key, oldValue, newValue); // prints agent:a undefined 1
   *   seen.resolve();
   * });
   * await state.save('agent:a', 1);
   * await seen.promise;
   * await state.close();
   */
  subscribe(pattern: KeyPattern, callback: StateCallback, options: SubscribeOptions = {}): StateSubscription {
    checkGiven('state.subscribe', options, { since: is.count });
    checkArgument('state.subscribe', 'the callback', callback, is.action);
    this.#refuseClosed();
    const subscription = this.#subscriptions.add(pattern, callback, options.since);
    this.#sweepBy(this.#clock.now());
    return subscription;
  }

  /** Ends subscriptions to this pattern with this function. */
  unsubscribe(pattern: KeyPattern, callback: StateCallback): void {
    this.#subscriptions.remove(pattern, callback);
  }

  /** The revision of the store, to subscribe from it later. */
  async revision(): Promise<Revision> {
    return (await this.#place.store()).revision();
  }

  /** Resolves when all changes made so far are durable. */
  async flush(): Promise<void> {
    this.#stopSave?.();
    this.#stopSave = undefined;
    if (this.#buffered?.isEmpty !== false) return;
    await this.#buffered.flush();
    // What was buffered longer than it lives is removed at once.
    this.#sweepBy(this.#clock.now());
  }

  /** Makes buffered changes durable, ends subscriptions, and closes the store if it is the manager's own. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.flush();
    this.#isClosed = true;
    this.#stopSweep?.();
    this.#subscriptions.close();
    await this.#sweeping;
    await this.#place.close();
  }

  async #values(keys: readonly string[]): Promise<readonly unknown[]> {
    this.#refuseClosed();
    const found = await this.#entries.lookup(keys);
    return keys.map((key, index) => {
      const one = found[index];
      const entry = one?.status === 'found' ? one.entry : undefined;
      if (this.#buffered?.has(key) !== true) return entry?.value;
      const held = this.#buffered.over(key, heldOf(entry));
      return held === undefined || (held.expires !== null && held.expires <= this.#clock.now())
        ? undefined
        : copyOf(whereOf(key), held.value);
    });
  }

  async #change(key: string, change: Change, ifVersion: number | undefined): Promise<number | undefined> {
    this.#refuseClosed();
    if (this.#buffered !== undefined && ifVersion === undefined) {
      this.#buffered.add(key, change);
      this.#sweepFor(change.apply(undefined));
      this.#saveLater();
      return undefined;
    }
    await this.#prepared();
    const version = await this.#entries.change([key], ([found]) => {
      if (ifVersion !== undefined) checkVersion(key, found, ifVersion);
      const wish = change.apply(heldOf(found));
      this.#sweepFor(wish);
      return [wish];
    });
    this.#changed();
    return version;
  }

  #saveLater(): void {
    this.#stopSave ??= after(this.#clock, this.#settings.saveMilliseconds ?? 0, () => {
      this.#stopSave = undefined;
      this.flush().catch((error: unknown) => {
        this.#settings.report({ error, pattern: { prefix: '' }, key: undefined, revision: undefined, continues: true });
        // What could not be saved is kept, and tried again after the same time.
        if (!this.#isClosed) this.#saveLater();
      });
    });
  }

  /** Before something is read or written that buffered changes and new subscriptions have to do with. */
  async #prepared(wishes: readonly Wish[] = []): Promise<void> {
    this.#refuseClosed();
    if (this.#buffered?.isEmpty === false) await this.flush();
    if (!this.#subscriptions.isEmpty) await this.#subscriptions.started();
    for (const wish of wishes) this.#sweepFor(wish);
  }

  #putOf(verb: string, key: string, value: unknown, options: SaveOptions): Extract<Wish, { kind: 'put' }> {
    refuseNoText(verb, key);
    // The time to live has a check of its own.
    checkGiven(`state.${verb}`, options, { ifVersion: is.count, ttl: is.anything, metadata: is.object });
    const { ttl, metadata = {} } = options;
    const ttlMilliseconds =
      ttl === undefined ? this.#settings.ttlMilliseconds : ttl === null ? undefined : milliseconds('ttl', ttl, false);
    return {
      kind: 'put',
      value: copyOf(whereOf(key), value),
      metadata: copyOf(`The metadata of '${key}'`, metadata) as Readonly<Record<string, unknown>>,
      expires: ttlMilliseconds === undefined ? null : this.#clock.now() + ttlMilliseconds,
    };
  }

  /** A change keeps what it does not mention. */
  #over(
    wish: Extract<Wish, { kind: 'put' }>,
    current: Held | undefined,
    { ttl, metadata }: SaveOptions,
  ): Extract<Wish, { kind: 'put' }> {
    if (current === undefined) return wish;
    return {
      ...wish,
      expires: ttl === undefined ? current.expires : wish.expires,
      metadata: metadata === undefined ? current.metadata : wish.metadata,
    };
  }

  #sweepFor(wish: Wish): void {
    if (wish.kind === 'put' && wish.expires !== null) this.#sweepBy(wish.expires);
  }

  /** Removes expired entries in the background, soon after this time. */
  #sweepBy(time: number): void {
    if (this.#isClosed || time >= this.#nextSweep) return;
    this.#stopSweep?.();
    this.#nextSweep = time;
    const delay = Math.max(0, Math.min(time - this.#clock.now(), maxSweepMilliseconds));
    this.#stopSweep = afterQuietly(this.#clock, delay, () => {
      this.#nextSweep = Number.POSITIVE_INFINITY;
      this.#sweeping = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    let next: number | undefined;
    try {
      next = await this.#entries.sweep();
    } catch {
      // What has expired is not shown anyway. It is tried again.
      next = this.#clock.now() + maxSweepMilliseconds;
    }
    // Whoever watches must hear of expiries that other processes have added, too.
    const latest = this.#subscriptions.isEmpty ? Number.POSITIVE_INFINITY : this.#clock.now() + maxSweepMilliseconds;
    const time = Math.min(next ?? Number.POSITIVE_INFINITY, latest);
    if (time < Number.POSITIVE_INFINITY) this.#sweepBy(time);
  }

  /** Forgets old changes in a store of its own, now and then. */
  #changed(): void {
    const { keepChanges } = this.#settings;
    if (keepChanges === undefined || ++this.#changes % pruneEvery !== 0) return;
    void this.#place
      .store()
      .then(async (store) => store.prune(Math.max(0, (await store.revision()) - keepChanges)))
      .catch(() => undefined);
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new StateArgumentError('This manager was closed. Make another.');
  }
}

function refuseNoText(verb: string, key: unknown): void {
  if (typeof key !== 'string')
    throw new StateArgumentError(`state.${verb}: a key must be a text, not ${described(key)}.`);
}

function checkVersion(key: string, found: StateEntry | undefined, expected: number | undefined): void {
  const currentVersion = found?.version ?? 0;
  wholeNumberOption(`The value of '${key}'`, 'ifVersion', expected, 0, Number.MAX_SAFE_INTEGER);
  if (currentVersion === expected) return;
  const what = currentVersion === 0 ? 'There is no entry' : `The entry has version ${currentVersion}`;
  throw new StateVersionError(
    `${what} under '${key}', not version ${String(expected)}. Read it again and decide again.`,
    {
      key,
      currentVersion,
      ifVersion: expected,
    },
  );
}

function heldOf(entry: StateEntry | undefined): Held | undefined {
  return entry && { value: entry.value, metadata: entry.metadata, expires: entry.expires?.getTime() ?? null };
}

/** A copy of what JSON can hold; anything else is refused with its path. */
function copyOf(where: string, value: unknown): unknown {
  return JSON.parse(encodeJson(value, where)) as unknown;
}

function whereOf(key: string): string {
  return `The value of '${key}'`;
}
