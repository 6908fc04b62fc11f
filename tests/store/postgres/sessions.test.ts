// Sessions on PostgreSQL: a lock that is there while the process lives, leases that are renewed from another thread, and
// what becomes of both when the server cuts the connection.
import { expect, onTestFinished, test } from 'vitest';
import { workCollection } from '../../../src/store/collection.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import type { Lease, Store, StoreSession } from '../../../src/store/store.ts';
import { postgresForTests } from '../../support/postgres.ts';

const work = workCollection<number>('work');

interface Opened {
  readonly store: Store;
  readonly session: StoreSession;
  readonly lease: Lease;
  readonly lost: Lease[];
}

async function open(url: string, schema: string): Promise<Opened> {
  const store = await openPostgres(url, { schema });
  onTestFinished(() => store.close());
  await store.declare(work);
  await store.commit([{ writes: [{ kind: 'put', collection: work, key: [1], value: 1 }] }]);
  const lost: Lease[] = [];
  const session = await store.openSession?.({
    name: 'tester',
    leaseMilliseconds: 300,
    patienceMilliseconds: 60_000,
    lost: (lease) => lost.push(lease),
    ended: () => undefined,
  });
  if (session === undefined) throw new Error('There is no session.');
  onTestFinished(() => session.close());
  const [claimed] = await store.claim(work, { owner: session.owner, limit: 1, leaseMilliseconds: 300 });
  if (claimed === undefined) throw new Error('There is nothing to claim.');
  session.keep(claimed.lease);
  return { store, session, lease: claimed.lease, lost };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('renews what it keeps, also after the server has ended its connection', async () => {
  const postgres = await postgresForTests();
  if (postgres === undefined) return;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  const { store, lease, lost } = await open(postgres.url, schema);
  const expiry = async (): Promise<number> => (await store.holders(work))[0]?.expiresAt ?? 0;
  await until(async () => (await expiry()) > lease.expiresAt);
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1
     and ((classid::bigint << 32) | objid::bigint) = ('x' || $1)::bit(64)::bigint`,
    [lease.owner.slice(-16)],
  );
  const before = await expiry();
  await until(async () => (await expiry()) > before + 200);
  expect(lost).toEqual([]);
  expect(await store.expireDead?.(work)).toBe(0);
});

test('says which leases it could not keep', async () => {
  const postgres = await postgresForTests();
  if (postgres === undefined) return;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  const { store, lease, lost } = await open(postgres.url, schema);
  await store.release([lease]);
  await until(() => Promise.resolve(lost.length > 0));
  expect(lost.map(({ token, collection }) => [token, collection])).toEqual([[lease.token, 'work']]);
});
