// One thing that is remembered, and what all who read and write such things share.
import type { Clock } from '../../base/clock.ts';
import type { Revision, Store } from '../../store/door.ts';
import type { Fact, FactRow } from './rows.ts';

export interface OpenMemory {
  readonly store: Store;
  readonly clock: Clock;
  readonly categories: readonly string[];
}

export function factFrom(row: FactRow, revision: Revision): Fact {
  return { ...row, revision };
}

export function isExpired({ expires }: { readonly expires?: number | undefined }, now: number): boolean {
  return expires !== undefined && expires <= now;
}
