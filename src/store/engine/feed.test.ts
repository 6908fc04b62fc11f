// The feed over an engine that can be made to wake late, lose rows or fail.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreClosedError, StoreCorruptError, StoreUnavailableError } from '../errors.ts';
import { Feed } from './feed.ts';
import { checkLogStart } from './horizon.ts';
import type { EncodedKey } from '../key.ts';
import type { LogRow } from './log.ts';

/** Just the part of an engine that the feed uses. */
class FakeLog {
  readonly rows: LogRow[] = [];
  readonly wakes = new Set<(rows?: readonly LogRow[]) => void>();
  horizon = 0;
  reads = 0;
  failure: Error | undefined;

  readonly feed = new Feed({
    revision: () => this.horizon + this.rows.length,
    onWake: (wake: (rows?: readonly LogRow[]) => void) => {
      this.wakes.add(wake);
      return () => this.wakes.delete(wake);
    },
    readLog: (after: number, limit: number) => {
      this.reads++;
      if (this.failure !== undefined) throw this.failure;
      checkLogStart(after, this.horizon);
      return this.rows.filter((row) => row.revision > after).slice(0, limit);
    },
  });

  add(count: number): void {
    for (let index = 0; index < count; index++) {
      const revision = this.horizon + this.rows.length + 1;
      this.rows.push({ revision, changes: [{ kind: 'put', collection: 0, key: `${revision}` as EncodedKey }] });
    }
  }

  wake(rows?: readonly LogRow[]): void {
    for (const wake of this.wakes) wake(rows);
  }

  async take(count: number, since: number | undefined): Promise<number[]> {
    const seen: number[] = [];
    for await (const row of this.feed.follow(since, undefined)) {
      seen.push(row.revision);
      if (seen.length === count) break;
    }
    return seen;
  }
}

const count = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the feed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is certain although a wake-up was lost', async () => {
    const log = new FakeLog();
    const seen = log.take(2, 0);
    await vi.advanceTimersByTimeAsync(10);
    log.add(2);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await seen).toStrictEqual([1, 2]);
  });

  test('a wake-up while it reads is not lost', async () => {
    const log = new FakeLog();
    const seen = log.take(1, 0);
    log.add(1);
    log.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(await seen).toStrictEqual([1]);
  });

  test('a missing revision is damage, not silence', async () => {
    const log = new FakeLog();
    log.add(3);
    log.rows.splice(1, 1);
    log.horizon = 0;
    log.add(1);
    await expect(log.take(4, 0)).rejects.toThrow(StoreCorruptError);
  });

  test('followers that keep up share one read of each row', async () => {
    const log = new FakeLog();
    log.add(1);
    const followers = Array.from({ length: 50 }, () => log.take(101, 0));
    await vi.advanceTimersByTimeAsync(0);
    const before = log.reads;
    for (let round = 0; round < 100; round++) {
      log.add(1);
      log.wake();
      await vi.advanceTimersByTimeAsync(0);
    }
    for (const seen of await Promise.all(followers)) expect(seen).toStrictEqual(count(1, 101));
    expect(log.reads - before).toBeLessThan(50 * 10);
  });

  test('one far behind catches up past the window, while another stays at the end', async () => {
    const log = new FakeLog();
    log.add(1);
    const quick = log.take(10_001, 0);
    const slow = log.feed.follow(0, undefined)[Symbol.asyncIterator]();
    const seen = [((await slow.next()).value as LogRow).revision];
    for (let round = 0; round < 100; round++) {
      log.add(100);
      log.wake();
      await vi.advanceTimersByTimeAsync(0);
    }
    expect((await quick).length).toBe(10_001);
    while (seen.length < 10_001) seen.push(((await slow.next()).value as LogRow).revision);
    expect(seen).toStrictEqual(count(1, 10_001));
  });

  test('an engine that fails fails the followers, and new ones go on when it is back', async () => {
    const log = new FakeLog();
    log.add(1);
    const failing = log.take(5, 1).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    log.failure = new StoreUnavailableError('away');
    log.wake();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await failing).toBeInstanceOf(StoreUnavailableError);
    log.failure = undefined;
    log.add(2);
    expect(await log.take(2, 1)).toStrictEqual([2, 3]);
  });

  test('rows this process committed are not read again, unless others came between', async () => {
    const log = new FakeLog();
    log.add(1);
    const taken = log.take(6, 0);
    await vi.advanceTimersByTimeAsync(0);
    const { reads } = log;
    for (let time = 0; time < 2; time++) {
      log.add(1);
      log.wake(log.rows.slice(-1));
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(log.reads).toBe(reads);
    // Another process commits first; its notification comes later.
    log.add(2);
    log.wake(log.rows.slice(-1));
    await vi.advanceTimersByTimeAsync(0);
    expect(log.reads).toBeGreaterThan(reads);
    log.add(1);
    log.wake();
    expect(await taken).toStrictEqual(count(1, 6));
    log.feed.close();
  });

  test('rows that are told while the log is being read are delivered once', async () => {
    const log = new FakeLog();
    log.add(1);
    const taken = log.take(3, 0);
    await vi.advanceTimersByTimeAsync(0);
    log.add(1);
    log.wake();
    log.add(1);
    log.wake(log.rows.slice(-2));
    expect(await taken).toStrictEqual([1, 2, 3]);
    log.feed.close();
  });

  test('closing ends it, and leaves no timer and no listener', async () => {
    const log = new FakeLog();
    const ended = log.take(1, 0).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(0);
    log.feed.close();
    expect(await ended).toBeInstanceOf(StoreClosedError);
    expect(vi.getTimerCount()).toBe(0);
    expect(log.wakes.size).toBe(0);
  });

  test('an abort while waiting leaves no timer', async () => {
    const log = new FakeLog();
    const aborter = new AbortController();
    const ended = (async () => {
      for await (const row of log.feed.follow(0, aborter.signal)) expect(row).toBeUndefined();
    })();
    await vi.advanceTimersByTimeAsync(0);
    aborter.abort();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
    log.feed.close();
  });
});
