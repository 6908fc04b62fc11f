// Opening a kit: its options, the store, and what lies in it.
import { systemClock, type Clock } from '../base/clock.ts';
import { described, InvalidOptionError, wholeNumberOption } from '../base/options.ts';
import { openHistory } from '../history/open.ts';
import type { DurableClass } from '../objects/declaration.ts';
import { Objects } from '../objects/objects.ts';
import type { Collection } from '../store/collection.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { KitContext } from './context.ts';
import { exposureOf } from './exposure.ts';
import type { WorkspaceLimits } from './limits.ts';
import { workspaceCollections } from './rows.ts';

export interface WorkspaceKitOptions {
  /** A folder or `.db` file, `memory:`, `postgres://…`, or an opened store. */
  readonly store: string | Store;
  /** Host objects and functions by name. A handle to one is durable: every process that registers the name can go on with it. */
  readonly services?: Readonly<Record<string, object>> | undefined;
  /** Durable classes: their objects are kept in this store. */
  readonly classes?: readonly DurableClass[] | undefined;
  /** Modules that steps may import: source text by specifier; for Python by the path of its file, such as `billing/tax.py`. */
  readonly modules?: Readonly<Record<string, string>> | undefined;
  /** Limits of workspaces that are made with this kit; `defaultLimits` unless told. */
  readonly limits?: Partial<WorkspaceLimits> | undefined;
  /** Programs that are kept alive in memory, at most; 1,000 unless told. Others come back from the store by themselves. */
  readonly liveWorkspaces?: number | undefined;
  /** Memory for live programs, in MiB; 512 unless told. */
  readonly memoryMegabytes?: number | undefined;
  /** Memory for durable objects that were read, in MiB; 64 unless told. On stores that read at once. */
  readonly objectCacheMegabytes?: number | undefined;
  /** Programs may keep any object of the application, sockets and cursors too. Only with a `memory:` store: nothing survives the process. */
  readonly live?: boolean | undefined;
  /** How long another process waits before it takes over from one that died; 5,000 unless told. */
  readonly leaseMilliseconds?: number | undefined;
  readonly clock?: Clock | undefined;
}

export const kitOptionNames = [
  'store',
  'services',
  'classes',
  'modules',
  'limits',
  'liveWorkspaces',
  'memoryMegabytes',
  'objectCacheMegabytes',
  'live',
  'leaseMilliseconds',
  'clock',
];

/** What a kit is made from. */
export interface KitParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: KitContext['history'];
  readonly objects: KitContext['objects'];
  /** Host objects by name; a layer above may add its own. */
  readonly services: Map<string, object>;
}

/** Opens the store and what lies in it; `use` makes the kit. If that fails, a store that was opened here is closed. */
export async function openKit<Kit>(
  options: WorkspaceKitOptions,
  collections: readonly Collection[],
  use: (parts: KitParts) => Promise<Kit> | Kit,
): Promise<Kit> {
  refuseNoStore(options.store);
  const store = typeof options.store === 'string' ? await openStore(options.store) : options.store;
  try {
    refuseLive(options, store);
    await store.declare(...workspaceCollections, ...collections);
    const clock = options.clock ?? systemClock;
    const history = await openHistory(store, { clock });
    const { objectCacheMegabytes = 64 } = options;
    const objects = await Objects.open(store, {
      classes: options.classes,
      cacheMegabytes: wholeNumberOption('Statek.open', 'objectCacheMegabytes', objectCacheMegabytes, 0, 65_536),
    });
    const services = new Map(Object.entries(options.services ?? {}));
    // Rules of classes that cannot hold are found now, and not when the first program meets an object.
    for (const one of [...(options.classes ?? []), ...services.values()]) exposureOf(one);
    return await use({ store, clock, history, objects, services });
  } catch (error) {
    if (typeof options.store === 'string') await store.close();
    throw error;
  }
}

function refuseNoStore(store: unknown): void {
  if (typeof store === 'string' && store !== '') return;
  // An opened store may be one of ours or somebody's own around it; this is what a kit needs of it first.
  if (typeof store === 'object' && store !== null && 'declare' in store && 'commit' in store) return;
  throw new InvalidOptionError(
    `Statek.open: option 'store' must be a folder, a .db file, 'memory:', 'postgres://…' or an opened store, not ${described(store)}.`,
    { name: 'store' },
  );
}

function refuseLive({ live }: WorkspaceKitOptions, { features }: Store): void {
  if (live === true && features.durable) {
    throw new InvalidOptionError(
      "Statek.open: 'live' needs a store that ends with the process, such as 'memory:'; in a durable one, programs keep only what can be found again.",
      { name: 'live' },
    );
  }
}
