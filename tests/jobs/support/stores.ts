// Stores for tests of what several processes share: each entry makes a place, and returns what opens it, once or several times.
import { onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../src/store.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { storeFolder } from '../../workspace/support/kits.ts';

const postgres = await postgresForTests();

/** By engine; PostgreSQL only where there is a server. */
export const stores: Readonly<Record<string, () => Promise<() => Promise<Store>>>> = {
  sqlite: async () => {
    const folder = storeFolder();
    return () => openStore(folder);
  },
  ...(postgres === undefined
    ? {}
    : {
        postgres: async () => {
          const { schema, drop } = await postgres.freshSchema();
          onTestFinished(drop);
          return () => openPostgres(postgres.url, { schema, allowUnsafeServer: true });
        },
      }),
};
