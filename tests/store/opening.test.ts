// Opening a store that exists: it can be read at once, and the thread that writes is there when it is needed.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import { StoreNewerError } from '../../src/store/errors.ts';
import { isReadable } from '../../src/store/sqlite/database.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { createFile } from '../../src/store/sqlite/statements.ts';
import { Writer } from '../../src/store/sqlite/writing/writer.ts';
import type { CommitResult, Store } from '../../src/store/store.ts';
import type { OpenNewTask } from './children/open-new.ts';
import { runTogether } from './support/children.ts';
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

/** Lets something happen before a statement that asks for the format version is prepared: the first, or a later one. */
function beforeVersion(number: number, happen: () => void): void {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') as PropertyDescriptor;
  const prepare = original.value as DatabaseSync['prepare'];
  let asked = 0;
  Object.defineProperty(DatabaseSync.prototype, 'prepare', {
    ...original,
    value(this: DatabaseSync, sql: string) {
      if (sql === 'PRAGMA user_version' && ++asked === number) happen();
      return prepare.call(this, sql);
    },
  });
  onTestFinished(() => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original));
}

describe.each(['PRAGMA journal_mode = WAL', 'PRAGMA journal_mode = DELETE'])('after %s', (firstStep) => {
  test.each([1, 2, 3, 4])('a file that becomes a store during look %d is a store', async (look) => {
    const file = join(temporaryFolder(), 'store.db');
    const creator = new DatabaseSync(file);
    onTestFinished(() => creator.close());
    // Writes the first page, without any table.
    creator.exec(`${firstStep}; VACUUM`);
    beforeVersion(look, () => {
      try {
        creator.exec(`BEGIN IMMEDIATE; ${createFile}; COMMIT`);
      } catch {
        // It waits for the reader, as another process would.
        if (creator.isTransaction) creator.exec('ROLLBACK');
      }
    });
    const settings = { file, durability: 'full', busyMilliseconds: 1000, cacheMegabytes: 1 } as const;
    isReadable(settings);
    const writer = new Writer(settings);
    onTestFinished(() => writer.close());
    expect(isReadable(settings)).toBe(true);
  });
});

test('a new file that several processes create at once is opened by all of them', { timeout: 240_000 }, async () => {
  const task: OpenNewTask = { folder: temporaryFolder(), files: 25 };
  const failures = await runTogether<readonly string[]>('open-new', [task, task, task, task]);
  expect(failures.flat()).toEqual([]);
});
