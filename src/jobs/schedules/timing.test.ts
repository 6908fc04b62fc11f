// When schedules are due, over changes of the clocks, outages and jobs that take too long.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTiming, decide, maxWaiting, nextTime, type DueSchedule, type Timing } from './timing.ts';

const berlin = (cron: string): Timing => ({ kind: 'cron', cron, timeZone: 'Europe/Berlin' });
const times = (timing: Timing, from: string, count: number): string[] => {
  const found: string[] = [];
  for (let at: number | undefined = Date.parse(from); found.length < count;) {
    at = nextTime(timing, at);
    if (at === undefined) break;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
};

describe('times', () => {
  it('are those of the wall clock, in spring and autumn too', () => {
    expect(times(berlin('30 2 * * *'), '2026-03-28T00:00Z', 3)).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(times(berlin('30 2 * * *'), '2026-10-24T12:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(times(berlin('0 * * * *'), '2026-10-24T23:30Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ]);
    const newYork: Timing = { kind: 'cron', cron: '0 9 * * MON', timeZone: 'America/New_York' };
    expect(times(newYork, '2026-03-02T00:00Z', 2)).toEqual(['2026-03-02T14:00', '2026-03-09T13:00']);
  });

  it('of intervals are counted from their beginning, and one that is once comes once', () => {
    const every: Timing = { kind: 'every', milliseconds: 60_000, from: 30_000 };
    expect([nextTime(every, 0), nextTime(every, 30_000), nextTime(every, 95_000)]).toEqual([30_000, 90_000, 150_000]);
    expect([nextTime({ kind: 'once', at: 5 }, 4), nextTime({ kind: 'once', at: 5 }, 5)]).toEqual([5, undefined]);
  });

  it('always come later than the one before', () => {
    const timing = fc.constantFrom<Timing>(berlin('*/7 * * * *'), berlin('15 2,3 * * 0'), {
      kind: 'every',
      milliseconds: 1000,
      from: 17,
    });
    fc.assert(
      fc.property(timing, fc.integer({ min: 0, max: 2 ** 42 }), (one, at) => {
        expect(nextTime(one, at)).toBeGreaterThan(at);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [{ kind: 'cron', cron: 'never', timeZone: 'UTC' }, /'never' is not a cron expression/],
    [{ kind: 'cron', cron: '0 0 30 2 *', timeZone: 'UTC' }, /it never comes/],
    [{ kind: 'cron', cron: '0 0 * * *', timeZone: 'Mars/Olympus' }, /'Mars\/Olympus' is not a time zone/],
    [{ kind: 'every', milliseconds: 10, from: 0 }, /1,000 at least/],
  ] as const)('%j is refused', (timing, message) => {
    expect(() => checkTiming(timing)).toThrow(message);
  });
});

const minute = 60_000;
const every = (more: Partial<DueSchedule>): DueSchedule => ({
  timing: { kind: 'every', milliseconds: minute, from: 0 },
  missed: 'once',
  overlap: 'queue',
  next: minute,
  waiting: [],
  ...more,
});

describe('what was missed', () => {
  const late = 10 * minute + 30_000;
  it('is skipped, made up for once, or all of it', () => {
    expect(decide(every({ missed: 'skip' }), late, false)).toMatchObject({
      fire: 10 * minute,
      skipped: 9,
      next: 11 * minute,
    });
    expect(decide(every({ missed: 'once' }), late, false)).toMatchObject({ fire: 10 * minute, skipped: 9 });
    expect(decide(every({ missed: 'all' }), late, false)).toMatchObject({
      fire: minute,
      waiting: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => n * minute),
      skipped: 0,
    });
    const hour = { kind: 'every', milliseconds: 60 * minute, from: 0 } as const;
    const hourly = every({ timing: hour, next: 60 * minute });
    expect(decide({ ...hourly, missed: 'skip' }, 90 * minute, false)).toMatchObject({ fire: undefined, skipped: 1 });
    expect(decide({ ...hourly, missed: 'once' }, 190 * minute, false)).toMatchObject({
      fire: 180 * minute,
      skipped: 2,
    });
  });

  it('is bounded', () => {
    const decision = decide(every({ missed: 'all' }), 5000 * minute, true);
    expect(decision.waiting).toHaveLength(maxWaiting);
    expect(decision.skipped).toBe(4000);
    expect(decision.next).toBe(5001 * minute);
  });
});

describe('a job that is not over yet', () => {
  it('lets the next one wait, skips it, or is cancelled', () => {
    expect(decide(every({}), minute, true)).toMatchObject({ fire: undefined, waiting: [minute], skipped: 0 });
    expect(decide(every({ next: 2 * minute, waiting: [minute] }), 90_000, false)).toMatchObject({
      fire: minute,
      waiting: [],
    });
    expect(decide(every({ overlap: 'skip' }), minute, true)).toMatchObject({
      fire: undefined,
      skipped: 1,
      waiting: [],
    });
    expect(decide(every({ overlap: 'cancel' }), minute, true)).toMatchObject({ fire: minute, cancels: true });
    expect(decide(every({ overlap: 'cancel' }), minute, false)).toMatchObject({ fire: minute, cancels: false });
  });
});

it('every time is fired, waits or is counted as skipped, whatever happens', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('skip' as const, 'once' as const, 'all' as const),
      fc.constantFrom('queue' as const, 'skip' as const, 'cancel' as const),
      fc.array(fc.record({ pass: fc.integer({ min: 0, max: 20 * minute }), isActive: fc.boolean() }), {
        maxLength: 20,
      }),
      (missed, overlap, rounds) => {
        let due: Pick<DueSchedule, 'next' | 'waiting'> = { next: minute, waiting: [] };
        let [now, skipped] = [0, 0];
        const fired: number[] = [];
        for (const { pass, isActive } of rounds) {
          now += pass;
          const decision = decide(every({ missed, overlap, ...due }), now, isActive);
          skipped += decision.skipped;
          if (decision.fire !== undefined) fired.push(decision.fire);
          due = { next: decision.next, waiting: decision.waiting };
          expect(fired.length + skipped + decision.waiting.length).toBe(Math.floor(now / minute));
        }
        expect(new Set(fired).size).toBe(fired.length);
      },
    ),
    { numRuns: 500 },
  );
});
