// What is kept and what is freed.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { mustCommit, openStore, scanAll, type CommitResult, type Store, type Transaction } from '../../store/door.ts';
import { collections, commits } from '../collections.ts';
import type { CommitHash, History, RetentionPolicy } from '../history.ts';
import { bootImage } from '../images/image.ts';
import { pageBytes } from '../limits.ts';
import { openHistory } from '../open.ts';
import { planRetention } from './retention.ts';
import { transactionOf } from '../../../tests/support/image-program.ts';

const header = new Uint8Array(0);
const boot = bootImage({ bytes: new Uint8Array(pageBytes).fill(1), header });
let clock: ManualClock;
let store: Store;
let history: History;
let hashes: CommitHash[];

beforeEach(async () => {
  clock = new ManualClock(0);
  store = await openStore('memory:retention');
  history = await openHistory(store, { clock });
  const created = await history.create('main', boot);
  await mustCommit(store, transactionOf(created));
  hashes = [created.hash, ...(await commitMany('main', 50))];
});

afterEach(() => store.close());

async function commitMany(chain: string, count: number): Promise<CommitHash[]> {
  const opened = await history.open(chain);
  let { head } = opened;
  let previous = opened.image.bytes;
  const made: CommitHash[] = [];
  for (let index = 0; index < count; index++) {
    clock.advance(1000);
    const current = new Uint8Array(pageBytes).fill(head.commit.sequence, 0, 100);
    const prepared = history.prepare(head, { previous, current, header });
    head = prepared.committed(await mustCommit(store, transactionOf(prepared)));
    previous = current;
    made.push(prepared.hash);
  }
  return made;
}

/** The store, with something done before each transaction that drops a commit. */
function beforeDrops(target: Store, action: () => Promise<void>): Store {
  const commit = async (transactions: readonly Transaction[]): Promise<readonly CommitResult[]> => {
    const drops = transactions.some(({ writes = [] }) => writes.some((write) => write.collection === commits));
    if (drops) await action();
    return target.commit(transactions);
  };
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'commit') return commit;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

async function sequences(chain = 'main'): Promise<number[]> {
  return (await history.list(chain, { limit: 1000 })).commits.map(({ sequence }) => sequence);
}

async function entries(): Promise<number> {
  let count = 0;
  for (const collection of collections.filter(({ name }) => name !== 'history_collector')) {
    for await (const entry of scanAll(store, collection, {})) count += entry.key.length > 0 ? 1 : 0;
  }
  return count;
}

const code = (name: string): unknown => expect.objectContaining({ code: name });

describe('a policy', () => {
  const candidates = Array.from({ length: 10 }, (_, sequence) => ({
    chain: 'a',
    sequence,
    time: sequence * 100,
    path: [['a', sequence, 1, 1]] as [string, ...number[]][],
  }));
  const bytes = new Map(candidates.map(({ sequence }) => [`a ${sequence}`, 10]));
  const kept = (policy: RetentionPolicy, ...tagged: number[]): number[] => {
    const dropped = new Set(planRetention(candidates, new Set(tagged), bytes, policy, 1000));
    return candidates.filter((each) => !dropped.has(each)).map(({ sequence }) => sequence);
  };

  it('keeps what any of its terms keeps', () => {
    expect(kept({ last: 2 })).toEqual([8, 9]);
    expect(kept({ last: 2 }, 3)).toEqual([3, 8, 9]);
    expect(kept({ last: 0 })).toEqual([9]);
    expect(kept({ last: 1, youngerThan: 301 })).toEqual([7, 8, 9]);
    expect(kept({})).toHaveLength(10);
  });

  it('stays within its bytes, tags and head first', () => {
    expect(kept({ bytes: 35 })).toEqual([7, 8, 9]);
    expect(kept({ bytes: 35 }, 0, 1)).toEqual([0, 1, 9]);
    expect(kept({ bytes: 0 })).toEqual([9]);
  });
});

describe('retention and gc', () => {
  it('drop and free what is not kept, and nothing else', async () => {
    await mustCommit(store, transactionOf(await history.tag('main', hashes[7] ?? '', 'good')));
    expect(await history.retain('main', { last: 3 })).toEqual({ kept: 4, dropped: 47 });
    expect(await sequences()).toEqual([50, 49, 48, 7]);
    const report = await history.gc();
    expect(report.packsRemoved).toBeGreaterThan(20);
    expect(report.packsRemoved + report.packsStillNeeded).toBe(46);
    for (const hash of [7, 48, 49, 50].map((index) => hashes[index] ?? '')) await history.checkout('main', hash);
    await expect(history.checkout('main', hashes[8] ?? '')).rejects.toThrow(code('HISTORY_UNKNOWN_COMMIT'));
    await expect(history.tag('main', hashes[8] ?? '', 'late')).rejects.toThrow(code('HISTORY_UNKNOWN_COMMIT'));
  });

  it('do not part a tag from its commit, whichever comes first', async () => {
    const late = await history.tag('main', hashes[5] ?? '', 'late');
    await history.retain('main', { last: 1 });
    expect((await store.commit([transactionOf(late)]))[0]?.status).toBe('conflict');
    expect(await history.tags('main')).toEqual([]);
  });

  it('keep a commit that is tagged while others are being dropped', async () => {
    const tag = await history.tag('main', hashes[5] ?? '', 'just in time');
    let tagged = false;
    const watched = beforeDrops(store, async () => {
      if (!tagged) await store.commit([transactionOf(tag)]);
      tagged = true;
    });
    await (await openHistory(watched, { clock })).retain('main', { last: 1 });
    expect(await sequences()).toEqual([50, 5]);
  });

  it('leave a fork whole when its origin is removed, and free everything in the end', async () => {
    await mustCommit(store, transactionOf(await history.fork('main', hashes[40] ?? '', 'fork')));
    const before = (await history.open('fork')).image.bytes;
    await history.remove('main');
    await expect(history.open('main')).rejects.toThrow(code('HISTORY_UNKNOWN_CHAIN'));
    expect((await history.gc()).packsStillNeeded).toBeGreaterThan(0);
    await expect(history.create('main', boot)).rejects.toThrow(/still needed/);
    const fresh = await openHistory(store);
    expect(Buffer.compare((await fresh.open('fork')).image.bytes, before)).toBe(0);
    expect(await sequences('fork')).toEqual([41]);
    await history.remove('fork');
    const report = await history.gc();
    expect(report).toMatchObject({ packsStillNeeded: 0, bootsRemoved: 1 });
    expect(await entries()).toBe(0);
    await mustCommit(store, transactionOf(await history.create('main', boot)));
  });

  it('do not take a boot image from a chain that is being created', async () => {
    await history.remove('main');
    const creating = await history.create('next', boot);
    await history.gc();
    expect((await store.commit([transactionOf(creating)]))[0]?.status).toBe('conflict');
    await mustCommit(store, transactionOf(await history.create('next', boot)));
    await history.gc();
    await history.open('next');
  });

  it('refuse a commit on a head that was removed', async () => {
    const { head, image } = await history.open('main');
    const prepared = history.prepare(head, { previous: image.bytes, current: new Uint8Array(pageBytes), header });
    await history.remove('main');
    expect((await store.commit([transactionOf(prepared)]))[0]?.status).toBe('conflict');
  });

  it('apply policies to all chains, report progress and can be stopped', async () => {
    const phases: string[] = [];
    const report = await history.gc({ retention: { last: 5 }, onProgress: ({ phase }) => phases.push(phase) });
    expect(report.commitsDropped).toBe(46);
    expect(phases).toEqual(['retention', 'packs']);
    await expect(history.gc({ signal: AbortSignal.abort(), retention: { last: 1 } })).rejects.toThrow(/abort/i);
    expect(await sequences()).toHaveLength(5);
  });

  it('work beside each other', async () => {
    const sameStore = await openStore('memory:retention');
    const other = await openHistory(sameStore, { clock });
    await Promise.all([history.gc({ retention: { last: 20 } }), other.gc({ retention: { last: 10 } }), other.gc()]);
    expect(await sequences()).toHaveLength(10);
    for (const hash of hashes.slice(-10)) await history.checkout('main', hash);
    await sameStore.close();
  });
});
