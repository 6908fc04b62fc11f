// Where states of tasks can be kept: on a disk with a limit, behind a cache, and in a KVStore of the application.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Cache, Disk, Models, Statek, storeOf, Versioned } from '../../src/index.ts';
import type { StoreSource } from '../../src/types.ts';
import { mustCommit, recordCollection, StoreFullError, type Store } from '../../src/store.ts';
import { scriptedModel } from '../../src/testing.ts';
import { memoryKeyValues } from '../store/support/key-values.ts';
import { ts } from './support/fences.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'statek-disk-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function opened(source: StoreSource): Promise<Store> {
  const store = await source.open();
  onTestFinished(() => store.close());
  return store;
}

it.each([
  [
    'a disk',
    () => {
      const path = folder();
      return () => Disk(path);
    },
  ],
  [
    'a cache around a disk',
    () => {
      const path = folder();
      return () => Cache(Disk(path), { maxBytes: 1_000_000 });
    },
  ],
  [
    'a KVStore',
    () => {
      const kv = memoryKeyValues();
      return () => storeOf(kv);
    },
  ],
  [
    'a cache around a KVStore',
    () => {
      const kv = memoryKeyValues();
      return () => Cache(storeOf(kv));
    },
  ],
])('keeps the variables of tasks on %s until it is opened again', async (_, place) => {
  const source = place();
  const models = new Models({
    models: { m: scriptedModel([ts('globalThis.total = input; exit(total)'), ts('total += input; exit(total)')]) },
    env: {},
  });
  const agent = new Agent({ role: 'adder', metadata: { MODEL: 'm' }, models });
  const add = agent.task({ input: z.number(), output: z.number(), description: 'Adds.' });
  const first = Versioned(source());
  expect(await add(20, { state: first })).toBe(20);
  await first.close();
  const second = Versioned(source());
  expect(await add(22, { state: second })).toBe(42);
  expect(await second.variables(agent)).toMatchObject({ total: 42 });
  await second.close();
});

it('refuses writes on a full disk, and takes them again once something was removed', async () => {
  const things = recordCollection<string>('things');
  const store = await opened(Disk(folder(), { sizeLimit: 2_000_000 }));
  await store.declare(things);
  const put = (index: number): Promise<number> =>
    mustCommit(store, { writes: [{ kind: 'put', collection: things, key: [index], value: 'x'.repeat(100_000) }] });
  let count = 0;
  const filling = async (): Promise<void> => {
    for (;;) await put(count++);
  };
  await expect(filling()).rejects.toThrow(StoreFullError);
  expect(count).toBeGreaterThan(5);
  await expect(put(1000)).rejects.toThrow(/has reached its limit of 2000000 bytes/);
  const removals = Array.from(
    { length: count },
    (_, key) => ({ kind: 'remove', collection: things, key: [key] }) as const,
  );
  await mustCommit(store, { writes: removals });
  await put(1000);
});

it(
  'drops commits that retention does not keep when the disk is full, and no others',
  { timeout: 120_000 },
  async () => {
    const path = folder();
    const store = await opened(Disk(path, { sizeLimit: 6_000_000, retention: { last: 3 } }));
    const kit = await Statek.open({ store });
    const workspace = await kit.workspace('large');
    await workspace.run(
      'globalThis.random = 1; globalThis.text = ""; globalThis.fill = () => { let out = ""; for (let i = 0; i < 20000; i++) { random = (random * 48271) % 2147483647; out += random.toString(36); } text = out; }',
    );
    await workspace.tag('first');
    const [tagged] = await workspace.commits();
    for (let index = 0; index < 60; index++) await workspace.run(`fill(); ${index}`);
    const commits = await workspace.commits({ limit: 100 });
    expect(commits.length).toBeLessThan(60);
    expect(commits.some(({ hash }) => hash === tagged?.hash)).toBe(true);
    expect((await workspace.at(tagged?.hash ?? '')).locals()['random']).toBe(1);
    for (const { hash } of commits.slice(0, 3))
      expect((await workspace.at(hash)).locals()['text']).toBeTypeOf('string');
    await kit.close();
  },
);

it('refuses options that make no sense', () => {
  expect(() => Disk('x', { sizelimit: 1 } as object)).toThrow("'sizelimit'");
  expect(() => Disk('postgres://x')).toThrow('folder');
  expect(() => Cache('memory:', { maxBytes: -1 })).toThrow("'maxBytes'");
});
