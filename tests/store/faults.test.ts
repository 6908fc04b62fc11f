// What the embedded engine does when the world around it fails: a typed error, nothing half written, and it works again
// when the cause is gone.
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import {
  StoreBusyError,
  StoreFullError,
  StoreUnavailableError,
  StoreUnknownOutcomeError,
} from '../../src/store/errors.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const things = recordCollection<string>('things');
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

async function open(file: string, busyMilliseconds = 10_000): Promise<Store> {
  const store = await openSqlite(file, { busyMilliseconds });
  onTestFinished(() => store.close());
  await store.declare(things);
  return store;
}

function put(store: Store, name: string, value = name): Promise<number> {
  return mustCommit(store, { writes: [{ kind: 'put', collection: things, key: [name], value }] });
}

async function names(store: Store): Promise<unknown[]> {
  return (await store.scan(things, {})).entries.map(({ key }) => key[0]);
}

const program = (name: string): string => fileURLToPath(new URL(`./support/${name}`, import.meta.url));

/** What another process says that tries to write; as another user, if one is given. */
async function writeElsewhere(file: string, name: string, user: object = {}): Promise<string> {
  const child = [program('write-child.ts'), file, name];
  return (await promisify(execFile)(process.execPath, child, user)).stdout;
}

async function holdLock(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program('lock-child.ts'), file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('a full disk refuses what has no room, whole, and takes more once there is room', async (context) => {
  const folder = temporaryFolder();
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  if (!isRoot || spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]).status !== 0) {
    console.error('SKIPPED: the full disk. It needs the right to mount a small one.');
    return context.skip();
  }
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const store = await open(join(disk, 'statek.db'));
  await put(store, 'before');
  writeFileSync(join(disk, 'filler'), Buffer.alloc(1_200_000));
  const large = 'x'.repeat(100_000);
  let written = 1;
  const fill = async (): Promise<void> => {
    for (; written < 100; written++) await put(store, `large ${written}`, large);
  };
  await expect(fill()).rejects.toThrow(StoreFullError);
  // A group whose members do not all fit: each is there whole or refused.
  const group = await Promise.allSettled(['a', 'b', 'c'].map((name) => put(store, name, large)));
  expect(group.every((result) => result.status === 'fulfilled' || result.reason instanceof StoreFullError)).toBe(true);
  written += group.filter(({ status }) => status === 'fulfilled').length;
  expect(await store.revision()).toBe(written);
  expect(await names(store)).toHaveLength(written);
  rmSync(join(disk, 'filler'));
  await put(store, 'after');
  expect(await names(store)).toContain('after');
  expect((await store.verify()).problems).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'what may not be written is refused, and accepted once it may',
  { timeout: 120_000 },
  async (context) => {
    const folder = temporaryFolder();
    const store = join(folder, 'store');
    const file = join(store, 'statek.db');
    const user = isRoot ? nobody : {};
    if (isRoot) chownSync(folder, nobody.uid, nobody.gid);
    if (spawnSync(process.execPath, ['--version'], user).status !== 0) {
      console.error('SKIPPED: permissions. The user "nobody" cannot run Node here.');
      return context.skip();
    }
    chmodSync(folder, 0o500);
    expect(await writeElsewhere(file, 'no folder', user)).toBe('STORE_PERMISSION');
    chmodSync(folder, 0o700);
    expect(await writeElsewhere(file, 'first', user)).toBe('written');
    chmodSync(file, 0o400);
    expect(await writeElsewhere(file, 'read-only file', user)).toBe('STORE_PERMISSION');
    chmodSync(file, 0o000);
    expect(await writeElsewhere(file, 'unreadable file', user)).toBe('STORE_PERMISSION');
    chmodSync(file, 0o600);
    chmodSync(store, 0o500);
    expect(await writeElsewhere(file, 'read-only folder', user)).toBe('STORE_PERMISSION');
    chmodSync(store, 0o700);
    expect(await writeElsewhere(file, 'second', user)).toBe('written');
    expect(await names(await open(file))).toEqual(['first', 'second']);
  },
);

test('a write lock that another process keeps is waited for up to the bound, and then nothing is written', async () => {
  const file = join(temporaryFolder(), 'statek.db');
  const store = await open(file, 40);
  await put(store, 'before');
  const holder = await holdLock(file);
  await expect(put(store, 'meanwhile')).rejects.toThrow(StoreBusyError);
  await expect(store.prune(1)).rejects.toThrow(StoreBusyError);
  expect(await names(store)).toEqual(['before']);
  holder.stdin?.end();
  await once(holder, 'exit');
  expect(await put(store, 'after')).toBe(2);
});

test('a write lock is free again when the process that kept it is killed', async () => {
  const file = join(temporaryFolder(), 'statek.db');
  const store = await open(file);
  const holder = await holdLock(file);
  const waiting = put(store, 'waited');
  holder.kill('SIGKILL');
  expect(await waiting).toBe(1);
});

test('several processes may make the same store while one of them is killed', async () => {
  const file = join(temporaryFolder(), 'made', 'statek.db');
  const victim = spawn(process.execPath, [program('write-child.ts'), file, 'victim'], { stdio: 'ignore' });
  const others = [writeElsewhere(file, 'one'), writeElsewhere(file, 'two')];
  // Whoever is first through, the victim is somewhere in the middle of it.
  await Promise.race(others);
  victim.kill('SIGKILL');
  expect(await Promise.all(others)).toEqual(['written', 'written']);
  const store = await open(file);
  expect(await names(store)).toEqual(expect.arrayContaining(['one', 'two']));
  expect((await store.verify()).problems).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'a file that was deleted or replaced while open takes no more commits',
  async () => {
    const folder = join(temporaryFolder(), 'store');
    const file = join(folder, 'statek.db');
    const store = await open(file);
    await put(store, 'before');
    renameSync(folder, `${folder} moved`);
    await expect(put(store, 'nowhere')).rejects.toThrow(StoreUnavailableError);
    const replacement = await open(file);
    await put(replacement, 'other');
    await expect(put(store, 'nowhere')).rejects.toThrow(StoreUnavailableError);
    expect(await names(replacement)).toEqual(['other']);
  },
);

test('when the writing thread dies, commits under way have an unknown outcome and later ones are refused', async () => {
  const file = join(temporaryFolder(), 'statek.db');
  let thread: Worker | undefined;
  process.once('worker', (worker) => (thread = worker));
  const store = await open(file);
  await put(store, 'before');
  const during = put(store, 'during');
  const [, outcome] = await Promise.allSettled([thread?.terminate(), during]);
  expect(outcome.status === 'fulfilled' || outcome.reason instanceof StoreUnknownOutcomeError).toBe(true);
  await expect(put(store, 'later')).rejects.toThrow(StoreUnavailableError);
  await store.close();
  const reopened = await open(file);
  expect(await names(reopened)).not.toContain('later');
  await put(reopened, 'again');
  expect(await names(reopened)).toEqual(expect.arrayContaining(['again', 'before']));
});
