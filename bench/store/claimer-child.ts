// One of the processes that claim: opens the store, waits for the start, claims until nothing is left.
import { openStore } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { queue } from './workload.ts';

const [location = '', schema = '', atOnce = '1'] = process.argv.slice(2);
const store = schema === '' ? await openStore(location) : await openPostgres(location, { schema });
await store.declare(queue);
process.once('message', () => void claimAll());
process.send?.('ready');

async function claimAll(): Promise<void> {
  const claimed: number[] = [];
  for (;;) {
    const items = await store.claim(queue, {
      owner: String(process.pid),
      limit: Number(atOnce),
      leaseMilliseconds: 600_000,
    });
    if (items.length === 0) break;
    for (const { entry } of items) claimed.push(entry.key[0] as number);
  }
  process.send?.(claimed, () => void store.close().then(() => process.exit()));
}
