// Backups, restores and copies: what is in the other store is what was in the first, between every two engines.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoreHarness, StorePlace } from '../../src/store/conformance/harness.ts';
import {
  backupStore,
  copyStore,
  inspectBackup,
  openStore,
  recordCollection,
  restoreStore,
  workCollection,
  type Store,
} from '../../src/store.ts';
import { furnishMore, furnishStore, furniture, readEverything } from './support/furnished-store.ts';
import { fileHarness, memoryHarness, postgresHarness, redisHarness, sqliteHarness } from './support/harnesses.ts';

const harnesses = new Map<string, StoreHarness>([
  ['memory', memoryHarness],
  ['file', fileHarness()],
  ['sqlite', sqliteHarness],
]);
const postgres = await postgresHarness();
if (postgres !== undefined) harnesses.set('postgres', postgres);
const redis = await redisHarness();
if (redis !== undefined) harnesses.set('redis', redis);
const engines = [...harnesses.keys()];
const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const));
/** Files are the same whichever engine wrote them, so each engine writes and reads some. */
const throughFiles = pairs.filter(([from, to]) => {
  const distance = engines.indexOf(to) - engines.indexOf(from);
  return (distance + engines.length) % engines.length < 2;
});

let folder: string;
const places: StorePlace[] = [];
const open = new Set<Store>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'statek-backup-'));
});
afterAll(async () => {
  for (const store of open) await store.close();
  for (const place of places) await place.dispose();
  await rm(folder, { recursive: true });
});

async function fresh(engine: string): Promise<Store> {
  const place = await (harnesses.get(engine) as StoreHarness).createPlace();
  places.push(place);
  const store = await place.open();
  open.add(store);
  return store;
}

let names = 0;
const newFile = (): string => join(folder, `${++names}.backup`);

/** All that can be read of it, at every revision that can still be read. */
async function all(store: Store): Promise<string[]> {
  await store.declare(...furniture);
  const head = await store.revision();
  const horizon = await store.prune(0);
  const lines: string[] = [];
  for (const at of [horizon, horizon + 7, Math.floor((horizon + head) / 2), head - 1])
    lines.push(...(await readEverything(store, Math.max(horizon, at))));
  return lines;
}

const work = workCollection<unknown>('work');

describe('a copy has the same entries, revisions, versions and changes', () => {
  test.each(pairs)('%s to %s', async (from, to) => {
    const source = await fresh(from);
    await furnishStore(source);
    const target = await fresh(to);
    const report = await copyStore(source, target);
    expect(report).toMatchObject({ revision: 144, changes: 104, removed: 0 });
    expect(await all(target)).toEqual(await all(source));
    expect((await target.verify()).problems).toEqual([]);
    // Nobody holds anything there, and both go on with the same numbers.
    expect(await target.holders(work)).toEqual([]);
    const [claimed] = await target.claim(work, { owner: 'another', limit: 1, leaseMilliseconds: 1000 });
    expect(claimed?.lease.token).toBeGreaterThan(5);
    for (const store of [source, target]) await furnishMore(store, 12, 13);
    expect(await all(target)).toEqual(await all(source));
  });
});

describe('a full backup and what changed since are restored as one', () => {
  test.each(throughFiles)('%s to %s', async (from, to) => {
    const source = await fresh(from);
    await furnishStore(source);
    const [full, second, third] = [newFile(), newFile(), newFile()];
    await backupStore(source, full);
    await furnishMore(source, 12, 15);
    await source.prune(100);
    const increment = await backupStore(source, second, { since: full });
    expect(increment).toMatchObject({ since: 144, revision: 180, changes: 36 });
    expect(increment.removed).toBeGreaterThan(0);
    expect(increment.versions).toBeGreaterThan(0);
    await furnishMore(source, 15, 16);
    await backupStore(source, third, { since: 180 });
    const target = await fresh(to);
    expect(await restoreStore(target, [full, second, third])).toMatchObject({ revision: 192 });
    expect(await all(target)).toEqual(await all(source));
    expect((await target.verify()).problems).toEqual([]);
  });
});

describe('what is refused', () => {
  test('a store that is not empty, which stays as it is', async () => {
    const file = newFile();
    const source = await fresh('memory');
    await furnishStore(source);
    await backupStore(source, file);
    for (const engine of engines) {
      const target = await fresh(engine);
      await target.declare(...furniture);
      await furnishMore(target, 3, 4);
      const before = await all(target);
      await expect(restoreStore(target, file)).rejects.toMatchObject({ code: 'STORE_NOT_EMPTY' });
      await expect(copyStore(source, target)).rejects.toMatchObject({ code: 'STORE_NOT_EMPTY' });
      expect(await all(target)).toEqual(before);
    }
  });

  test('a file that was cut off or changed, wherever; the store stays empty, and can be filled afterwards', async () => {
    const file = newFile();
    const source = await fresh('memory');
    await furnishStore(source);
    await backupStore(source, file);
    const whole = await readFile(file);
    for (const engine of engines) {
      const target = await fresh(engine);
      for (const share of [0, 0.0001, 0.3, 0.5, 0.99, 1]) {
        const cut = newFile();
        await copyFile(file, cut);
        const position = Math.min(whole.length - 1, Math.floor(share * whole.length));
        await truncate(cut, position);
        await expect(restoreStore(target, cut)).rejects.toMatchObject({ code: 'ARCHIVE_DAMAGED' });
        const changed = newFile();
        const bytes = Buffer.from(whole);
        bytes[position] = (bytes[position] as number) ^ 0x10;
        await writeFile(changed, bytes);
        await expect(restoreStore(target, changed)).rejects.toMatchObject({ code: 'ARCHIVE_DAMAGED' });
        await expect(inspectBackup(changed)).rejects.toMatchObject({ code: 'ARCHIVE_DAMAGED' });
      }
      const more = newFile();
      await writeFile(more, Buffer.concat([whole, Buffer.from('x')]));
      await expect(restoreStore(target, more)).rejects.toMatchObject({ code: 'ARCHIVE_DAMAGED' });
      expect(await target.revision()).toBe(0);
      await restoreStore(target, file);
      expect(await all(target)).toEqual(await all(source));
    }
  });

  test('gaps, files in another order, and files of another store', async () => {
    const source = await fresh('memory');
    await furnishStore(source);
    const [full, second, third] = [newFile(), newFile(), newFile()];
    await backupStore(source, full);
    await furnishMore(source, 12, 13);
    await backupStore(source, second, { since: full });
    await furnishMore(source, 13, 14);
    await backupStore(source, third, { since: second });
    const target = await fresh('memory');
    for (const files of [[second], [full, third], [full, third, second], [full, full]])
      await expect(restoreStore(target, files)).rejects.toMatchObject({ code: 'BACKUP_CHAIN' });
    expect(await target.revision()).toBe(0);

    // Another store at the same revision, with another history.
    const other = await fresh('memory');
    await other.declare(...furniture);
    await furnishMore(other, 1, 14);
    await expect(backupStore(other, newFile(), { since: full })).rejects.toMatchObject({ code: 'BACKUP_CHAIN' });
    const foreign = newFile();
    await backupStore(other, foreign, { since: 144 });
    await expect(restoreStore(target, [full, foreign])).rejects.toMatchObject({ code: 'BACKUP_CHAIN' });
  });

  test('what changed since a revision that was pruned, or that does not exist', async () => {
    const source = await fresh('memory');
    await furnishStore(source);
    await expect(backupStore(source, newFile(), { since: 39 })).rejects.toMatchObject({ code: 'STORE_REVISION_GONE' });
    await expect(backupStore(source, newFile(), { since: 145 })).rejects.toMatchObject({ code: 'STORE_ARGUMENT' });
    expect((await backupStore(source, newFile(), { since: 144 })).changes).toBe(0);
  });

  test('a file that exists is not overwritten, and nothing is left of a backup that failed', async () => {
    const source = await fresh('memory');
    await furnishStore(source);
    const file = newFile();
    await writeFile(file, 'precious');
    await expect(backupStore(source, file)).rejects.toMatchObject({ code: 'BACKUP_EXISTS' });
    expect(await readFile(file, 'utf8')).toBe('precious');
    const stopped = newFile();
    const stop = new AbortController();
    const onProgress = (): void => stop.abort(new Error('stopped'));
    const options = { signal: stop.signal, onProgress };
    await expect(backupStore(source, stopped, options)).rejects.toThrow('stopped');
    expect(existsSync(stopped)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('a restore that is stopped leaves an empty store', async () => {
    const source = await fresh('memory');
    await furnishStore(source);
    const noise = recordCollection<string>('noise');
    await source.declare(noise);
    const value = randomBytes(2_000_000).toString('hex');
    await source.commit([{ writes: [{ kind: 'put', collection: noise, key: [1], value }] }]);
    const large = newFile();
    await backupStore(source, large);
    for (const engine of engines) {
      const target = await fresh(engine);
      for (const fill of [restoreStore, copyStore]) {
        const stop = new AbortController();
        const options = { signal: stop.signal, onProgress: () => stop.abort(new Error('stopped')) };
        const filling = fill === copyStore ? copyStore(source, target, options) : restoreStore(target, large, options);
        await expect(filling).rejects.toThrow('stopped');
        expect(await target.revision()).toBe(0);
      }
    }
  });
});

test('a backup says what is in it, and how far it has come', async () => {
  const source = await fresh('sqlite');
  await furnishStore(source);
  const file = newFile();
  const seen: number[] = [];
  const { damaged, ...report } = await backupStore(source, file, {
    onProgress: ({ done, total }) => seen.push(done / total),
  });
  expect([seen.at(-1), damaged]).toEqual([1, []]);
  expect(await inspectBackup(file)).toMatchObject({ ...report, engine: 'sqlite', horizon: 40 });
});

test('what others commit during a backup is not in it', async () => {
  const counters = recordCollection<number>('counters');
  for (const engine of engines.filter((name) => name !== 'redis')) {
    const source = await fresh(engine);
    await source.declare(counters);
    const put = (name: number, value: number) => ({ kind: 'put' as const, collection: counters, key: [name], value });
    // The sum is always 0.
    const change = (round: number) => ({ writes: [put(round % 3000, round), put((round % 3000) + 3000, -round)] });
    await source.commit(Array.from({ length: 3000 }, (_, round) => change(round + 1)));
    const file = newFile();
    let round = 3000;
    const { revision } = await backupStore(source, file, {
      onProgress: () => void source.commit([change(++round), change(++round)]),
    });
    expect(revision).toBe(3000);
    const target = await fresh('memory');
    await restoreStore(target, file);
    await target.declare(counters);
    const { entries } = await target.scan(counters, {}, { limit: 10_000 });
    expect(entries).toHaveLength(6000);
    expect(entries.reduce((sum, { value }) => sum + value, 0)).toBe(0);
    expect(await source.revision()).toBeGreaterThan(revision);
  }
});

test.runIf(redis !== undefined)('Redis is read only while nobody writes', async () => {
  const source = await fresh('redis');
  await furnishStore(source);
  let more: Promise<void> | undefined;
  // After the first page of several.
  const onProgress = (): void => void (more ??= furnishMore(source, 12, 13));
  await expect(backupStore(source, newFile(), { onProgress })).rejects.toMatchObject({ code: 'STORE_BUSY' });
  await more;
  expect((await backupStore(source, newFile())).revision).toBe(156);
});

test('stores say how large they are', async () => {
  for (const engine of engines.filter((name) => name !== 'memory')) {
    const store = await fresh(engine);
    await furnishStore(store);
    expect(await store.size?.()).toBeGreaterThan(10_000);
  }
  expect(await (await fresh('memory')).size?.()).toBeUndefined();
});

test('an open store sees what was loaded, and followers wake', async () => {
  const source = await fresh('memory');
  await source.declare(...furniture);
  await furnishMore(source, 0, 1);
  const file = newFile();
  await backupStore(source, file);
  const location = join(folder, 'open store');
  const [target, other] = [await openStore(location), await openStore(location)];
  await other.declare(...furniture);
  const changes = other.follow({ since: 0 })[Symbol.asyncIterator]();
  const first = changes.next();
  await restoreStore(target, file);
  expect((await first).value).toMatchObject({ revision: 1 });
  expect(await all(other)).toEqual(await all(source));
  await changes.return?.();
  await Promise.all([target.close(), other.close()]);
});
