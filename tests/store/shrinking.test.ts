// A SQLite file becomes smaller after its contents were removed, while others commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { bytesCollection, openStore, type Store } from '../../src/store.ts';

const blobs = bytesCollection('blobs');
const numbers = Array.from({ length: 200 }, (_, number) => number);

async function emptied(folder: string): Promise<Store> {
  const store = await openStore(folder);
  await store.declare(blobs);
  for (const number of numbers)
    await store.commit([
      { writes: [{ kind: 'put', collection: blobs, key: [number], value: new Uint8Array(50_000).fill(number) }] },
    ]);
  const removals = numbers.slice(1).map((number) => ({ kind: 'remove' as const, collection: blobs, key: [number] }));
  await store.commit([{ writes: removals }]);
  return store;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'statek-shrinking-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('what was removed is given back', async () => {
  const folder = newFolder();
  const store = await emptied(folder);
  const other = await openStore(folder);
  await other.declare(blobs);
  const before = (await store.size?.()) ?? 0;
  const meanwhile = Array.from({ length: 10 }, (_, number) =>
    other.commit([{ writes: [{ kind: 'put', collection: blobs, key: ['more', number], value: new Uint8Array(9) }] }]),
  );
  const freed = await store.shrink?.();
  expect((await Promise.all(meanwhile)).flat().every(({ status }) => status === 'committed')).toBe(true);
  expect(freed).toBeGreaterThan(9_000_000);
  expect(before).toBeGreaterThan(10_000_000);
  await other.close();
  await store.close();
  const again = await openStore(folder);
  await again.declare(blobs);
  expect(await again.size?.()).toBeLessThan(1_000_000);
  expect((await again.scan(blobs, {})).entries).toHaveLength(11);
  expect((await again.verify()).problems).toEqual([]);
  await again.close();
});

test('a file of an earlier version is not made smaller in place', async () => {
  const folder = newFolder();
  await (await emptied(folder)).close();
  const database = new DatabaseSync(join(folder, 'statek.db'));
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM');
  database.close();
  const store = await openStore(folder);
  await expect(store.shrink?.()).rejects.toMatchObject({ code: 'STORE_FEATURE' });
  await store.close();
  const memory = await openStore('memory:');
  expect(await memory.shrink?.()).toBe(0);
  await memory.close();
});
