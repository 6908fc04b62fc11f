// What people have to decide is found in an index of its own, which is right whatever becomes of a question and whoever dies.
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openStore, program, Statek, tool, type PendingFuture, type Store } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { questionRows } from '../../src/workspace/rows.ts';
import { openPostgres } from '../../src/postgres.ts';
import { scanAll, type Write } from '../../src/store.ts';
import { indexProblems } from '../simulation/indexes.ts';
import { postgresForTests } from '../support/postgres.ts';
import { openKit, storeFolder } from '../workspace/support/kits.ts';

const anything = program({ role: 'anything', source: String });
const snake = program({ role: 'snake', language: 'python', source: String });
const pay = tool({ name: 'pay', input: z.object({ to: z.string() }), approval: 'always', execute: async () => 'paid' });

/** Undefined without a server for tests. */
async function storeOf(kind: string): Promise<Store | undefined> {
  const postgres = kind === 'postgres' ? await postgresForTests() : undefined;
  if (kind === 'postgres' && postgres === undefined) return undefined;
  if (postgres === undefined) {
    const store = await openStore('memory:');
    onTestFinished(() => store.close());
    return store;
  }
  const { schema, drop } = await postgres.freshSchema();
  const store = await openPostgres(postgres.url, { schema });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  return store;
}

async function listed(pending: AsyncIterable<PendingFuture>): Promise<PendingFuture[]> {
  const found: PendingFuture[] = [];
  for await (const one of pending) found.push(one);
  return found;
}

/** How many rows are read, in all. */
function counting(store: Store): { readonly store: Store; rows: number } {
  const counted = { rows: 0, store };
  const { read, scan } = store;
  store.read = async (...given) => {
    const entries = await Reflect.apply(read, store, given);
    counted.rows += entries.length;
    return entries;
  };
  store.scan = async (...given) => {
    const page = await Reflect.apply(scan, store, given);
    counted.rows += page.entries.length;
    return page;
  };
  return counted;
}

it('finds ten questions among many waits without reading the others', async () => {
  const counted = counting(await openStore('memory:'));
  onTestFinished(() => counted.store.close());
  const kit = await openKit({ store: counted.store, drivers: [anything] });
  await kit.submitAll(
    anything,
    Array.from({ length: 200 }, (_, index) => ({ id: `s${index}`, input: "await signal('never')" })),
  );
  for (let index = 0; index < 10; index++)
    await kit.submit(anything, { id: `q${index}`, input: `await ask('Which ${index}?')` });
  await kit.runUntilIdle();
  counted.rows = 0;
  expect(await listed(kit.pending({ people: true }))).toHaveLength(10);
  expect(counted.rows).toBeLessThan(150);
  counted.rows = 0;
  for await (const one of kit.pending({ people: true, order: 'newest', role: 'anything' })) {
    expect(one.question).toBe('Which 9?');
    break;
  }
  expect(await listed(kit.pending())).toHaveLength(210);
  expect(() => kit.pending({ order: 'random' as never })).toThrow("'order'");
});

it.each(['memory', 'postgres'])('has what is open and nothing else, whatever becomes of it, in %s', async (kind) => {
  const store = await storeOf(kind);
  if (store === undefined) return;
  const clock = new ManualClock(1_700_000_000_000);
  const kit = await openKit({ store, drivers: [anything, snake], services: { pay }, clock });
  const open = async (): Promise<readonly string[]> => {
    await kit.runUntilIdle();
    expect(await indexProblems(kit.store)).toEqual([]);
    expect((await kit.verify()).problems).toEqual([]);
    return (await listed(kit.pending({ people: true }))).map(({ id }) => id);
  };
  const submit = (id: string, input: string): Promise<unknown> =>
    kit.submit(id === 'snake' ? snake : anything, { id, input, vars: id === 'snake' ? {} : { pay } });
  await submit('all', `await Promise.all([pay({ to: 'ann' }), approve('Sure?'), ask('Which?'), signal('go')])`);
  await submit('late', `try { await ask('Quick?', undefined, { timeout: 1000 }) } catch (error) { error.name }`);
  await submit('snake', `day = ask('Which day?')\nsure = approve('Sure?')\nday`);
  expect(await open()).toEqual(['all/1', 'all/2', 'all/3', 'late/1', 'snake/1']);
  await kit.approve('all/1');
  await kit.answer('snake/1', 'Monday');
  expect(await open()).toEqual(['all/2', 'all/3', 'late/1', 'snake/2']);
  // A fork waits for the same, and is listed for itself.
  await (await kit.job('all')).fork(undefined, 'fork');
  expect((await listed(kit.pending({ kind: 'ask', role: 'anything' }))).map(({ job }) => job)).toEqual([
    'all',
    'fork',
    'late',
  ]);
  clock.advance(1000);
  await kit.deny('snake/2');
  expect(await open()).toEqual(['all/2', 'all/2', 'all/3', 'all/3']);
  await (await kit.job('all')).cancel();
  expect(await open()).toEqual(['all/2', 'all/3']);
  await (await kit.job('fork')).cancel();
  expect(await open()).toEqual([]);
  // Back to before it was asked.
  const back = await kit.submit(anything, { id: 'back', input: "await until(0); await ask('And now?')" });
  expect(await open()).toEqual(['back/2']);
  await back.rollback((await back.commits())[1]?.hash ?? '');
  expect(await open()).toEqual(['back/3']);
  const file: Uint8Array[] = [];
  for await (const bytes of kit.exportJob('back', { secrets: true })) file.push(bytes);
  await back.cancel();
  await kit.runUntilIdle();
  await back.delete();
  expect(await open()).toEqual([]);
  const there = await openKit({ drivers: [anything], clock });
  await there.importJob(Readable.from(file));
  expect(await indexProblems(there.store)).toEqual([]);
  expect((await listed(there.pending({ people: true }))).map(({ id }) => id)).toEqual(['back/3']);
});

it('is built for a store from before it, by whoever survives doing so', async () => {
  const folder = storeFolder();
  const kit = await Statek.open({ store: folder, drivers: [anything] });
  await kit.submitAll(
    anything,
    Array.from({ length: 600 }, (_, index) => ({ id: `q${index}`, input: `await ask('Which?')` })),
  );
  await kit.runUntilIdle();
  await kit.close();
  const store = await openStore(folder);
  await store.declare(questionRows);
  const writes: Write[] = [];
  for await (const { key } of scanAll(store, questionRows, {}))
    writes.push({ kind: 'remove', collection: questionRows, key });
  await store.commit([{ writes }]);
  await store.close();
  // Each of these dies after one commit more of building it.
  for (const commits of [1, 2]) {
    const mortal = await openStore(folder);
    const { commit } = mortal;
    let left = commits;
    mortal.commit = async (transactions) => {
      if (left-- <= 0) throw new Error('killed');
      return Reflect.apply(commit, mortal, [transactions]);
    };
    await expect(Statek.open({ store: mortal, drivers: [anything] })).rejects.toThrow('killed');
    await mortal.close();
  }
  const after = await openKit({ store: folder, drivers: [anything] });
  expect(await indexProblems(after.store)).toEqual([]);
  expect(await listed(after.pending({ people: true }))).toHaveLength(600);
});
