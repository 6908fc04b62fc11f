// Uses the installed package from TypeScript: type checked with a user's settings, then run.
import { openStore, recordCollection, scanAll, type Entry, type Store } from 'statek/store';
import type { McpServerOptions } from 'statek/mcp';
import type { ModelBackend } from 'statek/models';
import type { PostgresOptions } from 'statek/postgres';
import type { RedisOptions } from 'statek/redis';
import { ManualClock, scriptedModel } from 'statek/testing';

interface Meeting {
  readonly title: string;
}

const server: McpServerOptions = { name: 'files', url: 'http://127.0.0.1:1/mcp' };
const backend: ModelBackend = scriptedModel(['Hello']);
const options: PostgresOptions & RedisOptions = { schema: 'statek', keyPrefix: 'statek' };
const meetings = recordCollection<Meeting>('meetings', { keeps: 'versions' });
const store: Store = await openStore('memory:', { clock: new ManualClock() });
await store.declare(meetings);
await store.commit([
  {
    writes: [
      {
        kind: 'put',
        collection: meetings,
        key: ['monday'],
        value: { title: options.schema ?? `${server.name} ${backend.model}` },
      },
    ],
  },
]);
const found: Entry<Meeting>[] = [];
for await (const entry of scanAll(store, meetings, { startsWith: 'mon' })) found.push(entry);
await store.close();
if (found[0]?.value.title !== 'statek') throw new Error('The value was not kept.');
console.log('TypeScript: works');
