// The thread of a session: one connection that holds the session's lock and renews its leases, even while the main thread
// is busy. It stops renewing if the main thread makes no progress, and reconnects by itself.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { Client } from 'pg';
import { keyFromBytes } from '../../key.ts';
import { ProgressWatch } from '../../engine/progress.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import { clientConfig } from '../connections.ts';
import type { SessionNotice, SessionRequest, SessionThreadData } from './session-messages.ts';
import type { Settings } from '../options.ts';

interface Kept {
  readonly lease: StoredLease;
  readonly renew: string;
}

// Reconnecting must be faster than the grace period after which others consider the process dead.
const minDelay = 20;
const maxDelay = 150;

class Session {
  readonly #data: SessionThreadData;
  readonly #port: MessagePort;
  readonly #watch: ProgressWatch;
  readonly #kept = new Map<number, Kept>();
  readonly #beat: NodeJS.Timeout;
  #client: Client | undefined;
  #isReady = false;
  #isRenewing = false;
  #isClosed = false;
  #delay = minDelay;

  constructor(data: SessionThreadData, port: MessagePort) {
    this.#data = data;
    this.#port = port;
    this.#watch = new ProgressWatch(data.progress, data.patienceMilliseconds);
    this.#beat = setInterval(() => void this.#renewAll(), data.leaseMilliseconds / 3);
    port.on('message', (request: SessionRequest) => this.#onRequest(request));
    this.#connect();
  }

  #onRequest(request: SessionRequest): void {
    if (request.kind === 'keep') this.#kept.set(request.lease.token, request);
    else if (request.kind === 'drop') this.#kept.delete(request.token);
    else void this.#close();
  }

  #notify(notice: SessionNotice): void {
    this.#port.postMessage(notice);
  }

  #connect(): void {
    if (this.#isClosed) return;
    const { settings, lock } = this.#data;
    const config = clientConfig({ ...settings, clockOffset: () => 0 } satisfies Settings, settings.listenTarget);
    const client = new Client({ ...config, pipeline: false });
    this.#client = client;
    let hasEnded = false;
    const fail = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.#isReady = false;
      client.end().catch(() => undefined);
      if (this.#isClosed) return;
      setTimeout(() => this.#connect(), this.#delay);
      this.#delay = Math.min(this.#delay * 2, maxDelay);
    };
    client.on('error', fail);
    client.on('end', fail);
    const begin = async (): Promise<void> => {
      await client.connect();
      // Shared, so as not to wait for a dead connection of this session that the server has not closed yet.
      await client.query('select pg_advisory_lock_shared($1::bigint)', [String(lock)]);
      if (hasEnded) return;
      this.#isReady = true;
      this.#delay = minDelay;
      this.#notify({ kind: 'open' });
      await this.#renewAll();
    };
    begin().catch(fail);
  }

  async #renewAll(): Promise<void> {
    if (!this.#isReady || this.#isRenewing || this.#kept.size === 0 || !this.#watch.isAlive()) return;
    this.#isRenewing = true;
    try {
      // In the order in which every process locks collections.
      const groups = Map.groupBy(this.#kept.values(), ({ lease }) => lease.collection);
      for (const [, members] of [...groups].toSorted(([a], [b]) => a - b)) await this.#renew(members);
    } catch {
      // If the connection is lost, its own handler reconnects; if the server was too slow, the next beat retries.
    } finally {
      this.#isRenewing = false;
    }
  }

  async #renew(members: readonly Kept[]): Promise<void> {
    const leases = members.map(({ lease }) => lease);
    const values = [
      keysArray(leases.map(({ key }) => key)),
      bigintArray(leases.map(({ token }) => token)),
      this.#data.leaseMilliseconds,
      0,
    ];
    const text = members[0]?.renew ?? '';
    const result = await this.#client?.query<unknown[]>({ text, values, rowMode: 'array' });
    if (result === undefined) return;
    const renewed = new Set(result.rows.map(([key, token]) => `${String(token)} ${keyFromBytes(key as Buffer)}`));
    for (const lease of leases) {
      if (renewed.has(`${lease.token} ${lease.key}`) || !this.#kept.delete(lease.token)) continue;
      this.#notify({ kind: 'lost', lease });
    }
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beat);
    this.#port.close();
    await this.#client?.end().catch(() => undefined);
  }
}

if (parentPort !== null) void new Session(workerData as SessionThreadData, parentPort);
