// What each verb of the history promises, one by one.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { mustCommit, openStore, scanAll, type Store } from '../store/door.ts';
import { bootParts, commits } from './collections.ts';
import type { Head, History, PreparedChange } from './history.ts';
import { bootImage, changedPages, copyPages } from './images/image.ts';
import { pageBytes } from './limits.ts';
import { openHistory } from './open.ts';
import { readPath } from './images/path.ts';
import { transactionOf } from '../../tests/support/image-program.ts';

const header = new Uint8Array([1, 2, 3]);
const clock = new ManualClock(5000);
const boot = bootImage({ bytes: new Uint8Array(4 * pageBytes).fill(1, 0, 5000), header });
let store: Store;
let history: History;

beforeEach(async () => {
  store = await openStore('memory:');
  history = await openHistory(store, { clock });
  await mustCommit(store, transactionOf(await history.create('main', boot, { step: 0 })));
});

/** Commits `count` changes, each of which writes its number into one word. */
async function grow(chain: string, count: number): Promise<PreparedChange[]> {
  const { image, head: opened } = await history.open(chain);
  let head: Head = opened;
  const done: PreparedChange[] = [];
  for (let index = 0; index < count; index++) {
    const current = new Uint8Array(image.bytes);
    new DataView(current.buffer).setUint32((head.commit.sequence * 4) % current.length, index + 1);
    const change = { previous: image.bytes, current, header, dirtyPages: changedPages(image.bytes, current) };
    const prepared = history.prepare(head, change, { step: index + 1 });
    clock.advance(10);
    head = prepared.committed(await mustCommit(store, transactionOf(prepared)));
    copyPages(current, image.bytes, prepared.changedPages);
    done.push(prepared);
  }
  return done;
}

const code = (name: string): unknown => expect.objectContaining({ code: name });

it('loads a boot image once for all who open programs at the same time', async () => {
  const chains = Array.from({ length: 20 }, (_, index) => `program ${index}`);
  for (const chain of chains) await mustCommit(store, transactionOf(await history.create(chain, boot, { step: 0 })));
  const read = vi.spyOn(store, 'read');
  const other = await openHistory(store, { clock });
  const opened = await Promise.all(chains.map((chain) => other.open(chain)));
  expect(opened.map(({ image }) => Buffer.compare(image.bytes, boot.bytes))).toEqual(chains.map(() => 0));
  expect(read.mock.calls.filter(([collection]) => collection === bootParts)).toHaveLength(1);
});

it('tries again to load a boot image that could not be read', async () => {
  const other = await openHistory(store, { clock });
  const { read } = store;
  const unreachable = vi.spyOn(store, 'read').mockImplementation((collection, ...rest) => {
    if (collection === bootParts) throw new Error('out of reach');
    return read.call(store, collection, ...rest);
  });
  await expect(other.open('main')).rejects.toThrow('out of reach');
  unreachable.mockRestore();
  expect((await other.open('main')).image.bytes).toEqual(boot.bytes);
});

describe('committing', () => {
  it('gives each commit a hash that binds parent, image and metadata', async () => {
    const { head, image } = await history.open('main');
    const current = new Uint8Array(image.bytes);
    const change = { previous: image.bytes, current, header };
    const empty = history.prepare(head, change, { a: 1, b: 2 });
    expect(history.prepare(head, change, { b: 2, a: 1 }).hash).toBe(empty.hash);
    expect(history.prepare(head, change, { a: 1, b: 3 }).hash).not.toBe(empty.hash);
    current[0] = 77;
    expect(history.prepare(head, change, { a: 1, b: 2 }).hash).not.toBe(empty.hash);
  });

  it('stores only what changed, and nothing for an image that did not', async () => {
    const { head, image } = await history.open('main');
    const change = { previous: image.bytes, current: new Uint8Array(image.bytes), header };
    const same = history.prepare(head, change);
    expect(same.commit.storedBytes).toBe(0);
    change.current[9000] = 1;
    const changed = history.prepare(head, change);
    expect(changed.changedPages).toEqual([2]);
    expect(changed.commit.storedBytes).toBeLessThan(120);
    expect(changed.commit.changed).toEqual({ pages: 1, bytes: 4 });
  });

  it('lets one of two commits on the same head through', async () => {
    const one = await history.open('main');
    const two = await history.open('main');
    const current = new Uint8Array(one.image.bytes).fill(5);
    const first = history.prepare(one.head, { previous: one.image.bytes, current, header });
    const second = history.prepare(two.head, { previous: two.image.bytes, current, header }, { other: true });
    const results = await store.commit([first, second].map(transactionOf));
    expect(results.map(({ status }) => status)).toEqual(['committed', 'conflict']);
    expect((await history.head('main')).hash).toBe(first.hash);
  });

  it('refuses a head that was used, and an image that is not its own', async () => {
    const { head, image } = await history.open('main');
    const change = { previous: image.bytes, current: new Uint8Array(image.bytes).fill(5), header };
    const prepared = history.prepare(head, change);
    const next = prepared.committed(await mustCommit(store, transactionOf(prepared)));
    expect(() => history.prepare(head, change)).toThrow(code('HISTORY_STALE_HEAD'));
    const short = { ...change, previous: new Uint8Array(pageBytes) };
    expect(() => history.prepare(next, short)).toThrow(code('HISTORY_ARGUMENT'));
    expect(() => history.prepare(next, { ...change, current: new Uint8Array(100) })).toThrow(code('HISTORY_ARGUMENT'));
    expect(() => history.prepare(next, { ...change, dirtyPages: [2, 1] })).toThrow(code('HISTORY_ARGUMENT'));
  });

  it('refuses what is larger than its limits', async () => {
    const small = await openHistory(store, {
      limits: { imageBytes: 4 * pageBytes, headerBytes: 3, metadataBytes: 20 },
    });
    const { head, image } = await small.open('main');
    const change = { previous: image.bytes, current: new Uint8Array(image.bytes), header };
    const large = { ...change, current: new Uint8Array(5 * pageBytes) };
    expect(() => small.prepare(head, large)).toThrow(code('HISTORY_TOO_LARGE'));
    expect(() => small.prepare(head, { ...change, header: new Uint8Array(4) })).toThrow(code('HISTORY_TOO_LARGE'));
    expect(() => small.prepare(head, change, 'x'.repeat(30))).toThrow(code('HISTORY_TOO_LARGE'));
  });

  it('can tell when a producer forgets a dirty page', async () => {
    const strict = await openHistory(store, { verifyDirtyPages: true });
    const { head, image } = await strict.open('main');
    const current = new Uint8Array(image.bytes);
    current[3 * pageBytes] = 1;
    const change = { previous: image.bytes, current, header, dirtyPages: [0] };
    expect(() => strict.prepare(head, change)).toThrow(/first is 3/);
    const ranges = {
      ...change,
      dirtyPages: [3],
      dirtyRanges: [pageBytes, 2 * pageBytes, 3 * pageBytes + 32, 4 * pageBytes],
    };
    expect(() => strict.prepare(head, ranges)).toThrow(/Byte 12288/);
    ranges.dirtyRanges[2] = 3 * pageBytes;
    expect(strict.prepare(head, ranges).changedPages).toEqual([3]);
  });
});

describe('a long chain', () => {
  it('keeps the way to every image short', async () => {
    await grow('main', 700);
    const lengths: number[] = [];
    for await (const { value } of scanAll(store, commits, {})) lengths.push(readPath(value.path).length);
    expect(Math.max(...lengths)).toBeLessThan(48);
    const again = await openHistory(store);
    const { head, image } = await again.open('main');
    const next = again.prepare(head, { previous: image.bytes, current: new Uint8Array(image.bytes).fill(9), header });
    const warm = await history.open('main');
    expect(history.prepare(warm.head, { previous: warm.image.bytes, current: image.bytes, header }).commit.parent).toBe(
      next.commit.parent,
    );
  });
});

describe('finding', () => {
  it('lists newest first, page by page, through forks', async () => {
    const made = await grow('main', 10);
    await mustCommit(store, transactionOf(await history.fork('main', made[3]?.hash ?? '', 'fork', { forked: true })));
    await grow('fork', 3);
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await history.list('fork', { limit: 3, cursor });
      listed.push(...page.commits.map(({ chain, sequence }) => `${chain} ${sequence}`));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(listed).toEqual(['fork 8', 'fork 7', 'fork 6', 'fork 5', 'main 4', 'main 3', 'main 2', 'main 1', 'main 0']);
  });

  it('finds what a fork shares, not what came after it', async () => {
    const made = await grow('main', 5);
    await mustCommit(store, transactionOf(await history.fork('main', made[1]?.hash ?? '', 'fork')));
    expect((await history.find('fork', made[0]?.hash ?? '')).sequence).toBe(1);
    await expect(history.find('fork', made[2]?.hash ?? '')).rejects.toThrow(code('HISTORY_UNKNOWN_COMMIT'));
    await expect(history.find('main', 'ff'.repeat(32))).rejects.toThrow(code('HISTORY_UNKNOWN_COMMIT'));
    await expect(history.find('main', 'nonsense')).rejects.toThrow(code('HISTORY_ARGUMENT'));
    await expect(history.open('nobody')).rejects.toThrow(code('HISTORY_UNKNOWN_CHAIN'));
    await expect(history.create('main', boot)).rejects.toThrow(code('HISTORY_CHAIN_EXISTS'));
  });

  it('hands out bytes of the caller’s own', async () => {
    const [made] = await grow('main', 1);
    const first = await history.checkout('main', made?.hash ?? '');
    const before = new Uint8Array(first.image.bytes);
    first.image.bytes.fill(0xee);
    expect(Buffer.compare((await history.checkout('main', made?.hash ?? '')).image.bytes, before)).toBe(0);
  });
});

describe('rolling back', () => {
  it('adds a commit with the old image, which costs no image', async () => {
    const made = await grow('main', 6);
    const old = await history.checkout('main', made[1]?.hash ?? '');
    const prepared = await history.rollback('main', made[1]?.hash ?? '', { why: 'test' });
    await mustCommit(store, transactionOf(prepared));
    const { commit, image } = await history.open('main');
    expect(commit).toMatchObject({ sequence: 7, parent: made[5]?.hash, storedBytes: 0, metadata: { why: 'test' } });
    expect(Buffer.compare(image.bytes, old.image.bytes)).toBe(0);
    await grow('main', 2);
    expect((await history.list('main')).commits).toHaveLength(10);
  });

  it('conflicts with a commit made meanwhile', async () => {
    const made = await grow('main', 2);
    const prepared = await history.rollback('main', made[0]?.hash ?? '');
    await grow('main', 1);
    expect((await store.commit([transactionOf(prepared)]))[0]?.status).toBe('conflict');
  });
});
