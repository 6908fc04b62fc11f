// What the conformance suite needs to know about an engine: how to open stores on a fresh place, and how to move the
// clock their leases are counted by. Everything else it learns from the store itself.
import type { Store } from '../store.ts';

/** Supplies fresh places to open stores on. One harness serves all cases, which run one after another. */
export interface StoreHarness {
  /** A place where no store has been before: a new folder, schema or name. */
  createPlace(): Promise<StorePlace>;
}

/** Where a store's contents are. */
export interface StorePlace {
  /** Opens a store here; again while others are open, and again after they were closed. */
  open(): Promise<Store>;
  /**
   * Moves the clock that leases are counted by, for every store that is open here or will be. Nothing waits for real
   * time to pass: an engine that uses a server's clock adds an offset to it.
   */
  advance(milliseconds: number): Promise<void> | void;
  /** The clock leases are counted by stands still until it is moved, so that exact boundaries can be tried. */
  readonly clockStandsStill: boolean;
  /** Deletes the contents. All stores opened here are closed by then. */
  dispose(): Promise<void> | void;
}
