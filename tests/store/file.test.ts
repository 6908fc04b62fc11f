// What only a store in files can suffer: damaged and cut-off files, a second process, snapshots, and files of different formats.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import { StoreCorruptError } from '../../src/store/errors.ts';
import { openFile } from '../../src/store/file/open.ts';
import type { OpenFileOptions } from '../../src/store/file/options.ts';
import { packText, unpack } from '../../src/store/journal/packing.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const things = recordCollection<unknown>('things', { keeps: 'versions' });

async function opened(folder: string, options: OpenFileOptions = {}): Promise<Store> {
  const store = await openFile(folder, { durability: 'relaxed', ...options });
  await store.declare(things);
  return store;
}

async function put(store: Store, key: string, value: unknown): Promise<void> {
  await mustCommit(store, { writes: [{ kind: 'put', collection: things, key: [key], value }] });
}

async function all(store: Store): Promise<Record<string, unknown>> {
  const { entries } = await store.scan(things, {});
  return Object.fromEntries(entries.map(({ key, value }) => [String(key[0]), value]));
}

/** A folder with a snapshot and a journal after it. */
async function filled(folder: string): Promise<void> {
  const store = await opened(folder, { minJournalBytes: 600 });
  for (let index = 0; index < 12; index++) await put(store, `key ${index % 5}`, { index, filling: 'x'.repeat(60) });
  await store.prune(11);
  for (let index = 0; index < 2; index++) await put(store, `late ${index}`, index);
  await store.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('snapshot'))).toHaveLength(1);
}

const files = (folder: string): string[] => readdirSync(folder).filter((name) => name !== 'lock');

/** The code of the error with which it could not be opened. */
async function codeOf(opening: Promise<Store>): Promise<string> {
  try {
    await (await opening).close();
    return 'opened';
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

describe('damage', () => {
  test('a flipped bit anywhere is an error, never something missing', async () => {
    const folder = temporaryFolder();
    const whole = join(folder, 'whole');
    await filled(whole);
    const store = await opened(whole);
    const expected = await all(store);
    await store.close();
    const silent: string[] = [];
    for (const name of files(whole)) {
      const size = statSync(join(whole, name)).size;
      for (let position = 0; position < size; position += 3) {
        const copy = join(folder, 'copy');
        cpSync(whole, copy, { recursive: true });
        const bytes = readFileSync(join(copy, name));
        bytes[position] = (bytes[position] as number) ^ (1 << (position % 8));
        writeFileSync(join(copy, name), bytes);
        try {
          const damaged = await opened(copy);
          // One of the two places of an acknowledgement may be lost, and bytes that mean nothing may change.
          if (JSON.stringify(await all(damaged)) !== JSON.stringify(expected)) silent.push(`${name} ${position}`);
          await damaged.close();
        } catch (error) {
          const { code } = error as { code?: string };
          if (code !== 'STORE_CORRUPT' && code !== 'STORE_NEWER') silent.push(`${name} ${position}: ${String(error)}`);
        }
        rmSync(copy, { recursive: true });
      }
    }
    expect(silent).toEqual([]);
  });

  test('files that became shorter, or are gone, are an error', async () => {
    const folder = temporaryFolder();
    const whole = join(folder, 'whole');
    await filled(whole);
    const wrong: string[] = [];
    for (const name of files(whole)) {
      for (const size of [undefined, 0, 5, 40, statSync(join(whole, name)).size - 1]) {
        const copy = join(folder, 'copy');
        cpSync(whole, copy, { recursive: true });
        if (size === undefined) rmSync(join(copy, name));
        else truncateSync(join(copy, name), size);
        const isOnlyOneSlotLost = name === 'acknowledged' && size !== undefined && size >= 40;
        const outcome = isOnlyOneSlotLost ? 'STORE_CORRUPT' : await codeOf(opened(copy));
        if (outcome !== 'STORE_CORRUPT') wrong.push(`${name} ${size}: ${outcome}`);
        rmSync(copy, { recursive: true });
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a commit that was being written when the process died is dropped', async () => {
    const folder = temporaryFolder();
    const store = await opened(folder);
    await put(store, 'a', 1);
    await store.close();
    const journal = join(folder, 'journal-0000000001.log');
    const before = readFileSync(journal);
    const again = await opened(folder);
    const acknowledged = readFileSync(join(folder, 'acknowledged'));
    await put(again, 'b', 2);
    await again.close();
    const after = readFileSync(journal);
    for (const length of [1, 10, 20, after.length - before.length - 1]) {
      writeFileSync(journal, after.subarray(0, before.length + length));
      writeFileSync(join(folder, 'acknowledged'), acknowledged);
      const found = await opened(folder);
      expect(await all(found)).toEqual({ a: 1 });
      await put(found, 'c', 3);
      await found.close();
      const kept = await opened(folder);
      expect(await all(kept)).toEqual({ a: 1, c: 3 });
      expect((await kept.verify()).problems).toEqual([]);
      await kept.close();
    }
  });

  test('verify finds what changed on the disk while the store is open', async () => {
    const folder = temporaryFolder();
    const store = await opened(folder);
    await put(store, 'a', 'a long value that is in the file');
    const journal = join(folder, 'journal-0000000001.log');
    const bytes = readFileSync(journal);
    bytes[bytes.length - 5] = (bytes[bytes.length - 5] as number) ^ 1;
    writeFileSync(journal, bytes);
    expect((await store.verify()).problems).toHaveLength(1);
    await store.close();
  });
});

describe('processes', () => {
  test('a second process is refused while the first lives, and not after it was killed', async () => {
    const folder = join(temporaryFolder(), 'store');
    const program = fileURLToPath(new URL('./support/hold-file-child.ts', import.meta.url));
    const child = spawn(process.execPath, [program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await expect(opened(folder)).rejects.toThrow(/open in another process/);
    child.kill('SIGKILL');
    await once(child, 'close');
    const store = await opened(folder);
    expect(await all(store)).toEqual({ held: true });
    await store.close();
  });

  test('stores of one process share a folder, and must agree on how it is written', async () => {
    const folder = temporaryFolder();
    const [one, two] = [await opened(folder), await opened(folder)];
    await put(one, 'a', 1);
    expect(await all(two)).toEqual({ a: 1 });
    await expect(opened(folder, { format: 'msgpack' })).rejects.toThrow(/other options/);
    await one.close();
    await put(two, 'b', 2);
    await two.close();
  });

  test('a folder with something else in it is refused', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    await expect(opened(folder)).rejects.toThrow(/contains notes.txt/);
    expect(existsSync(join(folder, 'journal-0000000001.log'))).toBe(false);
  });

  test('a folder of a newer Statek is refused as such', async () => {
    const folder = temporaryFolder();
    await (await opened(folder)).close();
    const journal = join(folder, 'journal-0000000001.log');
    const bytes = readFileSync(journal);
    bytes[7] = 9;
    writeFileSync(journal, bytes);
    await expect(opened(folder)).rejects.toThrow(/newer Statek/);
  });
});

describe('growth', () => {
  test('the folder does not grow with the number of commits', async () => {
    const folder = temporaryFolder();
    const store = await opened(folder, { minJournalBytes: 10_000, keepChanges: 20 });
    for (let index = 0; index < 2000; index++) await put(store, `key ${index % 3}`, { index, filling: 'x'.repeat(50) });
    const head = await store.revision();
    await store.close();
    const size = files(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(size).toBeLessThan(80_000);
    const again = await opened(folder);
    expect(await again.revision()).toBe(head);
    expect(Object.keys(await all(again))).toEqual(['key 0', 'key 1', 'key 2']);
    // Superseded versions that are kept are in the snapshot too.
    const [version] = await again.read(things, [['key 0']], { at: head - 10 });
    expect(version?.revision).toBeLessThanOrEqual(head - 10);
    await expect(again.read(things, [['key 0']], { at: 5 })).rejects.toThrow(/pruned/);
    await again.close();
  });
});

describe('formats', () => {
  test('records of every format are read side by side, before and after a snapshot', async () => {
    const folder = temporaryFolder();
    const value = { text: 'é \ud800 😀', list: [1, 2.5, -1e300, 1e21, null, true], filling: 'y'.repeat(500) };
    const settings: OpenFileOptions[] = [
      {},
      { format: 'msgpack' },
      { compression: 'gzip' },
      { format: 'msgpack', compression: 'zstd' },
      { minJournalBytes: 100, compression: true },
    ];
    for (const [index, options] of settings.entries()) {
      const store = await opened(folder, options);
      await put(store, `${index}`, value);
      await store.close();
    }
    const store = await opened(folder);
    expect(await all(store)).toEqual({ 0: value, 1: value, 2: value, 3: value, 4: value });
    await store.close();
  });

  test('every JSON text comes back from every packing as it was', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.constantFrom('json' as const, 'msgpack' as const),
        fc.constantFrom('none' as const, 'gzip' as const, 'zstd' as const),
        (value, format, compression) => {
          const text = JSON.stringify(value);
          expect(unpack(packText(text, { format, compression }))).toBe(text);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a value that becomes far too large is refused before it does', () => {
    const bomb = { code: 0x21, bytes: zstdCompressSync(Buffer.alloc(50_000_000)) };
    expect(() => unpack(bomb, 1_000_000)).toThrow(/larger than 1000000 bytes/);
    // A list that says it has four billion members.
    expect(() => unpack({ code: 2, bytes: Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]) })).toThrow(StoreCorruptError);
  });
});
