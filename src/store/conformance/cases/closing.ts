// Closing: commits under way are finished, everything is let go of, and what comes later is told so.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { StoreClosedError } from '../../errors.ts';
import type { Store } from '../../store.ts';
import { conformanceCase, type Trial } from '../case.ts';
import { bytes, records, versions, work } from './collections.ts';
import { keysIn, numbers, put, refuses, turn, valueOf, write } from '../model/steps.ts';

/** What the process holds open: files and sockets where the system tells, and what would keep it alive. */
async function held(): Promise<number> {
  // Things that are being let go of get a few turns to go.
  for (const _ of numbers(20)) await turn();
  let files = 0;
  try {
    files = readdirSync('/proc/self/fd').length;
  } catch {
    // Not every system tells.
  }
  return files + process.getActiveResourcesInfo().length;
}

async function openAndClose({ open }: Trial, index: number): Promise<void> {
  const store: Store = await open();
  await write(store, put(records, ['k'], index));
  const aborter = new AbortController();
  for await (const _ of store.follow({ since: 0, signal: aborter.signal })) break;
  await store.close();
}

export const closingCases = [
  conformanceCase('closing: commits under way are finished first', async ({ store, open }) => {
    const other = await open();
    const commits = numbers(50).map((index) => write(store, put(records, [index], index)));
    const closing = store.close();
    const revisions = await Promise.all(commits);
    await closing;
    assert.equal(new Set(revisions).size, 50);
    assert.equal((await keysIn(other, records)).length, 50);
  }),

  conformanceCase('closing: reads and claims under way end, well or with StoreClosedError', async ({ store }) => {
    await write(store, ...numbers(100).map((index) => put(work, [index], index)));
    const calls: Promise<unknown>[] = [
      store.read(records, [['k']]),
      store.scan(work, {}),
      store.revision(),
      store.claim(work, { owner: 'o', limit: 5, leaseMilliseconds: 1000 }),
      store.verify(),
      store.prune(1),
    ];
    const settled = Promise.allSettled(calls);
    await store.close();
    for (const result of await settled) {
      if (result.status === 'rejected') assert.ok(result.reason instanceof StoreClosedError, String(result.reason));
    }
  }),

  conformanceCase('closing: every later call throws StoreClosedError', async ({ store }) => {
    await write(store, put(work, ['k'], 1));
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 1000 });
    assert.ok(claimed !== undefined);
    const closing = store.close();
    const calls: (() => unknown)[] = [
      () => store.declare(records),
      () => store.revision(),
      () => store.read(records, [['k']]),
      () => store.scan(records, {}),
      () => store.commit([{ writes: [put(records, ['k'], 1)] }]),
      () => store.commit([]),
      () => store.follow(),
      () => store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 1000 }),
      () => store.renew([claimed.lease], 1000),
      () => store.renew([], 1000),
      () => store.release([claimed.lease]),
      () => store.release([]),
      () => store.prune(0),
      () => store.verify(),
    ];
    const { synchronous } = store;
    if (synchronous !== undefined) {
      calls.push(
        () => synchronous.revision(),
        () => synchronous.read(records, [['k']]),
        () => synchronous.scan(records, {}),
      );
    }
    for (const call of calls) await refuses(StoreClosedError, call);
    await closing;
    for (const call of calls) await refuses(StoreClosedError, call);
  }),

  conformanceCase('closing: twice is once', async ({ store, open }) => {
    const other = await open();
    await Promise.all([store.close(), store.close()]);
    await store.close();
    await write(other, put(records, ['k'], 'other stores go on'));
    assert.equal(await valueOf(other, records, ['k']), 'other stores go on');
  }),

  conformanceCase(
    'closing: everything is there when the place is opened again',
    async ({ store, open }) => {
      await write(
        store,
        put(records, ['k'], { n: 1 }),
        put(bytes, ['k'], new Uint8Array([1, 2])),
        put(versions, ['k'], 1),
      );
      await write(store, put(versions, ['k'], 2));
      await store.close();
      const again = await open();
      assert.equal(await again.revision(), 2);
      assert.deepEqual(await valueOf(again, records, ['k']), { n: 1 });
      assert.deepEqual(await valueOf(again, bytes, ['k']), new Uint8Array([1, 2]));
      assert.deepEqual([await valueOf(again, versions, ['k'], 1), await valueOf(again, versions, ['k'], 2)], [1, 2]);
      assert.equal(await write(again, put(records, ['k'], 3)), 3, 'revisions go on');
      assert.deepEqual((await again.verify()).problems, []);
    },
    'durable',
  ),

  conformanceCase('closing: opening and closing many times leaks nothing', async (trial) => {
    for (const index of numbers(3)) await openAndClose(trial, index);
    const before = await held();
    const times = 15;
    for (const index of numbers(times)) await openAndClose(trial, index);
    const after = await held();
    assert.ok(after - before < times, `held ${before} files and handles before, ${after} after ${times} times`);
    assert.equal(await valueOf(trial.store, records, ['k']), times - 1);
  }),
];
