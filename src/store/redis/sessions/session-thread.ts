// The thread of a session on Redis: its connection listens to the session's channel and renews its leases.
import { parentPort, workerData } from 'node:worker_threads';
import { LeaseKeeper, type KeeperConnection, type Kept } from '../../engine/sessions/lease-keeper.ts';
import type { SessionThreadData } from '../../engine/sessions/messages.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { clientFor, loadClientLibrary, type Client, type ClientLibrary } from '../client.ts';
import { evaluate, type Reply } from '../connections.ts';
import { isUnusableServer } from '../failure.ts';
import { SeenHistory, type HistorySnapshot } from '../history.ts';
import type { ThreadSettings } from '../options.ts';
import { keyArgument } from '../reading/entry.ts';
import { renewScript } from '../scripts.ts';

export interface KeeperData {
  readonly settings: ThreadSettings;
  readonly history: HistorySnapshot;
  /** The channel the session listens to as long as the process lives. */
  readonly channel: string;
}

/** The keys and the first arguments of a renewal in a collection. */
export interface Renewal {
  readonly keys: readonly string[];
  readonly words: readonly string[];
}

class ListeningConnection implements KeeperConnection<Renewal> {
  readonly #data: KeeperData & SessionThreadData;
  readonly #history: SeenHistory;
  readonly #client: Client;
  readonly #fail: () => void;

  constructor(library: ClientLibrary, data: KeeperData & SessionThreadData, fail: () => void) {
    this.#data = data;
    this.#fail = fail;
    this.#history = new SeenHistory(data.history);
    this.#client = clientFor(library, data.settings, { protocol: 3 });
    this.#client.on('error', fail);
    this.#client.on('end', fail);
  }

  async begin(): Promise<void> {
    await this.#client.connect();
    await this.#client.subscribe(this.#data.channel, () => undefined);
  }

  async renew(members: readonly Kept<Renewal>[]): Promise<readonly StoredLease[]> {
    const leases = members.map(({ lease }) => lease);
    const { keys, words } = members[0]?.renewal ?? { keys: [], words: [] };
    const items = leases.flatMap(({ key, token }) => ['1', keyArgument(key), String(token)]);
    const all = [...this.#history.arguments(), '0', String(this.#data.leaseMilliseconds), ...words, ...items];
    // A server that does not answer in time is left; another connection may reach one that does.
    const timer = setTimeout(() => this.#fail(), this.#data.settings.commandTimeout);
    try {
      const [, , , ...expiries] = await evaluate(
        (command) => this.#client.sendCommand<Reply>(command),
        renewScript,
        keys,
        all,
      );
      return leases.filter((_, index) => expiries[index] === null);
    } catch (error) {
      // A server that became a replica answers with errors; another connection may lead to the new primary.
      if (isUnusableServer(error)) this.#fail();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    this.#client.destroy();
  }
}

const data = workerData as KeeperData & SessionThreadData;
const library = await loadClientLibrary();
if (parentPort !== null) void new LeaseKeeper(data, parentPort, (fail) => new ListeningConnection(library, data, fail));
