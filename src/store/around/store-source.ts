// A store that is opened when it is first needed, because what describes it is written down in one line.
import { openStore } from '../open.ts';
import type { Store } from '../store.ts';

/** Opens a store; whoever calls it closes the store. */
export interface StoreSource {
  open(): Promise<Store>;
}

/** Opens a store from any of its descriptions. An opened store is not closed with what is put around it. */
export async function openSource(given: string | Store | StoreSource): Promise<{ store: Store; isOwned: boolean }> {
  if (typeof given === 'string') return { store: await openStore(given), isOwned: true };
  if ('open' in given) return { store: await given.open(), isOwned: true };
  return { store: given, isOwned: false };
}
