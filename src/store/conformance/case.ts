// A case of the conformance suite: runs on its own location and closes everything it opened, even if it fails.
import type { Store } from '../store.ts';
import { everyCollection } from './cases/collections.ts';
import type { StoreHarness, StorePlace } from './harness.ts';

/** Features a case may require; engines without them skip it with the reason. */
export type ConformanceNeed =
  /** Contents survive closing (`features.durable`). */
  | 'durable'
  /** `store.synchronous` (`features.synchronousReads`). */
  | 'synchronousReads'
  /** `store.volatile` (`features.volatileMessages`). */
  | 'volatileMessages'
  /** A lease clock that only moves on request. */
  | 'stillClock';

/** How a case ended for an engine that keeps the promise, or cannot make it. */
export type ConformanceVerdict =
  | { readonly status: 'passed' }
  | { readonly status: 'skipped'; readonly reason: string };

/** One promise of the store contract, as a test that an engine passes or does not. */
export interface ConformanceCase {
  /** `subject: what is promised`. */
  readonly name: string;
  readonly needs: readonly ConformanceNeed[];
  /** Rejects if the engine breaks the promise. */
  run(harness: StoreHarness): Promise<ConformanceVerdict>;
}

/** The context of a case. */
export interface Trial {
  /** A store with the suite's collections declared. */
  readonly store: Store;
  /** Opens another store on the same place, with the same collections declared. */
  open(): Promise<Store>;
  /** Opens another store on the same place that has nothing declared. */
  openBare(): Promise<Store>;
  advance(milliseconds: number): Promise<void>;
}

export function conformanceCase(
  name: string,
  body: (trial: Trial) => Promise<void>,
  ...needs: readonly ConformanceNeed[]
): ConformanceCase {
  return {
    name,
    needs,
    async run(harness) {
      const place = await harness.createPlace();
      const opened: Store[] = [];
      try {
        const openBare = async (): Promise<Store> => {
          const store = await place.open();
          opened.push(store);
          return store;
        };
        const open = async (): Promise<Store> => {
          const store = await openBare();
          await store.declare(...everyCollection);
          return store;
        };
        const store = await openBare();
        const lacking = needs.find((need) => !has(need, store, place));
        if (lacking !== undefined) return { status: 'skipped', reason: `${store.features.engine}: ${lack[lacking]}` };
        await store.declare(...everyCollection);
        await body({ store, open, openBare, advance: async (milliseconds) => place.advance(milliseconds) });
        return { status: 'passed' };
      } finally {
        for (const store of opened) await store.close();
        await place.dispose();
      }
    },
  };
}

const lack: Record<ConformanceNeed, string> = {
  durable: 'contents do not outlive the last store that has them open',
  synchronousReads: 'reads cannot answer at once',
  volatileMessages: 'processes cannot send each other messages',
  stillClock: 'the lease clock is the server’s own and cannot stand still',
};

function has(need: ConformanceNeed, { features }: Store, place: StorePlace): boolean {
  switch (need) {
    case 'durable':
      return features.durable;
    case 'synchronousReads':
      return features.synchronousReads;
    case 'volatileMessages':
      return features.volatileMessages;
    case 'stillClock':
      return place.clockStandsStill;
  }
}
