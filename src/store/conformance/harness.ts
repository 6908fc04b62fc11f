// The interface of the conformance suite to an engine: opens stores on fresh locations, and moves the clock of leases.
import type { Store } from '../store.ts';

/** Supplies fresh locations. One harness serves all cases, which run one after another. */
export interface StoreHarness {
  /** A location without a store: a new folder, schema or name. */
  createPlace(): Promise<StorePlace>;
}

/** The location of a store. */
export interface StorePlace {
  /** Opens a store; may be called several times, also after closing. */
  open(): Promise<Store>;
  /**
   * Moves the clock of leases for all current and future stores on this location. Nothing waits for real time: an engine
   * that uses the clock of a server adds an offset to it.
   */
  advance(milliseconds: number): Promise<void> | void;
  /** The clock of leases only moves on request, so that exact boundaries can be tested. */
  readonly clockStandsStill: boolean;
  /** Deletes the contents, after all stores on it were closed. */
  dispose(): Promise<void> | void;
}
