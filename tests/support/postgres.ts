// PostgreSQL for tests: the server named by STATEK_TEST_POSTGRES, else one on the default local port, else a private one
// started from installed binaries; otherwise undefined, with a line that the tests are skipped.
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Client } from 'pg';
import { postgresBinaries, privateServer } from './postgres-server.ts';

export { postgresBinaries, privateServer, type PrivateServer } from './postgres-server.ts';

export interface TestPostgres {
  readonly url: string;
  /** The name of an unused schema; `drop` deletes it with its contents. */
  freshSchema(): Promise<TestSchema>;
  /** Runs one statement outside any store. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export interface TestSchema {
  readonly schema: string;
  drop(): Promise<void>;
}

let found: Promise<TestPostgres | undefined> | undefined;

/** Cached per process. */
export function postgresForTests(): Promise<TestPostgres | undefined> {
  found ??= find();
  return found;
}

/** For a known server. */
export function testPostgres(url: string): TestPostgres {
  const query = async (text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  return {
    url,
    query,
    freshSchema: () => {
      const schema = `statek_test_${randomBytes(6).toString('hex')}`;
      const drop = async (): Promise<void> => void (await query(`drop schema if exists "${schema}" cascade`));
      return Promise.resolve({ schema, drop });
    },
  };
}

async function find(): Promise<TestPostgres | undefined> {
  const named = process.env['STATEK_TEST_POSTGRES'];
  if (named !== undefined && named !== '') return testPostgres(named);
  for (const database of ['test', 'postgres']) {
    for (const user of new Set([userInfo().username, 'postgres'])) {
      const url = `postgres://${encodeURIComponent(user)}@127.0.0.1:5432/${database}`;
      if (await mayCreate(url)) return testPostgres(url);
    }
  }
  if (postgresBinaries() !== undefined) {
    const server = await privateServer();
    process.once('exit', () => server.killNow());
    return testPostgres(server.url);
  }
  console.error(
    'SKIPPED: everything that needs PostgreSQL. Set STATEK_TEST_POSTGRES=postgres://…, start a server on 127.0.0.1:5432, or install its binaries.',
  );
  return undefined;
}

async function mayCreate(url: string): Promise<boolean> {
  try {
    const [row] = await testPostgres(url).query("select has_database_privilege(current_database(), 'create') as may");
    return row?.['may'] === true;
  } catch {
    return false;
  }
}
