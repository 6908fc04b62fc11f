// Each test of the PostgreSQL engine gets a schema of its own, and stores that are closed and dropped behind it.
import { Client } from 'pg';
import { afterEach, beforeEach, describe } from 'vitest';
import { lockNumber } from '../../../../src/store/postgres/writing/lock.ts';
import { openPostgres } from '../../../../src/store/postgres/open.ts';
import type { PostgresOptions } from '../../../../src/store/postgres/options.ts';
import type { Store } from '../../../../src/store/store.ts';
import { postgresForTests, testPostgres, type TestPostgres, type TestSchema } from '../../../support/postgres.ts';

export interface Trial {
  readonly url: string;
  /** The schema of the test that is running. */
  readonly schema: string;
  open(options?: PostgresOptions, url?: string): Promise<Store>;
  /** SQL as a person would run it; `$schema` stands for the test's schema. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Takes the commit lock, as a committer that is not done does, until the function it returns is called. */
  holdCommits(): Promise<() => Promise<void>>;
}

/** Describes what happens on the tests' common server, or skips it where there is none. */
export async function describePostgres(name: string, body: (trial: Trial) => void): Promise<void> {
  const postgres = await postgresForTests();
  // oxlint-disable-next-line vitest/valid-title -- the callers give the title
  describe.skipIf(postgres === undefined)(name, () => {
    body(trialOn(() => postgres as TestPostgres));
  });
}

/** The same on a server that a test started itself. */
export function trialOn(server: () => TestPostgres): Trial {
  let place: TestSchema;
  let stores: Store[] = [];
  beforeEach(async () => {
    place = await server().freshSchema();
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
    await place.drop();
  });
  return {
    get url() {
      return server().url;
    },
    get schema() {
      return place.schema;
    },
    open: async (options = {}, url = server().url) => {
      const store = await openPostgres(url, { schema: place.schema, ...options });
      stores.push(store);
      return store;
    },
    holdCommits: async () => {
      const client = new Client({ connectionString: server().url });
      await client.connect();
      await client.query(`begin; select pg_advisory_xact_lock(${lockNumber(place.schema, 'commit')})`);
      return () => client.end();
    },
    query: (text, values) => server().query(text.replaceAll('$schema', `"${place.schema}"`), values),
  };
}

export { testPostgres };
