// The server goes away and comes back, runs out of memory or changes its settings: calls fail with typed errors, nothing
// crashes, nothing is half written, and nothing needs reopening.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bytesCollection, recordCollection, workCollection } from '../../../src/store/collection.ts';
import {
  StoreBusyError,
  StoreFeatureError,
  StoreFullError,
  StorePermissionError,
  StoreUnavailableError,
} from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import type { ChangeSet, Transaction } from '../../../src/store/store.ts';
import { freePort, privateRedis, redisProgram, testRedis, type PrivateRedis } from '../../support/redis.ts';
import { describeRedis, trialOn } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const blobs = bytesCollection('blobs');
const items = workCollection<number>('items');
const put = (key: string, value: number): Transaction => ({
  writes: [{ kind: 'put', collection: numbers, key: [key], value }],
});

await describeRedis('connections that break', (trial) => {
  test('connections that were ended are replaced; nobody notices', async () => {
    const store = await trial.open({ clientName: trial.keyPrefix });
    await store.declare(numbers);
    await mustCommit(store, put('a', 1));
    await Promise.all(Array.from({ length: 10 }, () => store.read(numbers, [['a']])));
    for (let round = 2; round < 6; round++) {
      const clients = await trial.command<string>('CLIENT', 'LIST');
      for (const [, id = ''] of clients.matchAll(new RegExp(`^id=(\\d+) .* name=${trial.keyPrefix} `, 'gm')))
        await trial.command('CLIENT', 'KILL', 'ID', id);
      expect(await store.read(numbers, [['a']])).toMatchObject([{ value: 1 }]);
      expect(await mustCommit(store, put('b', round))).toBe(round);
    }
  });

  test('a server that forgot the scripts is sent them again', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    await mustCommit(store, put('a', 1));
    await trial.command('SCRIPT', 'FLUSH');
    expect(await mustCommit(store, put('a', 2))).toBe(2);
    await trial.command('SCRIPT', 'FLUSH');
    expect(await store.read(numbers, [['a']])).toMatchObject([{ value: 2 }]);
  });

  test('TLS that the server does not offer is an error, not a plain connection', async () => {
    await expect(trial.open({ tls: true, connectTimeoutMilliseconds: 2000 })).rejects.toThrow(StoreUnavailableError);
  });
});

describe.skipIf(redisProgram() === undefined)('a server of its own', () => {
  let server: PrivateRedis;
  beforeAll(async () => {
    server = await privateRedis({ settings: { 'busy-reply-threshold': '20' } });
  });
  afterAll(() => server.dispose());
  const trial = trialOn(() => testRedis(server.url));
  const configure = (name: string, value: string): Promise<unknown> => trial.command('CONFIG', 'SET', name, value);

  test.for(['fast', 'immediate'] as const)('stopped (%s) and started again: calls fail, then work', async (mode) => {
    const store = await trial.open({ poolSize: 3, recoveryMilliseconds: 1000 });
    await store.declare(numbers);
    await mustCommit(store, put('a', 1));
    const changes = store.follow({ since: 0 })[Symbol.asyncIterator]();
    expect(await changes.next()).toMatchObject({ value: { revision: 1 } });
    const interrupted = changes.next().catch((error: unknown) => error);
    await server.stop(mode);
    await expect(store.read(numbers, [['a']])).rejects.toThrow(StoreUnavailableError);
    await expect(store.commit([put('b', 2)])).rejects.toThrow(StoreUnavailableError);
    await expect(store.revision()).rejects.toThrow(StoreUnavailableError);
    await server.start();
    expect(await store.read(numbers, [['a'], ['b']])).toMatchObject([{ value: 1 }, undefined]);
    expect(await mustCommit(store, put('b', 3))).toBe(2);
    // A follower gets the error of the outage, unless it ended before the next read, and continues where it was.
    expect(await interrupted).toSatisfy(
      (outcome) =>
        outcome instanceof StoreUnavailableError || (outcome as IteratorYieldResult<ChangeSet>).value.revision === 2,
    );
    for await (const { revision } of store.follow({ since: 1 })) {
      expect(revision).toBe(2);
      break;
    }
  });

  test('commits under load while the server crashes: every acknowledged one is there, once', async () => {
    const store = await trial.open({ recoveryMilliseconds: 20_000 });
    await store.declare(numbers);
    const acknowledged: number[] = [];
    const stop = new AbortController();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let index = 0; !stop.signal.aborted; index++) {
        const number = writer * 1_000_000 + index;
        try {
          await mustCommit(store, {
            ...put(`${number}`, number),
            checks: [{ kind: 'absent', collection: numbers, key: [`${number}`] }],
          });
          acknowledged.push(number);
        } catch (error) {
          // Nothing of it was written; the next number is tried.
          if (!(error instanceof StoreUnavailableError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.stop('immediate');
    await server.start();
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    await Promise.all(writers);
    const found: number[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await store.scan(numbers, {}, { cursor, limit: 10_000 });
      found.push(...page.entries.map(({ value }) => value));
      cursor = page.cursor;
    }
    expect(found.toSorted((a, b) => a - b)).toEqual(acknowledged.toSorted((a, b) => a - b));
    expect(await store.revision()).toBe(acknowledged.length);
    expect((await store.verify()).problems).toEqual([]);
  });

  test('out of memory: a typed error, nothing half written, and space can be made', async () => {
    const store = await trial.open();
    await store.declare(numbers, blobs, items);
    const versioned = recordCollection<string>('versioned', { keeps: 'versions' });
    await store.declare(versioned);
    await mustCommit(store, { writes: [{ kind: 'put', collection: items, key: ['job'], value: 1 }] });
    for (let value = 0; value < 5; value++)
      await mustCommit(store, {
        writes: [{ kind: 'put', collection: versioned, key: ['k'], value: `${value}`.repeat(100_000) }],
      });
    const [claimed] = await store.claim(items, { owner: 'o', limit: 1, leaseMilliseconds: 60_000 });
    const head = await store.revision();
    await configure('maxmemory', '1mb');
    try {
      const large = Array.from({ length: 20 }, (_, index) => ({
        kind: 'put' as const,
        collection: blobs,
        key: [index],
        value: new Uint8Array(50_000),
      }));
      await expect(store.commit([{ writes: large }])).rejects.toThrow(StoreFullError);
      await expect(store.commit([put('a', 1)])).rejects.toThrow(StoreFullError);
      // What exists can be read, held and pruned.
      expect(await store.read(versioned, [['k']])).toMatchObject([{ revision: head }]);
      expect((await store.scan(blobs, {})).entries).toEqual([]);
      expect(claimed && (await store.renew([claimed.lease], 60_000))).toMatchObject([{ status: 'renewed' }]);
      expect(await store.prune(head)).toBe(head);
      expect(await store.revision()).toBe(head);
      expect((await store.verify()).problems).toEqual([]);
    } finally {
      await configure('maxmemory', '0');
    }
    expect(await mustCommit(store, put('a', 1))).toBe(head + 1);
  });

  test('a script of somebody else that keeps the server busy is a busy store, and the store goes on', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    const blocking = trial.command('EVAL', 'while true do end', '0').catch(() => undefined);
    const busy = async (): Promise<unknown> => {
      for (;;) {
        const outcome: unknown = await store.commit([put('a', 1)]).catch((error: unknown) => error);
        if (outcome instanceof Error) return outcome;
      }
    };
    expect(await busy()).toBeInstanceOf(StoreBusyError);
    await trial.command('SCRIPT', 'KILL');
    await blocking;
    expect((await store.commit([put('a', 1)]))[0]?.status).toBe('committed');
  });

  test('a server that does not answer in time is unavailable, and what it was sent is found out', async () => {
    const patient = await trial.open();
    await patient.declare(numbers);
    await mustCommit(patient, put('a', 0));
    // Long enough for a busy machine that does answer.
    const store = await trial.open({
      connectTimeoutMilliseconds: 1000,
      commandTimeoutMilliseconds: 1000,
      recoveryMilliseconds: 60_000,
    });
    await store.declare(numbers);
    await trial.command('CLIENT', 'PAUSE', '2500', 'ALL');
    // It was sent, so the store waits for the server and finds out.
    expect(await mustCommit(store, put('a', 1))).toBe(2);
    await trial.command('CLIENT', 'PAUSE', '3000', 'ALL');
    await expect(store.read(numbers, [['a']])).rejects.toThrow(StoreUnavailableError);
    // This one waits until the pause is over.
    expect(await trial.command('PING')).toBe('PONG');
    await expect.poll(() => store.read(numbers, [['a']])).toMatchObject([{ value: 1, revision: 2 }]);
  });

  test('waiting too long for a connection says why', async () => {
    const store = await trial.open({ poolSize: 1, connectTimeoutMilliseconds: 200 });
    await store.declare(numbers);
    await trial.command('CLIENT', 'PAUSE', '60000', 'WRITE');
    const commit = mustCommit(store, put('a', 1));
    // It has the only connection by then.
    await new Promise((resolve) => setImmediate(resolve));
    await expect(store.revision()).rejects.toThrow(/all 1 connections were in use/);
    await trial.command('CLIENT', 'UNPAUSE');
    expect(await commit).toBe(1);
  });

  test('settings that promise too little are refused', async () => {
    await configure('maxmemory-policy', 'allkeys-lru');
    await expect(trial.open()).rejects.toThrow(StoreFeatureError);
    await expect(trial.open({ durability: 'relaxed' })).rejects.toThrow('noeviction');
    await configure('maxmemory-policy', 'noeviction');
    await configure('appendfsync', 'no');
    await expect(trial.open()).rejects.toThrow('appendfsync is no');
    const relaxed = await trial.open({ durability: 'relaxed' });
    await relaxed.declare(numbers);
    expect(await mustCommit(relaxed, put('a', 1))).toBe(1);
    await configure('appendfsync', 'always');
    expect(await (await trial.open()).revision()).toBe(1);
  });

  /** Whether the server can say when it has synced (WAITAOF). */
  async function canWait(): Promise<boolean> {
    const [, major, minor] = /redis_version:(\d+)\.(\d+)/.exec(await trial.command<string>('INFO', 'server')) ?? [];
    return Number(major) * 100 + Number(minor) >= 702;
  }

  test('a server that syncs every second is refused if it cannot be waited for', async (context) => {
    if (await canWait()) return context.skip();
    await configure('appendfsync', 'everysec');
    await expect(trial.open()).rejects.toThrow('appendfsync is everysec');
    await configure('appendfsync', 'always');
    return undefined;
  });

  test('a server that syncs every second is waited for if it can say when', async (context) => {
    if (!(await canWait())) return context.skip('this server has no WAITAOF');
    await configure('appendfsync', 'everysec');
    const store = await trial.open();
    await store.declare(numbers);
    await trial.command('CONFIG', 'RESETSTAT');
    expect(await mustCommit(store, put('a', 1))).toBe(1);
    // Reads have nothing to wait for.
    expect(await store.read(numbers, [['a']])).toMatchObject([{ value: 1 }]);
    expect(await trial.command<string>('INFO', 'commandstats')).toContain('cmdstat_waitaof:calls=1,');
    await configure('appendfsync', 'always');
    return undefined;
  });

  test('a user without rights is told so; a password may come from a function', async () => {
    await trial.command('ACL', 'SETUSER', 'guarded', 'on', '>right', '~*', '&*', '+@all');
    await trial.command('ACL', 'SETUSER', 'reader', 'on', '>right', '~*', '&*', '+@read', '+info', '+config|get');
    const { port } = server;
    await expect(trial.open({}, `redis://guarded:wrong@127.0.0.1:${port}`)).rejects.toThrow(StorePermissionError);
    await expect(trial.open({}, `redis://reader:right@127.0.0.1:${port}`)).rejects.toThrow(StorePermissionError);
    const connection = { host: '127.0.0.1', port, username: 'guarded', password: () => Promise.resolve('right') };
    const store = await openRedis(connection, { keyPrefix: trial.keyPrefix });
    expect(await store.revision()).toBe(0);
    expect(store.blocking).toBeUndefined();
    await store.close();
  });
});

describe.skipIf(redisProgram() === undefined)('a user with the rights of docs/redis.md', () => {
  let server: PrivateRedis;
  beforeAll(async () => {
    server = await privateRedis();
  });
  afterAll(() => server.dispose());
  const trial = trialOn(() => testRedis(server.url));

  test('can do everything', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/redis.md'), 'utf8');
    const rights = /with `(\+@read [^`]*)`, and `(\+config\|get)`/.exec(page);
    const prefix = `{${trial.keyPrefix}}:*`;
    const words = [...(rights?.[1] ?? '').split(' '), rights?.[2] ?? ''];
    await trial.command('ACL', 'SETUSER', 'least', 'on', '>right', `~${prefix}`, `&${prefix}`, ...words);
    const store = await trial.open({}, `redis://least:right@127.0.0.1:${server.port}`);
    await store.declare(numbers, items);
    const heard = Promise.withResolvers<string>();
    const other = await trial.open({}, `redis://least:right@127.0.0.1:${server.port}`);
    other.volatile?.listen('news', heard.resolve);
    const following = store.follow({ since: 0 })[Symbol.asyncIterator]().next();
    const session = await store.openSession?.({
      name: 'least',
      leaseMilliseconds: 1000,
      patienceMilliseconds: 1000,
      lost: () => undefined,
      ended: () => undefined,
    });
    await mustCommit(store, { writes: [{ kind: 'put', collection: items, key: ['job'], value: 1 }] });
    expect(await following).toMatchObject({ value: { revision: 1 } });
    const [claimed] = await store.claim(items, { owner: session?.owner ?? '', limit: 1, leaseMilliseconds: 1000 });
    expect(claimed && (await store.renew([claimed.lease], 1000))).toMatchObject([{ status: 'renewed' }]);
    expect(await store.expireDead?.(items)).toBe(0);
    if (claimed !== undefined) await store.release([claimed.lease]);
    expect(await store.prune(1)).toBe(1);
    expect((await store.verify()).problems).toEqual([]);
    for (let isHeard = false; !isHeard;) {
      store.volatile?.publish('news', 'heard');
      const pause = new Promise((resolve) => setTimeout(resolve, 20));
      isHeard = (await Promise.race([heard.promise, pause])) === 'heard';
    }
    await session?.close();
  });
});

describe.skipIf(redisProgram() === undefined || certificate() === undefined)('a server with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-redis-tls-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is reached with the options given', async (context) => {
    const pem = certificate() ?? '';
    const file = join(folder, 'server.pem');
    writeFileSync(file, pem);
    const tlsPort = await freePort();
    const server = await privateRedis({
      settings: {
        'tls-port': String(tlsPort),
        'tls-cert-file': file,
        'tls-key-file': file,
        'tls-ca-cert-file': file,
        'tls-auth-clients': 'no',
      },
    }).catch(() => undefined);
    if (server === undefined) return context.skip('this server was built without TLS');
    try {
      const ca = pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'));
      const store = await openRedis(`rediss://127.0.0.1:${tlsPort}`, { tls: { ca } });
      await store.declare(numbers);
      expect(await mustCommit(store, put('a', 1))).toBe(1);
      await store.close();
      // Nobody vouches for this certificate.
      await expect(openRedis(`rediss://127.0.0.1:${tlsPort}`)).rejects.toThrow(StoreUnavailableError);
    } finally {
      await server.dispose();
    }
    return undefined;
  });
});

/** A key and a certificate that signs itself, as openssl makes them; undefined where there is no openssl. */
function certificate(): string | undefined {
  try {
    return execFileSync(
      'openssl',
      // prettier-ignore
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', '-'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  } catch {
    return undefined;
  }
}
