// The thread of a session: one connection that shows that the process is alive and renews its leases, even while the main
// thread is busy. It stops renewing if the main thread makes no progress, and reconnects by itself.
import type { MessagePort } from 'node:worker_threads';
import { ProgressWatch } from '../progress.ts';
import type { StoredLease } from '../stored.ts';
import type { SessionNotice, SessionRequest, SessionThreadData } from './messages.ts';

/** A lease that is renewed, and what its engine needs for that. */
export interface Kept<Renewal> {
  readonly lease: StoredLease;
  readonly renewal: Renewal;
}

/** One connection. It is alive from `begin` until it calls `fail`. */
export interface KeeperConnection<Renewal> {
  /** Connects and shows that the process is alive. */
  begin(): Promise<void>;
  /** Renews leases of one collection. Returns those that are lost. */
  renew(members: readonly Kept<Renewal>[]): Promise<readonly StoredLease[]>;
  end(): Promise<void>;
}

// Reconnecting must be faster than the grace period after which others consider the process dead.
const minDelay = 20;
const maxDelay = 150;

export class LeaseKeeper<Renewal> {
  readonly #connect: (fail: () => void) => KeeperConnection<Renewal>;
  readonly #port: MessagePort;
  readonly #watch: ProgressWatch;
  readonly #kept = new Map<number, Kept<Renewal>>();
  readonly #beat: NodeJS.Timeout;
  #connection: KeeperConnection<Renewal> | undefined;
  #isReady = false;
  #isRenewing = false;
  #isClosed = false;
  #delay = minDelay;

  /** `connect` makes a connection that calls `fail` when it is lost. */
  constructor(data: SessionThreadData, port: MessagePort, connect: (fail: () => void) => KeeperConnection<Renewal>) {
    this.#connect = connect;
    this.#port = port;
    this.#watch = new ProgressWatch(data.progress, data.patienceMilliseconds);
    this.#beat = setInterval(() => void this.#renewAll(), data.leaseMilliseconds / 3);
    port.on('message', (request: SessionRequest) => this.#onRequest(request));
    this.#open();
  }

  #onRequest(request: SessionRequest): void {
    if (request.kind === 'keep')
      this.#kept.set(request.lease.token, { lease: request.lease, renewal: request.renewal as Renewal });
    else if (request.kind === 'drop') this.#kept.delete(request.token);
    else void this.#close();
  }

  #notify(notice: SessionNotice): void {
    this.#port.postMessage(notice);
  }

  #open(): void {
    if (this.#isClosed) return;
    let hasEnded = false;
    const fail = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.#isReady = false;
      connection.end().catch(() => undefined);
      if (this.#isClosed) return;
      setTimeout(() => this.#open(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, maxDelay);
    };
    const connection = this.#connect(fail);
    this.#connection = connection;
    const begin = async (): Promise<void> => {
      await connection.begin();
      if (hasEnded) return;
      this.#isReady = true;
      this.#notify({ kind: 'open' });
      // A connection on which renewals fail at once is not a good one.
      if (await this.#renewAll()) this.#delay = minDelay;
    };
    begin().catch(fail);
  }

  /** False if it failed. */
  async #renewAll(): Promise<boolean> {
    if (!this.#isReady || this.#isRenewing || this.#kept.size === 0 || !this.#watch.isAlive()) return true;
    this.#isRenewing = true;
    try {
      // In the order in which every process locks collections.
      const groups = Map.groupBy(this.#kept.values(), ({ lease }) => lease.collection);
      for (const [, members] of [...groups].toSorted(([a], [b]) => a - b)) {
        for (const lease of (await this.#connection?.renew(members)) ?? [])
          if (this.#kept.delete(lease.token)) this.#notify({ kind: 'lost', lease });
      }
      return true;
    } catch {
      // If the connection is lost, its own handler reconnects; if the server was too slow, the next beat retries.
      return false;
    } finally {
      this.#isRenewing = false;
    }
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beat);
    this.#port.close();
    await this.#connection?.end().catch(() => undefined);
  }
}
