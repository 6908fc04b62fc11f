// Damage: whatever byte of whatever the history keeps is changed, an image is refused with a code or is the right one.
import { beforeEach, expect, test } from 'vitest';
import { StatekError } from '../../src/base/error.ts';
import { bootParts, boots, chains, commits, hashes, leftovers, packs } from '../../src/history/collections.ts';
import type { CommitHash, History, Image } from '../../src/history/history.ts';
import { openHistory } from '../../src/history/open.ts';
import type { Collection } from '../../src/store/collection.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import { openStore } from '../../src/store/open.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import type { Entry, Store } from '../../src/store/store.ts';
import { Random } from '../crash/random.ts';
import { ImageProgram, randomBoot, sameImage, transactionOf } from '../support/image-program.ts';

let store: Store;
let images: { chain: string; hash: CommitHash; image: Image }[];
const seed = 7;

beforeEach(async () => {
  store = await openStore('memory:');
  images = [];
  const random = new Random(seed);
  const history = await openHistory(store);
  const boot = randomBoot(random);
  const created = await history.create('main', boot, { step: 0 });
  await mustCommit(store, transactionOf(created));
  images.push({ chain: 'main', hash: created.hash, image: boot });
  const program = new ImageProgram(boot, random);
  let { head } = await history.open('main');
  for (let step = 1; step <= 40; step++) {
    const prepared = history.prepare(head, program.run(), { step });
    head = prepared.committed(await mustCommit(store, transactionOf(prepared)));
    program.keep();
    images.push({ chain: 'main', hash: prepared.hash, image: program.image() });
  }
  const middle = images[20]?.hash ?? '';
  const forked = await history.fork('main', middle, 'fork');
  await mustCommit(store, transactionOf(forked));
  images.push({ chain: 'fork', hash: forked.hash, image: images[20]?.image ?? boot });
  await mustCommit(store, transactionOf(await history.tag('main', middle, 'middle')));
});

/** Reads everything; answers how many images were refused. A wrong image fails the test. */
async function refusals(history: History, what: string): Promise<number> {
  let refused = 0;
  const attempt = async (read: () => Promise<{ readonly image: Image }>, image: Image): Promise<void> => {
    try {
      const found = await read();
      expect(sameImage(found.image, image), `a wrong image after ${what}`).toBe(true);
    } catch (error) {
      if (!(error instanceof StatekError)) throw error;
      if (!/^HISTORY_(DAMAGED|FOREIGN|NEWER|UNKNOWN_CHAIN|UNKNOWN_COMMIT)$/.test(error.code)) throw error;
      refused++;
    }
  };
  for (const { chain, hash, image } of [images[0], images[5], images[33], images[41]].filter(
    (each) => each !== undefined,
  ))
    await attempt(() => history.checkout(chain, hash), image);
  await attempt(() => history.open('main'), images[40]?.image as Image);
  return refused;
}

async function entriesOf(collection: Collection): Promise<Entry<unknown>[]> {
  const entries: Entry<unknown>[] = [];
  for await (const entry of scanAll(store, collection, {})) entries.push(entry);
  return entries;
}

const put = (collection: Collection, { key }: Entry<unknown>, value: unknown): Promise<number> =>
  mustCommit(store, { writes: [{ kind: 'put', collection, key, value }] });

test('a flipped byte in any pack or boot image', async () => {
  const random = new Random(seed);
  for (const collection of [packs, bootParts]) {
    for (const entry of await entriesOf(collection)) {
      const bytes = entry.value as Uint8Array;
      const places = [
        0,
        4,
        6,
        8,
        12,
        bytes.length - 1,
        ...Array.from({ length: 3 }, () => random.between(0, bytes.length - 1)),
      ];
      for (const at of places) {
        const bad = new Uint8Array(bytes);
        bad[at] = (bad[at] ?? 0) ^ (1 << random.between(0, 7));
        await put(collection, entry, bad);
        await refusals(await openHistory(store), `a flip at byte ${at} of ${collection.name} ${String(entry.key)}`);
      }
      await put(collection, entry, bytes);
    }
  }
  expect(await refusals(await openHistory(store), 'nothing')).toBe(0);
});

test('a changed character in any record', async () => {
  const random = new Random(seed);
  for (const collection of [commits, chains, boots, hashes]) {
    for (const entry of await entriesOf(collection)) {
      const text = JSON.stringify(entry.value);
      for (let attempt = 0; attempt < 12; attempt++) {
        const at = random.between(0, text.length - 1);
        const bad =
          text.slice(0, at) +
          String.fromCharCode(text.charCodeAt(at) ^ (1 << random.between(0, 3))) +
          text.slice(at + 1);
        const value = parsed(bad);
        if (value === undefined || value === entry.value) continue;
        await put(collection, entry, value);
        await refusals(await openHistory(store), `${collection.name} ${String(entry.key)} became ${bad}`);
      }
      await put(collection, entry, entry.value);
    }
  }
  expect(await refusals(await openHistory(store), 'nothing')).toBe(0);
});

test('a missing or misplaced entry', async () => {
  for (const collection of [packs, commits, boots, bootParts]) {
    const entries = await entriesOf(collection);
    for (const [index, entry] of entries.entries()) {
      const other = entries[(index + 1) % entries.length];
      if (other !== undefined && other !== entry) {
        await put(collection, entry, other.value);
        await refusals(await openHistory(store), `a swap of ${collection.name} ${String(entry.key)}`);
      }
      // Without its newest commit a chain ends one earlier; to prevent that is the store's part.
      const isHead = collection === commits && entry.key.join() === 'main,40';
      if (!isHead) {
        await mustCommit(store, { writes: [{ kind: 'remove', collection, key: entry.key }] });
        await refusals(await openHistory(store), `the removal of ${collection.name} ${String(entry.key)}`);
      }
      await put(collection, entry, entry.value);
    }
  }
  expect(await refusals(await openHistory(store), 'nothing')).toBe(0);
});

test('garbage is not collected by what a damaged record says', async () => {
  const history = await openHistory(store);
  await history.retain('main', { last: 1 });
  for (const collection of [commits, leftovers]) {
    const entry = (await entriesOf(collection))[0] as Entry<Record<string, unknown>>;
    await put(collection, entry, { ...entry.value, path: [], parts: 99 });
    expect(await history.gc()).toMatchObject({ packsRemoved: 0, damaged: [expect.stringContaining('is damaged')] });
    await put(collection, entry, entry.value);
  }
  // Of a chain that cannot be read all commits count as needed, whatever it was forked from.
  const chain = (await entriesOf(chains)).find(({ key }) => key[0] === 'fork') as Entry<Record<string, unknown>>;
  await put(chains, chain, { ...chain.value, family: 'other' });
  const { packsRemoved, damaged } = await history.gc();
  expect(packsRemoved).toBeGreaterThan(0);
  expect(damaged).toEqual([expect.stringContaining("'fork' is damaged")]);
  await put(chains, chain, chain.value);
  expect(await history.gc()).toMatchObject({ packsRemoved: 0, damaged: [] });
  const fork = await history.open('fork');
  expect(sameImage(fork.image, images[41]?.image as Image)).toBe(true);
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
