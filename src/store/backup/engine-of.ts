// The engine under a store: what reads or fills a store as a whole goes past everything that is around it.
import { StoreAround } from '../around/store-around.ts';
import { EngineStore } from '../engine/engine-store.ts';
import type { Engine } from '../engine/engine.ts';
import type { Loading, Snapshot } from '../engine/snapshot.ts';
import { StoreFeatureError } from '../errors.ts';
import type { Store } from '../store.ts';

export async function snapshotOf(store: Store, skipDamaged: boolean): Promise<Snapshot> {
  const engine = engineOf(store);
  if (engine?.snapshot === undefined) throw lacks(store, 'be backed up or copied');
  return engine.snapshot({ skipDamaged });
}

export async function loadingOf(store: Store): Promise<Loading> {
  const engine = engineOf(store);
  if (engine?.load === undefined) throw lacks(store, 'be filled from a backup or another store');
  return engine.load();
}

function engineOf(store: Store): Engine | undefined {
  const inner = store instanceof StoreAround ? store.innermost() : store;
  return inner instanceof EngineStore ? inner.engine() : undefined;
}

function lacks(store: Store, what: string): StoreFeatureError {
  const { engine } = store.features;
  return new StoreFeatureError(`A store of the engine '${engine}' cannot ${what}.`, { engine });
}
