// The same rows written and read by hand, with the same durability: what the state manager is compared with.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@redis/client';
import { Pool } from 'pg';

export interface RawStore {
  get(key: string): Promise<unknown>;
  save(key: string, value: unknown): Promise<void>;
  /** In one transaction. */
  saveTogether(entries: readonly (readonly [key: string, value: unknown])[]): Promise<void>;
  close(): Promise<void>;
}

export function rawSqlite(folder: string): RawStore {
  const database = new DatabaseSync(join(folder, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000');
  database.exec('CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID');
  const put = database.prepare(
    'INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const get = database.prepare('SELECT value FROM entries WHERE key = ?');
  return {
    get: async (key) => {
      const text = get.get(key)?.['value'];
      return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
    },
    save: async (key, value) => void put.run(key, JSON.stringify(value)),
    saveTogether: async (entries) => {
      database.exec('BEGIN IMMEDIATE');
      for (const [key, value] of entries) put.run(key, JSON.stringify(value));
      database.exec('COMMIT');
    },
    close: async () => database.close(),
  };
}

export async function rawPostgres(url: string, schema: string): Promise<RawStore> {
  // One connection for callers that wait for each other, ten for those that do not.
  const client = new Pool({ connectionString: url, max: 10 });
  const table = `"${schema}_raw"`;
  await client.query(`create table ${table} (key text primary key, value jsonb)`);
  const put = `insert into ${table} select * from unnest($1::text[], $2::jsonb[]) on conflict (key) do update set value = excluded.value`;
  const saveTogether: RawStore['saveTogether'] = async (entries) => {
    const values = [entries.map(([key]) => key), entries.map(([, value]) => JSON.stringify(value))];
    await client.query({ name: 'put', text: put, values });
  };
  return {
    get: async (key) => {
      const select = `select value from ${table} where key = $1`;
      const { rows } = await client.query<{ value: unknown }>({ name: 'get', text: select, values: [key] });
      return rows[0]?.value;
    },
    save: (key, value) => saveTogether([[key, value]]),
    saveTogether,
    close: async () => {
      await client.query(`drop table ${table}`);
      await client.end();
    },
  };
}

export async function rawRedis(url: string, keyPrefix: string): Promise<RawStore> {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  const name = (key: string): string => `${keyPrefix}-raw:${key}`;
  const used = new Set<string>();
  return {
    get: async (key) => {
      const text = await client.get(name(key));
      return text === null ? undefined : (JSON.parse(text) as unknown);
    },
    save: async (key, value) => {
      used.add(name(key));
      await client.set(name(key), JSON.stringify(value));
    },
    saveTogether: async (entries) => {
      const together = client.multi();
      for (const [key, value] of entries) {
        used.add(name(key));
        together.set(name(key), JSON.stringify(value));
      }
      await together.exec();
    },
    close: async () => {
      await client.del([...used]);
      await client.close();
    },
  };
}
