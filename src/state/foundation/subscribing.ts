// Subscriptions: a function that is called for what happens, in order, one call after the other. They survive outages of the store:
// they go on after what was told last, so that something may be told twice and nothing is left out.
import type { Collection, Store } from '../../store/door.ts';
import { checkArgument, checkGiven, is } from './given.ts';

/** How a subscriber is called. */
export interface EventOptions {
  /** What happened after this revision of the store; default: from now on. */
  readonly since?: number | undefined;
  /** Told of what the callback throws, and of outages of the store; the subscription goes on. Told once more if it cannot. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** What else is known about a change. */
export interface ChangeContext {
  /** Pass the latest that was handled as `since` to go on after it. */
  readonly revision: number;
}

/**
 * Called with something as it is now, and as it was when this subscriber was told of it before (undefined the first time). The next
 * call waits for its promise.
 */
export type ChangeCallback<Value> = (
  now: Value,
  before: Value | undefined,
  context: ChangeContext,
) => void | Promise<void>;

const reconnectMilliseconds = 500;

/** Of so many things it is remembered how they were. */
const rememberedThings = 1000;

/** What waiting does not mend. */
const finalCodes: ReadonlySet<string> = new Set([
  'INVALID_OPTION',
  'STATE_ARGUMENT',
  'STATE_NOT_FOUND',
  'STORE_ARGUMENT',
  'STORE_CLOSED',
  'STORE_CORRUPT',
  'STORE_REVISION_GONE',
  'STORE_ROLLED_BACK',
]);

/**
 * Calls back for each event; returns a function that stops. `events` is asked again after an outage. Events without a revision were
 * never committed.
 */
export function subscribeTo<Event extends object>(
  store: () => Promise<Store>,
  events: (at: { readonly since: number | undefined; readonly signal: AbortSignal }) => AsyncIterable<Event>,
  callback: (event: Event) => unknown,
  options: EventOptions,
): () => void {
  checkArgument('subscribe', 'the callback', callback, is.action);
  checkGiven('subscribe', options, { since: is.count, onError: is.action });
  const { onError = () => undefined } = options;
  const stop = new AbortController();
  const { signal } = stop;
  void (async () => {
    let { since } = options;
    // Where to begin again: behind the latest revision of which everything was told.
    let next = since;
    let latest = since;
    while (!hasEnded(signal)) {
      try {
        next ??= await (await store()).revision();
        for await (const event of events({ since, signal })) {
          const { revision } = event as { readonly revision?: number };
          if (revision !== undefined && revision !== latest) [next, latest] = [latest ?? next, revision];
          try {
            await callback(event);
          } catch (error) {
            onError(error);
          }
        }
        return;
      } catch (error) {
        if (hasEnded(signal)) return;
        onError(error);
        if (finalCodes.has(String((error as { code?: unknown } | undefined)?.code))) return;
        since = next;
        await pause(signal);
      }
    }
  })();
  return () => stop.abort();
}

/** Things that are told of when they change. */
export interface Followed<Value> {
  readonly store: () => Promise<Store>;
  /** Rows that tell that something has changed. */
  readonly collections: readonly Collection[];
  /** The thing that a row belongs to, by its name; undefined: nothing that is followed. */
  nameOf(change: { readonly collection: string; readonly key: readonly unknown[] }): string | undefined;
  /** The thing as it is now; undefined if there is nothing to tell. */
  look(name: string): Promise<Value | undefined>;
  /** Ends all subscriptions of a manager. */
  readonly closing: AbortSignal;
}

/** Calls back with things that have changed. Changes from now on are seen once the promise resolves. */
export async function subscribeToChanges<Value>(
  followed: Followed<Value>,
  callback: ChangeCallback<Value>,
  options: EventOptions,
): Promise<() => void> {
  checkArgument('subscribe', 'the callback', callback, is.action);
  const since = options.since ?? (await (await followed.store()).revision());
  const told = new Map<string, Value>();
  return subscribeTo(
    followed.store,
    (at) => changesOf(followed, told, { ...at, signal: AbortSignal.any([at.signal, followed.closing]) }),
    ({ now, before, revision }) => callback(now, before, { revision }),
    { ...options, since },
  );
}

/** Each thing as it is by now; what is the same as before is not told again. */
async function* changesOf<Value>(
  { store: open, collections, nameOf, look }: Followed<Value>,
  told: Map<string, Value>,
  { since, signal }: { readonly since: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<
  { readonly now: Value; readonly before: Value | undefined; readonly revision: number },
  void,
  undefined
> {
  const store = await open();
  for await (const { revision, changes } of store.follow({ collections, since, signal })) {
    const names = new Set(changes.map(nameOf).filter((name) => name !== undefined));
    for (const name of names) {
      const now = await look(name);
      if (signal.aborted) return;
      const before = told.get(name);
      told.delete(name);
      if (now === undefined) continue;
      told.set(name, now);
      if (told.size > rememberedThings) told.delete(told.keys().next().value as string);
      if (before === undefined || JSON.stringify(before) !== JSON.stringify(now)) yield { now, before, revision };
    }
  }
}

function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, reconnectMilliseconds);
    timer.unref();
    signal.addEventListener('abort', end);
  });
}
