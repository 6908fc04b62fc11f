// Programs that wait go on in a store that was filled from a backup, or from another store, of whichever engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Durable, idOf, program, Statek } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { openRedis } from '../../src/redis.ts';
import { copyStore, openStore, restoreStore, type Store } from '../../src/store.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';

class Counter extends Durable {
  count = 0;
}

const drivers = [
  program({
    role: 'typescript',
    source: `let seen = ['begun']; const day = await ask('Which day?'); seen.push(day); seen.join(' ')`,
  }),
  program({
    role: 'python',
    language: 'python',
    source: `seen = ['begun']\nday = ask('Which day?')\nseen.append(day)\n' '.join(seen)`,
  }),
];

let folder: string;
const drops: (() => unknown)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'statek-kit-backup-'));
});
afterAll(async () => {
  for (const drop of drops) await drop();
  await rm(folder, { recursive: true });
});

const languages = ['typescript', 'python'];
const openKit = (store: string | Store): Promise<Statek> => Statek.open({ store, drivers, classes: [Counter] });

/** Where copies go, one after another: each is made from the one before it. */
async function otherStores(): Promise<(() => Promise<Store>)[]> {
  const stores = [() => openStore(join(folder, 'second'))];
  const postgres = await postgresForTests();
  if (postgres !== undefined) {
    const { schema, drop } = await postgres.freshSchema();
    drops.push(drop);
    stores.push(() => openPostgres(postgres.url, { schema, allowUnsafeServer: true, durability: 'relaxed' }));
  }
  const redis = await redisForTests();
  if (redis !== undefined) {
    const { keyPrefix, drop } = redis.freshPrefix();
    drops.push(drop);
    stores.push(() => openRedis(redis.url, { keyPrefix, durability: 'relaxed' }));
  }
  return [...stores, () => openStore(`file:${join(folder, 'last')}`)];
}

interface Known {
  readonly counter: string;
  /** When it was 1. */
  readonly revision: number;
  readonly commits: readonly (readonly string[])[];
}

async function commitsOf(kit: Statek): Promise<string[][]> {
  const found: string[][] = [];
  for (const id of languages) {
    found.push((await (await kit.job(id)).commits()).map(({ hash }) => hash));
  }
  return found;
}

/** The past is the same, and what waits goes on. Returns what the programs returned. */
async function goesOn(store: Store, { counter, revision, commits }: Known): Promise<unknown[]> {
  const kit = await openKit(store);
  try {
    const found = (await kit.fetch(counter)) as Counter;
    expect(await kit.transaction(() => found.count)).toBe(2);
    expect(await kit.at(revision, () => found.count)).toBe(1);
    expect(await commitsOf(kit)).toEqual(commits);
    for (const id of languages) await kit.answer(`${id}/1`, 'Monday');
    await kit.runUntilIdle();
    return await Promise.all(languages.map(async (id) => (await kit.job(id)).result()));
  } finally {
    await kit.close();
    await store.close();
  }
}

test('after a restore, and after copies to other engines', async () => {
  const kit = await openKit(join(folder, 'first'));
  const main = await kit.transaction(() => new Counter());
  await kit.transaction(() => main.count++);
  const revision = await kit.store.revision();
  await kit.transaction(() => main.count++);
  for (const role of languages) await kit.submit(role, { id: role });
  await kit.runUntilIdle();
  const known = { counter: idOf(main), revision, commits: await commitsOf(kit) };
  const backup = join(folder, 'first.backup');
  await kit.backup(backup);
  await kit.close();

  const restored = await openStore(join(folder, 'restored'));
  await restoreStore(restored, backup);
  const copies: Store[] = [];
  let previous = await openStore(join(folder, 'first'));
  for (const open of await otherStores()) {
    const next = await open();
    await copyStore(previous, next);
    if (copies.length === 0) await previous.close();
    copies.push(next);
    previous = next;
  }
  for (const store of [restored, ...copies])
    expect(await goesOn(store, known)).toEqual(['begun Monday', 'begun Monday']);
}, 180_000);
