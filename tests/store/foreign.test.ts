// Files that are not ours, not ours yet, or no files at all: refused, with a typed error, and left byte for byte.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { StoreForeignError, StoreNewerError, StorePermissionError } from '../../src/store/errors.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** What became of the files while the store was being opened. SQLite may leave an empty log beside one it looked at. */
async function openAndCompare(file: string): Promise<{ refusal: unknown; untouched: boolean }> {
  const contents = (): string =>
    [file, `${file}-wal`].map((path) => (existsSync(path) ? readFileSync(path, 'hex') : '')).join(' ');
  const before = contents();
  const refusal = await openSqlite(file).catch((error: unknown) => error);
  return { refusal, untouched: contents() === before };
}

test('a database of another program is refused and untouched', async () => {
  const file = join(temporaryFolder(), 'other.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
  database.close();
  expect(await openAndCompare(file)).toEqual({ refusal: expect.any(StoreForeignError) as unknown, untouched: true });
});

test('a database that another program marked as its own is refused and untouched', async () => {
  const file = join(temporaryFolder(), 'other.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA application_id = 1234');
  database.close();
  expect(await openAndCompare(file)).toEqual({ refusal: expect.any(StoreForeignError) as unknown, untouched: true });
});

test('a database whose program left a write-ahead log behind is refused and both files are untouched', async () => {
  const folder = temporaryFolder();
  const live = join(folder, 'live.db');
  const database = new DatabaseSync(live);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES (1)');
  const file = join(folder, 'left.db');
  copyFileSync(live, file);
  copyFileSync(`${live}-wal`, `${file}-wal`);
  database.close();
  expect(await openAndCompare(file)).toEqual({ refusal: expect.any(StoreForeignError) as unknown, untouched: true });
});

test('a text file is refused and untouched', async () => {
  const file = join(temporaryFolder(), 'letter.db');
  writeFileSync(file, 'Dear reader,\n'.repeat(1000));
  expect(await openAndCompare(file)).toEqual({ refusal: expect.any(StoreForeignError) as unknown, untouched: true });
});

test('a store of a newer format is refused and untouched', async () => {
  const file = join(temporaryFolder(), 'newer.db');
  await (await openSqlite(file)).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA user_version = 1000');
  database.close();
  expect(await openAndCompare(file)).toEqual({ refusal: expect.any(StoreNewerError) as unknown, untouched: true });
});

test('a folder where the file should be is refused', async () => {
  const file = join(temporaryFolder(), 'folder.db');
  mkdirSync(file);
  await expect(openSqlite(file)).rejects.toThrow(StorePermissionError);
});

test('a file where the folder should be is refused', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'text');
  await expect(openSqlite(join(file, 'store'))).rejects.toThrow(StorePermissionError);
  expect(readFileSync(file, 'utf8')).toBe('text');
});

test('an empty file becomes a store', async () => {
  const file = join(temporaryFolder(), 'empty.db');
  writeFileSync(file, '');
  const store = await openSqlite(file);
  expect(await store.revision()).toBe(0);
  await store.close();
});
