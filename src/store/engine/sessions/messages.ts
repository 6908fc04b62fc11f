// The messages between a session and its thread.
import type { StoredLease } from '../stored.ts';

/** What every thread of a session is started with. */
export interface SessionThreadData {
  readonly leaseMilliseconds: number;
  readonly patienceMilliseconds: number;
  readonly progress: SharedArrayBuffer;
}

export type SessionRequest =
  /** `renewal` says how leases of its collection are renewed. */
  | { readonly kind: 'keep'; readonly lease: StoredLease; readonly renewal: unknown }
  | { readonly kind: 'drop'; readonly token: number }
  | { readonly kind: 'close' };

export type SessionNotice =
  /** Others can see for the first time that this process is alive. */
  { readonly kind: 'open' } | { readonly kind: 'lost'; readonly lease: StoredLease };
