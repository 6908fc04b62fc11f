// Backends are selected by name, every option is honoured or refused, and what is written to disk is what was promised.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from '../../src/base/simulated-clock.ts';
import { Disk, InvalidOptionError, Statek } from '../../src/index.ts';
import {
  AgentStateStore,
  FileBackend,
  KnowledgeStateManager,
  MemoryBackend,
  OrchestrationStateManager,
  RedisBackend,
  SpeechStateManager,
  StateManager,
  ToolStateManager,
  WorkflowStateManager,
} from '../../src/state.ts';
import type { StateConfig } from '../../src/state/manager/config.ts';
import { StoreAround } from '../../src/store/around/store-around.ts';
import type { Collection, ValueOf } from '../../src/store/collection.ts';
import { StoreCorruptError, StoreUnavailableError } from '../../src/store/errors.ts';
import type { Key } from '../../src/store/key.ts';
import { openStore } from '../../src/store/open.ts';
import type { ChangeSet, Entry, FollowOptions, ReadOptions } from '../../src/store/store.ts';
import { redisForTests, type TestRedis } from '../support/redis.ts';

const redis = await redisForTests();

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'statek-backends-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return join(path, 'state');
}

const filesIn = (path: string): Buffer =>
  Buffer.concat(
    readdirSync(path, { recursive: true, withFileTypes: true }).flatMap((one) =>
      one.isFile() ? [readFileSync(join(one.parentPath, one.name))] : [],
    ),
  );

describe('selection', () => {
  test.each([
    ['memory', () => ({ backend: 'memory' })],
    ['file', () => ({ backend: 'file', filePath: folder() })],
    ['sqlite', () => ({ backend: 'sqlite', filePath: folder() })],
    ['a memory backend', () => ({ backend: MemoryBackend() })],
    ['a file backend', () => ({ backend: FileBackend({ basePath: folder(), format: 'msgpack', compression: true }) })],
    ['the original’s first lines', () => ({ backend: 'memory', autoSave: true, saveInterval: 30 })],
  ] as [string, () => StateConfig][])('%s', async (_, config) => {
    const state = new StateManager(config());
    await state.save('k', { v: 1 });
    expect(await state.get('k')).toEqual({ v: 1 });
    await state.close();
    await expect(state.get('k')).rejects.toThrow('closed');
  });

  test.each([
    [{ backend: 'mongo' }, "'backend'"],
    [{ backend: 'file' }, "'filePath'"],
    [{ backend: 'redis' }, "'redisUrl'"],
    [{ backend: 'postgres' }, "'postgresUrl'"],
    [{ backend: 'memory', filePath: 'x' }, "'filePath'"],
    [{ backend: 'memory', redisUrl: 'redis://x' }, "'redisUrl'"],
    [{ backend: 'sqlite', filePath: 'x', keepChanges: 1 }, "'keepChanges'"],
    [{ format: 'xml' }, "'format'"],
    [{ compression: 'lzma' }, "'compression'"],
    [{ ttl: 0 }, "'ttl'"],
    [{ saveInterval: -1 }, "'saveInterval'"],
    [{ autoSave: 'yes' }, "'autoSave'"],
    [{ keyPrefix: 5 }, "'keyPrefix'"],
    [{ autosave: true }, "'autosave'"],
    [{ encryption: { key: Buffer.alloc(32), algorithm: 'x' } }, "'algorithm'"],
  ] as [object, string][])('refuses %j', (config, message) => {
    expect(() => new StateManager(config as StateConfig)).toThrow(InvalidOptionError);
    expect(() => new StateManager(config as StateConfig)).toThrow(message);
  });

  test('backends refuse what they do not know', () => {
    expect(() => FileBackend({ path: 'x' } as never)).toThrow("'path'");
    expect(() => FileBackend({ basePath: '' })).toThrow("'basePath'");
    expect(() => RedisBackend({ url: 'http://x' })).toThrow("'url'");
    expect(() => RedisBackend({ url: 'redis://x', connectionPoolSize: 0 })).toThrow("'connectionPoolSize'");
    expect(() => RedisBackend({ url: 'redis://x', poolSize: 1 } as never)).toThrow("'poolSize'");
    expect(RedisBackend({ url: 'redis://localhost:6379', db: 2, keyPrefix: 'a:', connectionPoolSize: 3 }).name).toBe(
      'redis',
    );
  });
});

test.skipIf(redis === undefined)('a Redis backend honours its database, prefix and pool', async () => {
  const { url, freshPrefix } = redis as TestRedis;
  const { keyPrefix, drop } = freshPrefix();
  const backend = RedisBackend({ url: `${url}?durability=relaxed`, keyPrefix, connectionPoolSize: 3 });
  const state = new StateManager({ backend, keyPrefix: 'agenticai:', ttl: 3600 });
  await state.save('agent:researcher', { status: 'running' });
  await state.close();
  const again = new StateManager({
    backend: RedisBackend({ url: `${url}?durability=relaxed`, keyPrefix }),
    keyPrefix: 'agenticai:',
  });
  expect(await again.get('agent:researcher')).toEqual({ status: 'running' });
  await again.close();
  await drop();
});

test.each([
  { backend: 'file' },
  { persistence: 'file' },
  { backend: 'sqlite' },
  { backend: 'memory' },
  { persistence: 'memory' },
] as const)('every manager takes %j, like the state manager', async (selection) => {
  const name = 'backend' in selection ? selection.backend : selection.persistence;
  const place = name === 'memory' ? selection : { ...selection, filePath: folder() };
  for (const attempt of [1, 2]) {
    const agents = new AgentStateStore(place);
    await agents.saveCheckpoint({ agentId: 'a', step: attempt });
    expect(await agents.listCheckpoints('a')).toHaveLength(name === 'memory' ? 1 : attempt);
    await agents.close();
  }
  for (const Manager of [WorkflowStateManager, ToolStateManager, KnowledgeStateManager, SpeechStateManager])
    await new Manager({ ...selection, ...(name === 'memory' ? {} : { filePath: folder() }) }).close();
});

test('a manager opens a limited store by itself, and closes it', async () => {
  const path = folder();
  const teams = new OrchestrationStateManager({ store: Disk(path, { sizeLimit: 50_000_000 }) });
  await teams.createTeam({ teamId: 't' });
  await teams.close();
  const again = new OrchestrationStateManager({ store: path });
  expect((await again.listTeams()).teams).toMatchObject([{ teamId: 't' }]);
  await again.close();
});

describe('on disk', () => {
  const secret = 'the treasure is under the oak';

  test.each(['file', 'sqlite'] as const)('encrypted values leave no plaintext in %s, keys do', async (backend) => {
    const filePath = folder();
    const config: StateConfig = { backend, filePath, encryption: { key: Buffer.alloc(32, 1) } };
    const state = new StateManager(config);
    await state.save('visible-key', { secret }, { metadata: { note: secret } });
    await state.update('visible-key', { more: secret });
    await state.close();
    const bytes = filesIn(filePath);
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(Buffer.from(secret).toString('base64').slice(2, 30))).toBe(false);
    expect(bytes.includes('visible-key')).toBe(true);
    const again = new StateManager(config);
    expect(await again.get('visible-key')).toEqual({ secret, more: secret });
    await again.close();
    const plain = new StateManager({ backend, filePath });
    await expect(plain.get('visible-key')).rejects.toMatchObject({ code: 'STATE_DECRYPTION' });
    await plain.close();
  });

  test('a value that was moved to another key cannot be decrypted', async () => {
    const store = await openStore('memory:');
    const state = new StateManager({ store, encryption: { key: Buffer.alloc(32, 1) } });
    await state.save('mine', 1);
    const { entryRows } = await import('../../src/state/manager/rows.ts');
    const [row] = await store.read(entryRows, [['', 'mine']]);
    await store.commit([{ writes: [{ kind: 'put', collection: entryRows, key: ['', 'yours'], value: row?.value }] }]);
    await expect(state.get('yours')).rejects.toMatchObject({ code: 'STATE_DECRYPTION' });
    await state.close();
    await store.close();
  });

  test('a file of state does not grow with the number of changes', async () => {
    const basePath = folder();
    const state = new StateManager({ backend: FileBackend({ basePath, keepChanges: 50 }) });
    for (let index = 0; index < 400; index++) await state.save('k', { index });
    await expect(state.subscribe('k', () => undefined, { since: 1 }).started).rejects.toMatchObject({
      code: 'STORE_REVISION_GONE',
    });
    await state.close();
  });

  test('opening and closing a thousand times leaks nothing', async () => {
    const filePath = folder();
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const once = async (): Promise<void> => {
      const state = new StateManager({ backend: 'file', filePath });
      state.subscribe('*', () => undefined);
      await state.save('k', 1, { ttl: 100 });
      await state.close();
    };
    await once();
    const [before, timers] = [descriptors(), process.getActiveResourcesInfo().length];
    for (let index = 0; index < 1000; index++) await once();
    expect(descriptors()).toBeLessThanOrEqual(before + 2);
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(timers + 2);
  });
});

test('a subscription survives an outage of the store and misses nothing', async () => {
  class Flaky extends StoreAround {
    down = false;
    override async *follow(options?: FollowOptions): AsyncGenerator<ChangeSet, void, undefined> {
      for await (const set of super.follow(options)) {
        if (this.down) throw new StoreUnavailableError('The store went away.');
        yield set;
      }
    }
  }
  const inner = await openStore('memory:');
  const store = new Flaky(inner, true);
  const failures: unknown[] = [];
  const state = new StateManager({
    store,
    onError: ({ error, continues }) => failures.push([(error as Error).message, continues]),
  });
  const seen: unknown[] = [];
  const all = Promise.withResolvers<void>();
  state.subscribe('k', (_, __, value) => {
    seen.push(value);
    if (value === 5) all.resolve();
  });
  await state.save('k', 1);
  await state.save('k', 2);
  store.down = true;
  for (const value of [3, 4, 5]) await state.save('k', value);
  while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  store.down = false;
  await all.promise;
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(failures[0]).toEqual(['The store went away.', true]);
  await state.close();
  await store.close();
});

test('an entry that is damaged keeps no other from expiring', async () => {
  class Damaged extends StoreAround {
    override read<C extends Collection>(
      collection: C,
      keys: readonly Key[],
      options?: ReadOptions,
    ): Promise<readonly (Entry<ValueOf<C>> | undefined)[]> {
      if (collection.name === 'state_entries' && keys.some((key) => key[1] === 'bad' && isDamaged))
        return Promise.reject(new StoreCorruptError('This row is damaged.'));
      return super.read(collection, keys, options);
    }
  }
  let isDamaged = false;
  const clock = new SimulatedClock();
  const store = new Damaged(await openStore('memory:'), true);
  const state = new StateManager({ store, clock });
  const told = Promise.withResolvers<string>();
  for (const key of ['bad', 'good']) await state.save(key, 1, { ttl: 10 });
  await state.subscribe('good', (key, _, now) => void (now === undefined && told.resolve(key))).started;
  isDamaged = true;
  clock.advance(10_000);
  expect(await told.promise).toBe('good');
  await expect(state.get('bad')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  await state.close();
  await store.close();
});

test('a kit has a state of its own, in its store', async () => {
  const store = await openStore('memory:');
  const kit = await Statek.open({ store });
  await kit.state.save('agent:researcher', { status: 'running' });
  await kit.state.update('agent:researcher', { status: 'done' });
  await kit.close();
  await expect(kit.state.get('agent:researcher')).rejects.toThrow('closed');
  const again = await Statek.open({ store });
  expect(await again.state.get('agent:researcher')).toEqual({ status: 'done' });
  await again.close();
  await store.close();
});
