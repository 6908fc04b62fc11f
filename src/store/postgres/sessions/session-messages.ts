// The messages between a session and its thread.
import type { StoredLease } from '../../engine/stored.ts';
import type { Settings } from '../options.ts';

export interface SessionThreadData {
  readonly settings: Omit<Settings, 'clockOffset'>;
  /** The advisory lock held as long as the process lives. */
  readonly lock: bigint;
  readonly leaseMilliseconds: number;
  readonly patienceMilliseconds: number;
  readonly progress: SharedArrayBuffer;
}

export type SessionRequest =
  /** `renew` is the statement that renews leases of its collection. */
  | { readonly kind: 'keep'; readonly lease: StoredLease; readonly renew: string }
  | { readonly kind: 'drop'; readonly token: number }
  | { readonly kind: 'close' };

export type SessionNotice =
  /** The lock is held for the first time. */
  { readonly kind: 'open' } | { readonly kind: 'lost'; readonly lease: StoredLease };
