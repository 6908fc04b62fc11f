// A store that is opened when it is first needed, because what describes it is written down in one line.
import { described, InvalidOptionError } from '../../base/options.ts';
import { openStore } from '../open.ts';
import type { Store } from '../store.ts';

/** Opens a store; whoever calls it closes the store. */
export interface StoreSource {
  open(): Promise<Store>;
}

/** Opens a store from any of its descriptions. An opened store is not closed with what is put around it. */
export async function openSource(given: string | Store | StoreSource): Promise<{ store: Store; isOwned: boolean }> {
  if (typeof given === 'string') return { store: await openStore(given), isOwned: true };
  if (typeof given !== 'object' || (given as object | null) === null || !('open' in given || 'commit' in given))
    throw new InvalidOptionError(
      `A store is a folder, a .db file, 'memory:', 'postgres://…', 'redis://…', Disk(…), Cache(…) or an opened store, not ${described(given)}.`,
    );
  if ('open' in given) return { store: await given.open(), isOwned: true };
  return { store: given, isOwned: false };
}
