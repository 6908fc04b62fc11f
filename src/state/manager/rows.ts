// What the state manager keeps: a row for each entry, and a row for each time at which one expires. Superseded rows are kept by the
// store until it is pruned, because subscribers are told the old value of every change.
import { recordCollection, type Entry, type RecordCollection } from '../../store/door.ts';
import type { Sealing, SealedContents } from './sealing.ts';

/** Times are in milliseconds since 1970. */
export type EntryRow =
  | ({ readonly created: number; readonly updated: number; readonly expires: number | null } & SealedContents)
  /** An entry that has expired and was removed; kept for a while, so that it can be told from one that never was. */
  | { readonly expired: number };

/** By prefix and key. */
export const entryRows: RecordCollection<EntryRow> = recordCollection<EntryRow>('state_entries', { keeps: 'versions' });

/** By prefix, time and key: when something is to be done about an entry. */
export const expiryRows: RecordCollection<true> = recordCollection<true>('state_expiry', { small: true });

/** Expired entries are told from missing ones for a day. */
export const expiredForMilliseconds = 24 * 60 * 60 * 1000;

/** An entry of the state. */
export interface StateEntry<Value = unknown> {
  readonly key: string;
  readonly value: Value;
  /** The revision of the store that wrote it: it grows with every change, and is never used again. */
  readonly version: number;
  readonly created: Date;
  readonly updated: Date;
  /** When it expires; undefined if it does not. */
  readonly expires: Date | undefined;
  /** What the application said about it when it was saved. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What is under a key: an entry, an expired one, or nothing. */
export type StateLookup<Value = unknown> =
  | { readonly status: 'found'; readonly entry: StateEntry<Value> }
  | { readonly status: 'expired'; readonly expired: Date }
  | { readonly status: 'absent' };

/** @param now what is the time; expired at exactly the time of expiry */
export function lookupOf(
  stored: Entry<EntryRow> | undefined,
  { prefix, key, now, sealing }: { prefix: string; key: string; now: number; sealing: Sealing },
): StateLookup {
  if (stored === undefined) return { status: 'absent' };
  const row = stored.value;
  if ('expired' in row) return { status: 'expired', expired: new Date(row.expired) };
  const { created, updated, expires } = row;
  if (expires !== null && expires <= now) return { status: 'expired', expired: new Date(expires) };
  const { value, metadata } = sealing.open([prefix, key], row);
  return {
    status: 'found',
    entry: {
      key,
      value,
      version: stored.revision,
      created: new Date(created),
      updated: new Date(updated),
      expires: expires === null ? undefined : new Date(expires),
      metadata,
    },
  };
}

/** Whether there is an entry at this time, without opening it. */
export function isAlive(row: EntryRow, now: number): boolean {
  return !('expired' in row) && (row.expires === null || row.expires > now);
}
