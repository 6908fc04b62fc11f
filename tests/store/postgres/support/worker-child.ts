// A process of its own that uses a store, for tests across processes: `node worker-child.ts <command> <url> <schema> …`.
import { recordCollection, workCollection } from '../../../../src/store/collection.ts';
import { mustCommit } from '../../../../src/store/must-commit.ts';
import { openPostgres } from '../../../../src/store/postgres/open.ts';

const [command, url = '', schema = '', count = '1'] = process.argv.slice(2);
const records = recordCollection<number>('numbers');
const items = workCollection<number>('items');
const store = await openPostgres(url, { schema });
await store.declare(records, items);

switch (command) {
  case 'commit':
    for (let index = 0; index < Number(count); index++)
      await mustCommit(store, {
        writes: [{ kind: 'put', collection: records, key: [process.pid, index], value: index }],
      });
    break;
  case 'claim': {
    const claimed: unknown[] = [];
    for (;;) {
      const claims = await store.claim(items, { owner: `${process.pid}`, limit: 10, leaseMilliseconds: 600_000 });
      if (claims.length === 0) break;
      claimed.push(...claims.map(({ entry, lease }) => [entry.value, lease.token]));
    }
    console.log(JSON.stringify(claimed));
    break;
  }
  default:
    throw new Error(`There is no command '${command}'.`);
}
await store.close();
