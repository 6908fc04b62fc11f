// The state manager keeps its promises on every engine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SimulatedClock } from '../../src/base/simulated-clock.ts';
import { StateManager } from '../../src/state/manager/manager.ts';
import type { StateConfig } from '../../src/state/manager/config.ts';
import type { StateCallback } from '../../src/state/manager/subscriptions.ts';
import type { Store } from '../../src/store/store.ts';
import { keepCompiledModules } from '../store/support/compiled.ts';
import { openLocation, statePlaces, type StatePlace } from './support/places.ts';

keepCompiledModules();

const child = fileURLToPath(new URL('./children/writer-child.ts', import.meta.url));

describe.each(Object.keys(statePlaces))('state on %s', (engine) => {
  let place: StatePlace;
  let store: Store;
  let managers: StateManager[];
  let clock: SimulatedClock;

  const manager = (config: StateConfig = {}): StateManager => {
    const made = new StateManager({ store, clock, ...config });
    managers.push(made);
    return made;
  };

  beforeEach(async () => {
    clock = new SimulatedClock();
    managers = [];
    place = await (statePlaces[engine] as () => Promise<StatePlace>)();
    store = await openLocation(place.location);
  });

  afterEach(async () => {
    for (const one of managers) await one.close();
    await store.close();
    await place.dispose();
  });

  const reopen = async (): Promise<void> => {
    for (const one of managers) await one.close();
    managers = [];
    await store.close();
    store = await openLocation(place.location);
  };

  test('two managers that change the same keys in turns never use what they remember of them', async () => {
    const [one, two] = [manager(), manager()];
    await one.save('a', { count: 1, note: 'first' });
    await two.update('a', { count: 2 });
    await one.update('a', { other: true });
    expect(await two.get('a')).toEqual({ count: 2, note: 'first', other: true });
    const created = (await one.getEntry('a'))?.created;
    clock.advance(1000);
    await two.save('a', { count: 3 });
    expect((await one.getEntry('a'))?.created).toEqual(created);
    // A version that is out of date is refused, and one that is remembered wrongly is not.
    const { version } = await one.save('a', { count: 4 });
    const { version: newer } = await two.save('a', { count: 5 });
    await expect(one.save('a', { count: 6 }, { ifVersion: version })).rejects.toMatchObject({ currentVersion: newer });
    await one.save('a', { count: 7 }, { ifVersion: newer });
    await two.delete('a');
    await expect(one.update('a', { count: 8 })).resolves.toBeDefined();
    expect(await two.get('a')).toEqual({ count: 8 });
    // What expired meanwhile is not merged with.
    await one.save('b', { kept: 1 }, { ttl: 1 });
    clock.advance(1000);
    await one.update('b', { count: 1 });
    expect(await two.get('b')).toEqual({ count: 1 });
    // A function that fails after the value was changed elsewhere fails on the new value.
    await one.save('c', 1);
    await two.save('c', 2);
    const seen: unknown[] = [];
    await expect(
      one.mutate('c', (value) => {
        seen.push(value);
        throw new Error('not now');
      }),
    ).rejects.toThrow('not now');
    expect(seen.at(-1)).toBe(2);
    expect(await one.mutate<number>('c', (value) => (value ?? 0) + 1)).toBe(3);
  });

  test('every JSON value comes back as it was, and stored values are copies', async () => {
    const state = manager();
    const values = [
      null,
      true,
      0,
      -1.5,
      1e300,
      '',
      'é \ud800 😀',
      [],
      [[], {}],
      { a: { b: [1, null] } },
      { __proto__x: 1 },
    ];
    for (const [index, value] of values.entries()) {
      await state.save(`${index}`, value);
      expect(await state.get(`${index}`)).toEqual(value);
    }
    const given = { list: [1] };
    const saving = state.save('copy', given);
    given.list.push(2);
    await saving;
    expect(await state.get('copy')).toEqual({ list: [1] });
    ((await state.get('copy')) as { list: number[] }).list.push(3);
    expect(await state.get('copy')).toEqual({ list: [1] });
  });

  test('what JSON cannot hold is refused with its path', async () => {
    const state = manager();
    await expect(state.save('k', { a: [{ b: new Map() }] })).rejects.toThrow("The value of 'k'.a[0].b is a Map");
    await expect(state.save('k', undefined)).rejects.toThrow('undefined');
    await expect(state.save('k', { n: Number.NaN })).rejects.toThrow('.n is NaN');
    await expect(state.save('k', 1, { metadata: { f: () => 1 } })).rejects.toThrow("metadata of 'k'.f");
    expect(await state.exists('k')).toBe(false);
  });

  const awkward = [
    '',
    ' ',
    '_',
    ':',
    '/',
    '.',
    '..',
    '%',
    '%41',
    '*',
    '?',
    '[a]',
    '\\',
    '\0',
    'a\0b',
    'a',
    'A',
    'é',
    'e\u0301',
    '😀',
    '\ud800',
    'ﬀ',
    'a:b',
    'a:',
    "'",
    '"',
    '--',
    '\n',
  ];

  test('any text is a key, and no two are the same', async () => {
    const state = manager();
    await state.saveMany(new Map(awkward.map((key, index) => [key, index])));
    expect((await state.listKeys()).keys).toHaveLength(awkward.length);
    for (const [index, key] of awkward.entries()) expect(await state.get(key)).toBe(index);
    const literally = (key: string): string => key.replaceAll(/[*?[\]\\]/g, (character) => `\\${character}`);
    for (const key of awkward) expect((await state.listKeys(literally(key))).keys).toEqual([key]);
    for (const key of awkward) await state.delete(key);
    expect((await state.listKeys()).keys).toEqual([]);
  });

  test('prefixes keep managers apart, and their characters are literal', async () => {
    const prefixes = ['', 'a', 'a:', 'a*', 'a\0', '%', '_'];
    const all = prefixes.map((keyPrefix) => manager({ keyPrefix }));
    for (const [index, state] of all.entries()) await state.save('b', index);
    for (const [index, state] of all.entries()) {
      expect(await state.get('b')).toBe(index);
      expect((await state.listKeys()).keys).toEqual(['b']);
    }
  });

  test('lists by pattern and by literal prefix, in order, page by page', async () => {
    const state = manager();
    const keys = ['agent:1', 'agent:10', 'agent:2', 'agent:[x]', 'agents', 'tool:1', 'agent:*'];
    await state.saveMany(Object.fromEntries(keys.map((key) => [key, 1])));
    const list = async (pattern?: Parameters<typeof state.listKeys>[0]): Promise<readonly string[]> =>
      (await state.listKeys(pattern)).keys;
    expect(await list('agent:*')).toEqual(['agent:*', 'agent:1', 'agent:10', 'agent:2', 'agent:[x]']);
    expect(await list('agent:?')).toEqual(['agent:*', 'agent:1', 'agent:2']);
    expect(await list('agent:[0-9]*')).toEqual(['agent:1', 'agent:10', 'agent:2']);
    expect(await list('agent:\\*')).toEqual(['agent:*']);
    expect(await list({ prefix: 'agent:*' })).toEqual(['agent:*']);
    expect(await list({ prefix: 'agent' })).toEqual([...keys.filter((key) => key.startsWith('agent'))].toSorted());
    expect(await list('*:1')).toEqual(['agent:1', 'tool:1']);
    expect(await list('agent:1')).toEqual(['agent:1']);
    await expect(list('agent:[1')).rejects.toThrow("has a '[' without a ']'");
    let cursor: string | undefined;
    const paged: string[] = [];
    do {
      const page = await state.listKeys('agent*', { limit: 2, cursor });
      expect(page.keys.length).toBeLessThanOrEqual(2);
      paged.push(...page.keys);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(await list('agent*'));
    await expect(state.listKeys('*', { cursor: 'nonsense' })).rejects.toThrow('cursor');
  });

  test('many keys are listed completely and in order', async () => {
    const state = manager();
    const total = engine === 'memory' || engine === 'file' ? 20_000 : 4000;
    const name = (index: number): string => `key:${String(index).padStart(6, '0')}`;
    for (let start = 0; start < total; start += 1000)
      await state.saveMany(new Map(Array.from({ length: 1000 }, (_, index) => [name(start + index), index])));
    let count = 0;
    for await (const key of state.keys('key:*')) expect(key).toBe(name(count++));
    expect(count).toBe(total);
    expect((await state.listKeys('key:0001*', { limit: 10_000 })).keys).toHaveLength(100);
  });

  test('update is a merge patch, and loses nothing that others change at the same time', async () => {
    const [one, two] = [manager(), manager()];
    await one.save('k', { a: 1, b: { c: 2, d: 3 }, e: [1, 2] });
    await one.update('k', { a: null, b: { c: 9 }, e: [3], f: 'new' });
    expect(await one.get('k')).toEqual({ b: { c: 9, d: 3 }, e: [3], f: 'new' });
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => (index % 2 === 0 ? one : two).update('k', { [`n${index}`]: index })),
    );
    expect(Object.keys((await one.get('k')) as object).toSorted()).toEqual([
      'b',
      'e',
      'f',
      'n1',
      'n2',
      'n3',
      'n4',
      'n5',
      'n6',
    ]);
    await one.update('new', { x: { y: null, z: 1 } });
    expect(await one.get('new')).toEqual({ x: { z: 1 } });
    await one.save('n', 7);
    await one.update('n', { __proto__: null, ok: 1 });
    expect(await one.get('n')).toEqual({ ok: 1 });
  });

  test('compare and set by version, and the error has the current one', async () => {
    const state = manager();
    const { version } = await state.save('k', 1, { ifVersion: 0 });
    await expect(state.save('k', 2, { ifVersion: 0 })).rejects.toMatchObject({
      code: 'STATE_VERSION',
      currentVersion: version,
    });
    const next = await state.save('k', 2, { ifVersion: version });
    await expect(state.update('k', {}, { ifVersion: version })).rejects.toMatchObject({ currentVersion: next.version });
    await expect(state.delete('k', { ifVersion: version })).rejects.toMatchObject({ code: 'STATE_VERSION' });
    await state.delete('k', { ifVersion: next.version });
    await expect(state.save('k', 3, { ifVersion: next.version })).rejects.toMatchObject({ currentVersion: 0 });
    // A version is never used again, also after the entry was deleted.
    const again = await state.save('k', 4);
    expect(again.version).toBeGreaterThan(next.version as number);
    const racing = await Promise.allSettled([1, 2, 3, 4].map((value) => state.save('race', value, { ifVersion: 0 })));
    expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('mutate never loses an increment', async () => {
    const all = [manager(), manager(), manager()];
    await Promise.all(
      all.flatMap((state) => Array.from({ length: 20 }, () => state.mutate<number>('n', (value = 0) => value + 1))),
    );
    expect(await all[0]?.get('n')).toBe(60);
    await expect(all[0]?.mutate('n', () => undefined)).rejects.toThrow('returned nothing');
  });

  test('several keys are saved together or not at all, and read at one moment', async () => {
    const state = manager();
    await state.saveMany({ a: 1, b: 1 });
    const { version = 0 } = (await state.getEntry('a')) ?? {};
    await state.save('b', 2);
    await expect(state.saveMany({ a: 3, c: 3 }, { ifVersions: { a: version, b: version } })).rejects.toMatchObject({
      code: 'STATE_VERSION',
      details: { key: 'b' },
    });
    expect([...(await state.getMany(['a', 'b', 'c']))]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    await expect(state.saveMany({ d: 1, e: new Map() })).rejects.toThrow("'e'");
    expect(await state.exists('d')).toBe(false);
  });

  test('entries have a version, times and metadata', async () => {
    const state = manager();
    const created = new Date(clock.now());
    await state.save('k', 1, { metadata: { by: 'me' } });
    clock.advance(5000);
    await state.update('k', { a: 1 });
    const entry = await state.getEntry('k');
    expect(entry).toMatchObject({
      key: 'k',
      value: { a: 1 },
      created,
      updated: new Date(clock.now()),
      metadata: { by: 'me' },
      expires: undefined,
    });
    expect(entry?.version).toBeGreaterThan(0);
    await state.save('k', 2);
    expect(await state.getEntry('k')).toMatchObject({ created, metadata: {} });
  });

  const ttlAnswers = async (state: StateManager): Promise<unknown> => ({
    get: await state.get('k'),
    many: [...(await state.getMany(['k'])).values()],
    exists: await state.exists('k'),
    entry: (await state.getEntry('k'))?.value,
    keys: (await state.listKeys()).keys,
    status: (await state.lookup('k')).status,
  });
  const there = { get: 1, many: [1], exists: true, entry: 1, keys: ['k'], status: 'found' };
  const gone = { get: undefined, many: [], exists: false, entry: undefined, keys: [], status: 'expired' };

  test('an entry expires at exactly its time, for every question', async () => {
    const state = manager();
    await state.save('k', 1, { ttl: 10 });
    clock.advance(9999);
    expect(await ttlAnswers(state)).toEqual(there);
    clock.advance(1);
    // Both before and after the background has removed it.
    expect(await ttlAnswers(state)).toEqual(gone);
    await state.close();
    expect(await ttlAnswers(manager())).toEqual(gone);
    const next = manager();
    await expect(next.save('k', 2, { ifVersion: 0 })).resolves.toBeDefined();
    expect(await next.getEntry('k')).toMatchObject({ created: new Date(clock.now()), expires: undefined });
  });

  test('the default time to live, and what keeps it, renews it or takes it away', async () => {
    const state = manager({ ttl: 10 });
    const expires = async (): Promise<number | undefined> => {
      const found = (await state.getEntry('k'))?.expires?.getTime();
      return found === undefined ? undefined : (found - clock.now()) / 1000;
    };
    await state.save('k', {});
    expect(await expires()).toBe(10);
    clock.advance(4000);
    await state.update('k', { a: 1 });
    expect(await expires()).toBe(6);
    await state.mutate('k', () => ({ b: 1 }), { ttl: 20 });
    expect(await expires()).toBe(20);
    await state.save('k', {});
    expect(await expires()).toBe(10);
    await state.save('k', {}, { ttl: null });
    expect(await expires()).toBeUndefined();
    for (const ttl of [0, -1, Number.NaN, '5'] as number[])
      await expect(state.save('k', 1, { ttl })).rejects.toThrow("'ttl'");
  });

  test('a time to live is kept across a restart, and what expired meanwhile is gone', async ({ skip }) => {
    if (!place.isDurable) skip('contents end with the process');
    await manager().save('k', 1, { ttl: 10 });
    await manager().save('later', 1, { ttl: 100 });
    await reopen();
    clock.advance(9999);
    expect(await ttlAnswers(manager())).toEqual({ ...there, keys: ['k', 'later'] });
    clock.advance(1);
    expect(await ttlAnswers(manager())).toEqual({ ...gone, keys: ['later'] });
  });

  interface Seen {
    readonly key: string;
    readonly old: unknown;
    readonly next: unknown;
    readonly revision: number;
  }

  const collect = (): { seen: Seen[]; callback: StateCallback; until: (count: number) => Promise<void> } => {
    const seen: Seen[] = [];
    let wake = (): void => undefined;
    return {
      seen,
      callback: (key, old, next, { revision }) => {
        seen.push({ key, old, next, revision });
        wake();
      },
      until: async (count) => {
        while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
      },
    };
  };

  const pairs = (seen: readonly Seen[]): unknown[] => seen.map(({ key, old, next }) => [key, old, next]);

  test('subscribers see every change with its old value, in order', async () => {
    const [state, other] = [manager(), manager()];
    const { seen, callback, until } = collect();
    state.subscribe('agent:*', callback);
    await state.save('agent:a', { n: 1 });
    await other.update('agent:a', { n: 2 });
    await state.save('tool:x', 1);
    await state.saveMany({ 'agent:b': 'b', 'agent:a': { n: 3 } });
    await other.delete('agent:a');
    await until(5);
    expect(pairs(seen)).toEqual([
      ['agent:a', undefined, { n: 1 }],
      ['agent:a', { n: 1 }, { n: 2 }],
      ['agent:b', undefined, 'b'],
      ['agent:a', { n: 2 }, { n: 3 }],
      ['agent:a', { n: 3 }, undefined],
    ]);
    state.unsubscribe('agent:*', callback);
    expect(() => state.unsubscribe('agent:*', callback)).toThrow('Nothing is subscribed');
    await state.save('agent:a', 9);
    expect(seen).toHaveLength(5);
  });

  test('a subscriber goes on after any revision, without a gap and without a duplicate', async () => {
    const state = manager();
    await state.save('k', 0);
    const start = await state.revision();
    for (let index = 1; index <= 30; index++) await state.save('k', index);
    let position = start;
    const seen: number[] = [];
    while (seen.length < 30) {
      const part = collect();
      const resumed = manager();
      const subscription = resumed.subscribe('k', part.callback, { since: position });
      await part.until(Math.min(7, 30 - seen.length));
      subscription.unsubscribe();
      for (const { next, old, revision } of part.seen) {
        expect(old).toBe((next as number) - 1);
        seen.push(next as number);
        position = revision;
      }
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  test('one that throws or never returns harms nobody, and is reported', async () => {
    const failures: string[] = [];
    const state = manager({ onError: ({ error, key }) => failures.push(`${key}: ${(error as Error).message}`) });
    const good = collect();
    const bad = collect();
    state.subscribe('*', () => new Promise<void>(() => undefined));
    state.subscribe('*', async (key, old, next, context) => {
      await bad.callback(key, old, next, context);
      throw new Error('my own fault');
    });
    state.subscribe('*', good.callback);
    for (let index = 0; index < 5; index++) await state.save('k', index);
    await Promise.all([good.until(5), bad.until(5)]);
    expect(good.seen).toHaveLength(5);
    await state.save('last', 1);
    await good.until(6);
    expect(failures.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'k: my own fault'));
  });

  test('expiry is a change that subscribers see', async () => {
    const state = manager();
    const { seen, callback, until } = collect();
    state.subscribe('*', callback);
    await state.save('k', 1, { ttl: 10 });
    await until(1);
    clock.advance(10_000);
    await until(2);
    // One that is saved again before anything has removed it was expired in between, too.
    await manager().save('again', 1, { ttl: 5 });
    await until(3);
    for (const one of managers.splice(1)) await one.close();
    clock.advance(5000);
    await state.save('again', 2);
    await until(5);
    expect(pairs(seen)).toEqual([
      ['k', undefined, 1],
      ['k', 1, undefined],
      ['again', undefined, 1],
      ['again', 1, undefined],
      ['again', undefined, 2],
    ]);
  });

  test('without autoSave, changes are seen at once and durable after the interval or flush', async () => {
    const state = manager({ autoSave: false, saveInterval: 30 });
    const durable = manager();
    expect(await state.save('a', { n: 1 })).toEqual({ version: undefined });
    await state.update('a', { m: 2 });
    await state.save('b', 1, { ttl: 60 });
    expect([...(await state.getMany(['a', 'b']))]).toEqual([
      ['a', { n: 1, m: 2 }],
      ['b', 1],
    ]);
    expect(await durable.get('a')).toBeUndefined();
    await durable.save('a', { other: true });
    await state.flush();
    expect(await durable.get('a')).toEqual({ n: 1, m: 2 });
    await durable.update('a', { other: true });
    await state.update('a', { n: 5 });
    clock.advance(30_000);
    await state.flush();
    // A buffered patch does not undo what others have changed.
    expect(await durable.get('a')).toEqual({ n: 5, m: 2, other: true });
    await state.delete('a');
    expect(await state.get('a')).toBeUndefined();
    expect((await state.listKeys()).keys).toEqual(['b']);
    await state.save('c', 3);
    await state.close();
    expect(await durable.get('c')).toBe(3);
  });

  test('every format, compression and encryption, and all of them side by side', async () => {
    const key = Buffer.alloc(32, 7);
    const value = { secret: 'the treasure is under the oak', filling: 'z'.repeat(2000) };
    const configs: StateConfig[] = [
      {},
      { format: 'msgpack' },
      { compression: true },
      { format: 'msgpack', compression: 'gzip' },
      { encryption: { key } },
      { format: 'msgpack', compression: 'zstd', encryption: { key: key.toString('base64'), keyId: 'other' } },
    ];
    for (const [index, config] of configs.entries())
      await manager(config).save(`${index}`, value, { metadata: { index } });
    const reader = manager({ encryption: { key, previousKeys: { other: key } } });
    for (const [index] of configs.entries())
      expect(await reader.getEntry(`${index}`)).toMatchObject({ value, metadata: { index } });
    await expect(manager().get('4')).rejects.toMatchObject({ code: 'STATE_DECRYPTION' });
    const wrong = manager({ encryption: { key: Buffer.alloc(32, 8) } });
    await expect(wrong.get('4')).rejects.toMatchObject({ code: 'STATE_DECRYPTION' });
    await expect(wrong.get('5')).rejects.toThrow("'other'");
    expect(() => manager({ encryption: { key: 'short' } })).toThrow('AES-256 needs 32');
  });

  const run = (task: object): ReturnType<typeof spawn> =>
    spawn(process.execPath, [child, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });

  test('several processes lose no increment', async ({ skip }) => {
    if (!place.isShared) skip('for one process');
    const [writers, times] = [3, 40];
    const { seen, callback, until } = collect();
    manager().subscribe('counter', callback);
    const children = Array.from({ length: writers }, () => run({ location: place.location, verb: 'increment', times }));
    const codes = await Promise.all(children.map(async (one) => (await once(one, 'close'))[0] as number));
    expect(codes).toEqual([0, 0, 0]);
    expect(await manager().get('counter')).toBe(writers * times);
    await until(writers * times);
    expect(seen.map(({ next }) => next)).toEqual(Array.from({ length: writers * times }, (_, index) => index + 1));
    expect(seen.every(({ old, next }) => (old ?? 0) === (next as number) - 1)).toBe(true);
  });

  test('kill -9 after an awaited write loses nothing', async ({ skip }) => {
    if (!place.isDurable) skip('contents end with the process');
    await store.close();
    let last = 0;
    for (let round = 0; round < 4; round++) {
      const writer = run({ location: place.location, verb: 'save', times: 100_000 });
      let acknowledged = 0;
      createInterface({ input: writer.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        acknowledged = Number(line);
        if (acknowledged >= 20 + round * 13) writer.kill('SIGKILL');
      });
      await once(writer, 'close');
      store = await openLocation(place.location);
      const state = manager();
      const found = [...(await state.getMany(Array.from({ length: 7 }, (_, index) => `key ${index}`))).values()];
      last = Math.max(...found.map((value) => (value as { index: number }).index));
      expect(last).toBeGreaterThanOrEqual(acknowledged);
      await state.close();
      managers = [];
      await store.close();
    }
    store = await openLocation(place.location);
  });
});
