// The thread of a session on PostgreSQL: its connection holds the session's lock and renews its leases.
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'pg';
import { keyFromBytes } from '../../key.ts';
import { LeaseKeeper, type KeeperConnection, type Kept } from '../../engine/sessions/lease-keeper.ts';
import type { SessionThreadData } from '../../engine/sessions/messages.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { bigintArray, keysArray } from '../reading/binary.ts';
import { clientConfig } from '../connections.ts';
import type { Settings } from '../options.ts';

export interface KeeperData {
  readonly settings: Omit<Settings, 'clockOffset'>;
  /** The advisory lock held as long as the process lives. */
  readonly lock: bigint;
}

/** The statement that renews leases of a collection. */
type Renewal = string;

class LockedConnection implements KeeperConnection<Renewal> {
  readonly #data: KeeperData & SessionThreadData;
  readonly #client: Client;

  constructor(data: KeeperData & SessionThreadData, fail: () => void) {
    this.#data = data;
    const { settings } = data;
    const config = clientConfig({ ...settings, clockOffset: () => 0 } satisfies Settings, settings.listenTarget);
    this.#client = new Client({ ...config, pipeline: false });
    this.#client.on('error', fail);
    this.#client.on('end', fail);
  }

  async begin(): Promise<void> {
    await this.#client.connect();
    // Shared, so as not to wait for a dead connection of this session that the server has not closed yet.
    await this.#client.query('select pg_advisory_lock_shared($1::bigint)', [String(this.#data.lock)]);
  }

  async renew(members: readonly Kept<Renewal>[]): Promise<readonly StoredLease[]> {
    const leases = members.map(({ lease }) => lease);
    const values = [
      keysArray(leases.map(({ key }) => key)),
      bigintArray(leases.map(({ token }) => token)),
      this.#data.leaseMilliseconds,
      0,
    ];
    const text = members[0]?.renewal ?? '';
    const result = await this.#client.query<unknown[]>({ text, values, rowMode: 'array' });
    const renewed = new Set(result.rows.map(([key, token]) => `${String(token)} ${keyFromBytes(key as Buffer)}`));
    return leases.filter(({ token, key }) => !renewed.has(`${token} ${key}`));
  }

  end(): Promise<void> {
    return this.#client.end();
  }
}

const data = workerData as KeeperData & SessionThreadData;
if (parentPort !== null) void new LeaseKeeper(data, parentPort, (fail) => new LockedConnection(data, fail));
