// Opening and closing again and again leaves no file, thread, timer or listener behind.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordCollection } from '../../src/store/collection.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import { openStore } from '../../src/store/open.ts';
import { keepCompiledModules } from './support/compiled.ts';

keepCompiledModules();

const things = recordCollection<number>('things');

async function openAndClose(location: string, times: number): Promise<void> {
  for (let index = 0; index < times; index++) {
    const store = await openStore(location);
    await store.declare(things);
    await mustCommit(store, { writes: [{ kind: 'put', collection: things, key: [index], value: index }] });
    for await (const { revision } of store.follow({ since: 0 })) if (revision > 0) break;
    await store.close();
  }
}

/** Files and threads of this process, where the system tells; and whatever would keep it alive. */
async function held(): Promise<number[]> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  const list = (kind: string): Promise<string[]> => readdir(`/proc/self/${kind}`).catch(() => []);
  return [(await list('fd')).length, (await list('task')).length, process.getActiveResourcesInfo().length];
}

async function leak(location: string, times: number): Promise<number> {
  await openAndClose(location, 5);
  const before = await held();
  await openAndClose(location, times);
  const after = await held();
  return Math.max(...after.map((count, index) => count - (before[index] ?? 0)));
}

test('1,000 memory stores', async () => {
  expect(await leak('memory:', 1000)).toBeLessThan(10);
  expect(await leak('memory:by name', 1000)).toBeLessThan(10);
});

test('20 times the same sqlite store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statek-leaks-'));
  try {
    expect(await leak(folder, 20)).toBeLessThan(10);
  } finally {
    await rm(folder, { recursive: true });
  }
});
