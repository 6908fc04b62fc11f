// Followers: each reads at its own pace, ends when it wants to, and harms nobody.
import assert from 'node:assert/strict';
import { StoreClosedError } from '../../errors.ts';
import type { ChangeSet, Store } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { records } from './collections.ts';
import { numbers, put, refuses, take, write } from '../model/steps.ts';

async function fill(store: Store, count: number): Promise<void> {
  for (let start = 0; start < count; start += 1000) {
    const size = Math.min(1000, count - start);
    await store.commit(numbers(size).map((offset) => ({ writes: [put(records, [start + offset], null)] })));
  }
}

/** The revisions seen until the signal ends it. */
async function seenUntil(changes: AsyncIterable<ChangeSet>): Promise<number[]> {
  const seen: number[] = [];
  for await (const set of changes) seen.push(set.revision);
  return seen;
}

export const followerCases = [
  conformanceCase('followers: a long backlog comes whole, to each from where it began', async ({ store }) => {
    const count = 6000;
    await fill(store, count);
    const starts = [0, 1, 511, 512, 513, 4096, 5999];
    const followers = await Promise.all(starts.map((since) => take(store, count - since, { since })));
    for (const [index, sets] of followers.entries()) {
      const since = starts[index] ?? 0;
      assert.deepEqual(
        sets.map((set) => set.revision),
        numbers(count - since).map((offset) => since + offset + 1),
      );
    }
  }),

  conformanceCase('followers: a slow one misses nothing and holds up nobody', async ({ store }) => {
    const count = 5500;
    const slow = store.follow({ since: 0 })[Symbol.asyncIterator]();
    const slowSeen: number[] = [];
    await write(store, put(records, ['first'], 1));
    slowSeen.push(((await slow.next()).value as ChangeSet).revision);
    // The slow one stops here, while the rest of the world goes on for longer than any window.
    await fill(store, count - 1);
    const quick = await take(store, count, { since: 0 });
    assert.equal(quick.length, count);
    while (slowSeen.length < count) slowSeen.push(((await slow.next()).value as ChangeSet).revision);
    assert.deepEqual(
      slowSeen,
      numbers(count).map((index) => index + 1),
    );
    await slow.return?.();
  }),

  conformanceCase('followers: one that throws or stops harms nobody', async ({ store }) => {
    const steady = take(store, 50, { since: 0 });
    const thrower = (async () => {
      for await (const set of store.follow({ since: 0 })) if (set.revision === 3) throw new Error('my own fault');
    })();
    const stopper = take(store, 2, { since: 0 });
    const caught = assert.rejects(thrower, /my own fault/);
    for (const index of numbers(50)) await write(store, put(records, [index], index));
    await caught;
    assert.equal((await stopper).length, 2);
    assert.equal((await steady).length, 50);
  }),

  conformanceCase('followers: two at different places in the feed, while it grows', async ({ store }) => {
    await fill(store, 700);
    const first = take(store, 900, { since: 0 });
    const second = take(store, 250, { since: 650 });
    for (const index of numbers(100)) await write(store, put(records, [index], index));
    const third = take(store, 150, { since: 750 });
    for (const index of numbers(100)) await write(store, put(records, [index], index));
    for (const [sets, start] of [
      [await first, 0],
      [await second, 650],
      [await third, 750],
    ] as const) {
      assert.deepEqual(
        sets.map((set) => set.revision),
        numbers(900 - start).map((offset) => start + offset + 1),
      );
    }
  }),

  conformanceCase('followers: an abort ends the iteration without an error', async ({ store }) => {
    await fill(store, 10);
    const aborted = AbortSignal.abort();
    assert.deepEqual(await seenUntil(store.follow({ since: 0, signal: aborted })), []);
    const waiting = new AbortController();
    const ended = seenUntil(store.follow({ since: 8, signal: waiting.signal }));
    for await (const set of store.follow({ since: 9 })) if (set.revision === 10) break;
    waiting.abort();
    assert.ok((await ended).every((revision) => revision > 8));
    const midway = new AbortController();
    const seen: number[] = [];
    for await (const set of store.follow({ since: 0, signal: midway.signal })) {
      seen.push(set.revision);
      if (set.revision === 4) midway.abort();
    }
    assert.deepEqual(seen, [1, 2, 3, 4]);
  }),

  conformanceCase('followers: closing the store ends them with StoreClosedError', async ({ store, open }) => {
    const other = await open();
    await write(store, put(records, ['a'], 1));
    const waiting = refuses(StoreClosedError, () => take(store, 2, { since: 0 }));
    const elsewhere = take(other, 2, { since: 0 });
    await take(store, 1, { since: 0 });
    await store.close();
    await waiting;
    await write(other, put(records, ['b'], 1));
    assert.equal((await elsewhere).length, 2);
  }),

  conformanceCase('followers: many of them', async ({ store }) => {
    const start = await store.revision();
    const followers = numbers(100).map((index) =>
      take(store, 30 - (index % 5), { since: index % 5 === 0 ? 0 : start }),
    );
    for (const index of numbers(30)) await write(store, put(records, [index], index));
    for (const [index, sets] of (await Promise.all(followers)).entries()) {
      const first = sets[0]?.revision ?? 0;
      assert.deepEqual(
        sets.map((set) => set.revision),
        numbers(30 - (index % 5)).map((offset) => first + offset),
      );
    }
  }),
];
