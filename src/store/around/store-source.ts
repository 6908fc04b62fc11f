// A store that is opened when it is first needed, because what describes it is written down in one line.
import { described, InvalidOptionError } from '../../base/options.ts';
import { openStore } from '../open.ts';
import type { Store } from '../store.ts';

/** Opens a store; whoever calls it closes the store. */
export interface StoreSource {
  open(): Promise<Store>;
}

/** What a store can be given as, for error messages. */
export const sources =
  "a folder, a .db file, 'memory:', 'postgres://…', 'redis://…', Disk(…), Cache(…) or an opened store";

export function isSource(given: unknown): given is string | Store | StoreSource {
  return (
    typeof given === 'string' || (typeof given === 'object' && given !== null && ('open' in given || 'commit' in given))
  );
}

/** Opens a store from any of its descriptions. An opened store is not closed with what is put around it. */
export async function openSource(given: string | Store | StoreSource): Promise<{ store: Store; isOwned: boolean }> {
  if (!isSource(given)) throw new InvalidOptionError(`A store is ${sources}, not ${described(given)}.`);
  if (typeof given === 'string') return { store: await openStore(given), isOwned: true };
  if ('open' in given) return { store: await given.open(), isOwned: true };
  return { store: given, isOwned: false };
}
