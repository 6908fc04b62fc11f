// Keeps sessions alive on the writer thread: holds their locks and renews their leases, even while the main thread is
// busy. It stops renewing if the main thread makes no progress.
import { ProgressWatch } from '../../engine/progress.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { SessionLock } from './session-lock.ts';

export interface KeptSession {
  readonly id: string;
  readonly leaseMilliseconds: number;
  readonly patienceMilliseconds: number;
  readonly progress: SharedArrayBuffer;
}

interface Open {
  readonly session: KeptSession;
  readonly watch: ProgressWatch;
  readonly lock: SessionLock;
  readonly leases: Map<number, StoredLease>;
  readonly timer: NodeJS.Timeout;
}

type Renew = (leases: readonly StoredLease[], leaseMilliseconds: number) => readonly (number | undefined)[];

export class SessionKeeper {
  readonly #file: string;
  readonly #renew: Renew;
  readonly #lost: (id: string, lease: StoredLease) => void;
  readonly #open = new Map<string, Open>();

  constructor(file: string, renew: Renew, lost: (id: string, lease: StoredLease) => void) {
    this.#file = file;
    this.#renew = renew;
    this.#lost = lost;
  }

  open(session: KeptSession): void {
    const lock = new SessionLock(this.#file, session.id);
    const timer = setInterval(() => this.#beat(session.id), session.leaseMilliseconds / 3);
    const watch = new ProgressWatch(session.progress, session.patienceMilliseconds);
    this.#open.set(session.id, { session, watch, lock, leases: new Map(), timer });
  }

  keep(id: string, lease: StoredLease): void {
    this.#open.get(id)?.leases.set(lease.token, lease);
  }

  drop(id: string, token: number): void {
    this.#open.get(id)?.leases.delete(token);
  }

  close(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    clearInterval(open.timer);
    open.lock.release();
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  #beat(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined || open.leases.size === 0 || !open.watch.isAlive()) return;
    const leases = [...open.leases.values()];
    try {
      for (const [index, expiresAt] of this.#renew(leases, open.session.leaseMilliseconds).entries()) {
        const lease = leases[index] as StoredLease;
        if (expiresAt !== undefined) continue;
        open.leases.delete(lease.token);
        this.#lost(id, lease);
      }
    } catch {
      // The disk is full or the file is locked. The next beat retries: an expired lease can be renewed until it is claimed.
    }
  }
}
