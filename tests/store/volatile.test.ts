// Volatile messages between real processes: heard in order and once, while processes are killed, slow, or the file between
// them is deleted or damaged. Nothing here depends on how fast anything is: messages are published until one is heard.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mustCommit } from '../../src/store/must-commit.ts';
import type { Store } from '../../src/store/store.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { openAt, type MeetingPlace } from './children/child.ts';
import { notes } from './children/collections.ts';
import type { ListenTask } from './children/listen.ts';
import { startChild, type Child } from './support/children.ts';

const postgres = await postgresForTests();
const redis = await redisForTests();
const timeout = 120_000;

async function placeOn(engine: MeetingPlace['engine']): Promise<MeetingPlace> {
  if (engine === 'sqlite') {
    const folder = await mkdtemp(join(tmpdir(), 'statek-volatile-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return { engine, folder };
  }
  if (engine === 'redis') {
    if (redis === undefined) throw new Error('There is no Redis.');
    const { keyPrefix, drop } = redis.freshPrefix();
    onTestFinished(drop);
    return { engine, url: redis.url, keyPrefix };
  }
  if (postgres === undefined) throw new Error('There is no PostgreSQL.');
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  return { engine, url: postgres.url, schema };
}

async function opened(place: MeetingPlace): Promise<Store> {
  const store = await openAt(place);
  onTestFinished(() => store.close());
  return store;
}

function listener(task: ListenTask): Child<readonly string[]> {
  const child = startChild<readonly string[]>('listen', task);
  onTestFinished(() => child.kill());
  return child;
}

/** Does something again and again until a promise is settled. */
async function whilePending<Result>(promise: Promise<Result>, repeat: () => void): Promise<Result> {
  const state = { isPending: true };
  const settled = promise.finally(() => (state.isPending = false));
  settled.catch(() => undefined);
  while (state.isPending) {
    repeat();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return settled;
}

function untilHeard(publisher: Store, channel: string, heard: readonly string[], text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  return whilePending(promise, () => {
    publisher.volatile?.publish(channel, text);
    if (heard.includes(text)) resolve();
  });
}

/** What was heard, and the same in order and without repetitions. */
function ordered(heard: readonly string[]): { readonly heard: number[]; readonly ordered: number[] } {
  const numbers = heard.filter((message) => message !== 'end').map(Number);
  return { heard: numbers, ordered: [...new Set(numbers)].toSorted((a, b) => a - b) };
}

describe.each([
  ['sqlite', true],
  ['postgres', postgres !== undefined],
  ['redis', redis !== undefined],
] as const)('volatile messages between processes on %s', (engine, available) => {
  test.skipIf(!available)('are heard in order, each at most once', { timeout }, async () => {
    const place = await placeOn(engine);
    const store = await opened(place);
    const child = listener({ place, channel: 'news', last: 'end' });
    await child.ready;
    child.begin();
    let number = 0;
    const heard = await whilePending(child.result, () => {
      for (let burst = 0; burst < 20; burst++) store.volatile?.publish('news', String(++number));
      store.volatile?.publish('other', 'not for you');
      if (number > 1000) store.volatile?.publish('news', 'end');
    });
    expect(heard.length).toBeGreaterThan(1);
    const result = ordered(heard);
    expect(result.heard).toEqual(result.ordered);
  });

  test.skipIf(!available)('go on when a listener is killed', { timeout }, async () => {
    const place = await placeOn(engine);
    const store = await opened(place);
    const killed = listener({ place, channel: 'news', last: 'never' });
    const child = listener({ place, channel: 'news', last: 'end' });
    await Promise.all([killed.ready, child.ready]);
    child.begin();
    killed.begin();
    for (let number = 1; number < 50; number++) store.volatile?.publish('news', String(number));
    killed.kill();
    await killed.result.catch(() => undefined);
    await store.declare(notes);
    await mustCommit(store, { writes: [{ kind: 'put', collection: notes, key: [1], value: 1 }] });
    let number = 50;
    const heard = await whilePending(child.result, () => {
      store.volatile?.publish('news', String(++number));
      if (number > 100) store.volatile?.publish('news', 'end');
    });
    const result = ordered(heard);
    expect(result.heard).toEqual(result.ordered);
  });

  test.skipIf(!available)('keep their order for a listener that is much too slow', { timeout }, async () => {
    const place = await placeOn(engine);
    const store = await opened(place);
    const child = listener({ place, channel: 'news', last: 'end', blockMilliseconds: 10 });
    await child.ready;
    child.begin();
    const filling = ' '.repeat(100_000);
    let number = 0;
    const heard = await whilePending(child.result, () => {
      if (number < 200) store.volatile?.publish('news', `${++number}${filling}`);
      else store.volatile?.publish('news', 'end');
    });
    const result = ordered(heard);
    expect(result.heard).toEqual(result.ordered);
  });

  test.skipIf(!available)('that are huge arrive whole or not at all', { timeout }, async () => {
    const place = await placeOn(engine);
    const [store, other] = [await opened(place), await opened(place)];
    const lengths = new Set<number>();
    const heard: string[] = [];
    other.volatile?.listen('huge', (message) => {
      lengths.add(message.length);
      heard.push(message.slice(0, 3));
    });
    const huge = 'ü€😀'.repeat(200_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    await whilePending(promise, () => {
      store.volatile?.publish('huge', huge.repeat(2));
      store.volatile?.publish('huge', huge);
      store.volatile?.publish('huge', 'end');
      if (heard.includes('end') && lengths.has(huge.length)) resolve();
    });
    expect([...lengths].toSorted((a, b) => a - b)).toEqual([3, huge.length]);
  });
});

describe('the file for volatile messages', () => {
  async function twoStores(): Promise<{
    file: string;
    store: Store;
    other: Store;
    heard: string[];
    open: () => Promise<Store>;
  }> {
    const place = await placeOn('sqlite');
    if (place.engine !== 'sqlite') throw new Error('Not a folder.');
    const [store, other] = [await opened(place), await opened(place)];
    const heard: string[] = [];
    return { file: join(place.folder, 'statek.db-volatile'), store, other, heard, open: () => opened(place) };
  }

  test('is not made by publishers alone', async () => {
    const { file, store, other } = await twoStores();
    for (let number = 0; number < 100; number++) store.volatile?.publish('news', 'x'.repeat(1000));
    await store.declare(notes);
    await store.close();
    await other.close();
    expect(existsSync(file)).toBe(false);
  });

  test('may be deleted while it is in use', { timeout }, async () => {
    const { file, store, other, heard, open } = await twoStores();
    other.volatile?.listen('news', (message) => heard.push(message));
    await untilHeard(store, 'news', heard, 'before');
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
    const later: string[] = [];
    (await open()).volatile?.listen('news', (message) => later.push(message));
    await untilHeard(store, 'news', later, 'to one who came later');
    await untilHeard(store, 'news', heard, 'to one who was there before');
    expect((await store.verify()).problems).toEqual([]);
  });

  test('is made anew when it is damaged', { timeout }, async () => {
    const { file, store, other, heard } = await twoStores();
    writeFileSync(file, 'this is not a database, and never was one '.repeat(200));
    other.volatile?.listen('news', (message) => heard.push(message));
    await untilHeard(store, 'news', heard, 'first');
    // In the middle of its use.
    writeFileSync(file, 'damage '.repeat(5000));
    await untilHeard(store, 'news', heard, 'second');
    expect((await store.verify()).problems).toEqual([]);
  });

  test('that cannot be made leaves a store without messages to others', { timeout }, async () => {
    const { file, store, other, heard } = await twoStores();
    mkdirSync(file);
    other.volatile?.listen('news', (message) => heard.push(message));
    store.volatile?.publish('news', 'lost');
    await untilHeard(other, 'news', heard, 'own');
    expect(heard).not.toContain('lost');
    rmSync(file, { recursive: true });
    await untilHeard(store, 'news', heard, 'found again');
  });
});
