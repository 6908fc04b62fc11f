// The thread of a session: one connection that holds the session's lock and renews its leases, also while the thread that
// works is busy for long. It stops renewing when that thread makes no progress, and comes back by itself when it is cut off.
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

// Others take a process for gone whose lock is missing for longer than this takes.
const shortestPause = 20;
const longestPause = 150;

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
  #pause = shortestPause;

  constructor(data: SessionThreadData, port: MessagePort) {
    this.#data = data;
    this.#port = port;
    this.#watch = new ProgressWatch(data.progress, data.patienceMilliseconds);
    this.#beat = setInterval(() => void this.#renewAll(), data.leaseMilliseconds / 3);
    port.on('message', (request: SessionRequest) => this.#heard(request));
    this.#connect();
  }

  #heard(request: SessionRequest): void {
    if (request.kind === 'keep') this.#kept.set(request.lease.token, request);
    else if (request.kind === 'drop') this.#kept.delete(request.token);
    else void this.#close();
  }

  #tell(notice: SessionNotice): void {
    this.#port.postMessage(notice);
  }

  #connect(): void {
    if (this.#isClosed) return;
    const { settings, lock } = this.#data;
    const config = clientConfig({ ...settings, clockOffset: () => 0 } satisfies Settings, settings.listenTarget);
    const client = new Client({ ...config, pipeline: false });
    this.#client = client;
    let isOver = false;
    const fail = (): void => {
      if (isOver) return;
      isOver = true;
      this.#isReady = false;
      client.end().catch(() => undefined);
      if (this.#isClosed) return;
      setTimeout(() => this.#connect(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, longestPause);
    };
    client.on('error', fail);
    client.on('end', fail);
    const begin = async (): Promise<void> => {
      await client.connect();
      // Shared: a connection of this session that the server has not given up yet must not be waited for.
      await client.query('select pg_advisory_lock_shared($1::bigint)', [String(lock)]);
      if (isOver) return;
      this.#isReady = true;
      this.#pause = shortestPause;
      this.#tell({ kind: 'open' });
      await this.#renewAll();
    };
    begin().catch(fail);
  }

  async #renewAll(): Promise<void> {
    if (!this.#isReady || this.#isRenewing || this.#kept.size === 0 || !this.#watch.isAlive()) return;
    this.#isRenewing = true;
    try {
      // Collections in order, as everyone locks them.
      const groups = Map.groupBy(this.#kept.values(), ({ lease }) => lease.collection);
      for (const [, members] of [...groups].toSorted(([a], [b]) => a - b)) await this.#renew(members);
    } catch {
      // The connection is lost, and its own handler sees to that, or the server was too slow: the next beat tries again.
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
      this.#tell({ kind: 'lost', lease });
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
