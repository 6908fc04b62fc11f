// Opening a store that exists: it can be read at once, and the thread that writes is there when it is needed.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import { StoreNewerError } from '../../src/store/errors.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { CommitResult, Store } from '../../src/store/store.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const notes = recordCollection<string>('notes');

async function storeWithNote(): Promise<string> {
  const file = join(temporaryFolder(), 'store.db');
  const store = await openSqlite(file);
  await store.declare(notes);
  await put(store, 'first');
  await store.close();
  return file;
}

const put = (store: Store, value: string): Promise<readonly CommitResult[]> =>
  store.commit([{ writes: [{ kind: 'put', collection: notes, key: ['note'], value }] }]);

test('it is read, written and closed in whichever order', async () => {
  const file = await storeWithNote();
  const untouched = await openSqlite(file);
  await untouched.close();
  const reader = await openSqlite(file);
  await reader.declare(notes);
  expect(reader.synchronous?.read(notes, [['note']])[0]?.value).toBe('first');
  await reader.close();
  const writer = await openSqlite(file);
  await writer.declare(notes);
  await put(writer, 'second');
  expect(writer.synchronous?.read(notes, [['note']])[0]?.value).toBe('second');
  const closing = put(writer, 'third');
  await writer.close();
  await closing;
});

test('if it cannot be written, commits say why, and what can be read is read', async () => {
  const file = await storeWithNote();
  const store = await openSqlite(file);
  const other = new DatabaseSync(file);
  // Before the writing thread has looked at it.
  other.exec('PRAGMA user_version = 99');
  other.close();
  await store.declare(notes);
  const results = await Promise.allSettled([put(store, 'a'), put(store, 'b')]);
  expect(results.map((result) => result.status === 'rejected' && result.reason instanceof StoreNewerError)).toEqual([
    true,
    true,
  ]);
  await expect(put(store, 'later')).rejects.toThrow(StoreNewerError);
  expect((await store.read(notes, [['note']]))[0]?.value).toBe('first');
  await store.close();
});
