// The server goes away and comes back: calls fail with typed errors, nothing crashes, and nothing needs reopening.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCollection } from '../../../src/store/collection.ts';
import {
  StoreBusyError,
  StoreFeatureError,
  StorePermissionError,
  StoreUnavailableError,
} from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import type { ChangeSet, Transaction } from '../../../src/store/store.ts';
import { postgresBinaries, privateServer, type PrivateServer } from '../../support/postgres.ts';
import { describePostgres, testPostgres, trialOn } from './support/trial.ts';

const numbers = recordCollection<number>('numbers');
const put = (key: string, value: number): Transaction => ({
  writes: [{ kind: 'put', collection: numbers, key: [key], value }],
});

await describePostgres('connections that break', (trial) => {
  test('backends that were terminated are replaced; nobody notices', async () => {
    const store = await trial.open({ applicationName: trial.schema });
    await store.declare(numbers);
    await mustCommit(store, put('a', 1));
    await Promise.all(Array.from({ length: 10 }, () => store.read(numbers, [['a']])));
    for (let round = 2; round < 6; round++) {
      await trial.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
        trial.schema,
      ]);
      expect(await store.read(numbers, [['a']])).toMatchObject([{ value: 1 }]);
      expect(await mustCommit(store, put('b', round))).toBe(round);
    }
  });

  test('a statement that takes too long is given up, and the store goes on', async () => {
    const store = await trial.open({ statementTimeoutMilliseconds: 300 });
    await store.declare(numbers);
    const letGo = await trial.holdCommits();
    await expect(store.commit([put('a', 1)])).rejects.toThrow(StoreBusyError);
    await letGo();
    expect(await mustCommit(store, put('a', 1))).toBe(1);
  });

  test('waiting too long for a connection says why', async () => {
    const store = await trial.open({
      poolSize: 1,
      connectTimeoutMilliseconds: 200,
      applicationName: trial.schema,
    });
    await store.declare(numbers);
    const letGo = await trial.holdCommits();
    const commit = mustCommit(store, put('a', 1));
    const waiting = "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
    while ((await trial.query(waiting, [trial.schema])).length === 0);
    await expect(store.revision()).rejects.toThrow(/all 1 connections were in use/);
    await letGo();
    expect(await commit).toBe(1);
  });

  test('TLS that the server does not offer is an error, not a plain connection', async () => {
    const [row] = await trial.query('show ssl');
    if (row?.['ssl'] === 'on') return;
    await expect(trial.open({ ssl: true })).rejects.toThrow(StoreUnavailableError);
    const url = `${trial.url}?sslmode=verify-full`;
    await expect(trial.open({}, url)).rejects.toThrow(StoreUnavailableError);
  });

  test('passwords appear nowhere', async () => {
    const url = new URL(trial.url);
    url.password = 's3cret';
    const store = await trial.open({}, url.href);
    url.port = '1';
    const error: unknown = await openPostgres(url.href).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    for (const shown of [store, error]) expect(inspect(shown, { depth: 20, showHidden: true })).not.toContain('s3cret');
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });
});

describe.skipIf(postgresBinaries() === undefined)('a server of its own', () => {
  let server: PrivateServer;
  beforeAll(async () => {
    server = await privateServer({
      prepare: guardAndEncrypt,
      settings: { ssl: certificate() === undefined ? 'off' : 'on' },
    });
    await testPostgres(server.url).query("create role guarded superuser login password 'right'");
  });
  afterAll(() => server.dispose());
  const trial = trialOn(() => testPostgres(server.url));

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

  test('a wrong password is a permission error; the right one, or a function that gives it, works', async () => {
    const url = new URL(server.url);
    url.username = 'guarded';
    url.password = 'wrong';
    await expect(trial.open({}, url.href)).rejects.toThrow(StorePermissionError);
    const connection = { host: '127.0.0.1', port: server.port, database: 'postgres', user: 'guarded' };
    const store = await openPostgres(
      { ...connection, password: () => Promise.resolve('right') },
      { schema: trial.schema },
    );
    expect(await store.revision()).toBe(0);
    await store.close();
  });

  test.skipIf(certificate() === undefined)('TLS with the options given, and with those in the URL', async () => {
    const tls = `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = $1`;
    const ca = readFileSync(join(server.folder, 'server.crt'), 'utf8');
    await trial.open({ ssl: { ca }, applicationName: 'checked' });
    await trial.open({ applicationName: 'unchecked' }, `${server.url}?sslmode=no-verify`);
    for (const name of ['checked', 'unchecked']) expect(await trial.query(tls, [name])).toContainEqual({ ssl: true });
    // Nobody vouches for this certificate.
    await expect(trial.open({ ssl: true })).rejects.toThrow(StoreUnavailableError);
  });

  test('a server that does not sync is refused unless that is allowed', async () => {
    const set = async (value: string): Promise<void> => {
      await trial.query(`alter system set fsync = ${value}`);
      await trial.query('select pg_reload_conf()');
      while ((await trial.query('show fsync'))[0]?.['fsync'] !== value);
    };
    await set('off');
    try {
      await expect(trial.open()).rejects.toThrow(StoreFeatureError);
      const store = await trial.open({ allowUnsafeServer: true });
      expect(await store.revision()).toBe(0);
    } finally {
      await set('on');
    }
  });
});

/** A key and a certificate that signs itself, as openssl makes them; undefined where there is no openssl. */
let made: string | undefined;
function certificate(): string | undefined {
  try {
    made ??= execFileSync(
      'openssl',
      // prettier-ignore
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', '-'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  } catch {
    return undefined;
  }
  return made;
}

/** One role needs a password, and connections may be encrypted. */
function guardAndEncrypt(folder: string, owner: { uid: number; gid: number } | undefined): void {
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  const pem = certificate();
  if (pem === undefined) return;
  for (const [name, label] of [
    ['server.key', 'PRIVATE KEY'],
    ['server.crt', 'CERTIFICATE'],
  ] as const) {
    const file = join(folder, name);
    const start = pem.indexOf(`-----BEGIN ${label}`);
    const end = `-----END ${label}-----\n`;
    appendFileSync(file, pem.slice(start, pem.indexOf(end) + end.length));
    chmodSync(file, 0o600);
    if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
  }
}
