// What a job's program waits for: each wait ends once, with what came first.
import { expect, it } from 'vitest';
import { program, tool, type Driver, type PendingFuture } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';
import { caller } from './support/drivers.ts';

/** A driver whose source is its input. */
const anything = program({ role: 'anything', source: String });

async function pendingOf(all: AsyncIterable<PendingFuture>): Promise<PendingFuture[]> {
  const found: PendingFuture[] = [];
  for await (const one of all) found.push(one);
  return found;
}

it('ends waits by their time-outs, and only those that are still pending', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [anything], clock });
  const job = await kit.submit(anything, {
    input: `
      const name = (promise) => promise.then((value) => value, (error) => error.name + ' ' + error.code);
      await Promise.all([
        name(signal('never', { timeout: 100 })), name(ask('Who?', {}, { timeout: 100 })), name(approve('Really?', {}, { timeout: 100 })),
        name(signal('soon', { timeout: 100 })), name(Promise.race([sleep(50).then(() => 'slept'), signal('other')])),
      ])`,
  });
  await kit.runUntilIdle();
  await kit.signal('soon', 'came');
  clock.advance(100);
  expect(await job.result()).toEqual([
    'TimeoutError TIMEOUT',
    'TimeoutError TIMEOUT',
    'TimeoutError TIMEOUT',
    'came',
    'slept',
  ]);
});

it('keeps signals until they are taken, or the latest alone', async () => {
  const kit = await openKit({ drivers: [anything] });
  for (const value of [1, 2, 3]) await kit.signal('all', value);
  for (const value of [1, 2, 3]) await kit.signal('latest', value, { keep: 'latest' });
  const job = await kit.submit(anything, {
    input: `[await signal('all'), await signal('all'), await signal('latest'), await signal('latest', { timeout: 1 }).catch(() => 'none')]`,
  });
  expect(await job.result()).toEqual([1, 2, 3, 'none']);
});

it('asks and is told who decided what', async () => {
  const kit = await openKit({ drivers: [anything] });
  const input = `try { await approve('Delete it?', { file: 'a' }) } catch (error) { error.name + ': ' + error.message }`;
  const [yes, no] = await kit.submitAll(anything, [{ input }, { input }]);
  await kit.runUntilIdle();
  const all = await pendingOf(kit.pending({ kind: 'approve' }));
  expect(all.map(({ question, undecided }) => [question, undecided])).toEqual([
    ['Delete it?', true],
    ['Delete it?', true],
  ]);
  const idOf = (job: string): string => all.find((pending) => pending.job === job)?.id ?? '';
  await kit.approve(idOf(yes?.id ?? ''), { by: 'Ann', comment: 'fine' });
  await kit.deny(idOf(no?.id ?? ''), 'too early', { by: 'Ben' });
  await expect(kit.deny(idOf(yes?.id ?? ''))).rejects.toThrow(/over/);
  expect(await yes?.result()).toBe(true);
  expect(await no?.result()).toBe(`DeniedError: Denied by Ben, approve 'Delete it?': too early`);
  expect(await yes?.decisions()).toMatchObject([
    { question: 'Delete it?', approved: true, by: 'Ann', comment: 'fine', decided: expect.any(Date) as unknown },
  ]);
  expect(await no?.decisions()).toMatchObject([{ approved: false, by: 'Ben', comment: 'too early' }]);
  expect(await pendingOf(kit.pending())).toEqual([]);
});

it('makes a call only after somebody agreed to it', async () => {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    approval: (amount) => amount > 10,
    execute: async (amount: number) => paid.push(amount),
  });
  const kit = await openKit({ drivers: [anything], services: { pay } });
  const job = await kit.submit(anything, {
    input: `[await pay(5), await pay(50), await pay(500).catch((e) => e.name)]`,
    vars: { pay },
  });
  await kit.runUntilIdle();
  expect(paid).toEqual([5]);
  for (const decide of [(id: string) => kit.approve(id, { by: 'Ann' }), (id: string) => kit.deny(id)]) {
    const waiting = (await job.calls()).find(({ state }) => state === 'approval');
    await decide(waiting?.id ?? '');
    await kit.runUntilIdle();
  }
  expect(await job.result()).toEqual([1, 2, 'DeniedError']);
  expect(paid).toEqual([5, 50]);
  expect((await job.calls()).map(({ state, decision }) => [state, decision?.by])).toEqual([
    ['done', undefined],
    ['done', 'Ann'],
    ['failed', undefined],
  ]);
});

it('calls again what says so, with the same key', async () => {
  const clock = new ManualClock(1000);
  const keys: string[] = [];
  const flaky = tool({
    name: 'flaky',
    retry: { attempts: 3, backoff: 0 },
    execute: async (until: number, { attempt, idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (attempt < until) throw new Error(`attempt ${attempt}`);
      return attempt;
    },
  });
  const once = tool({ name: 'once', execute: async () => Promise.reject(new TypeError('no')) });
  const kit = await openKit({ drivers: [anything], services: { flaky, once }, clock });
  const job = await kit.submit(anything, {
    input: `[await flaky(2), await flaky(9).catch((e) => e.message), await once().catch((e) => e.name)]`,
    vars: { flaky, once },
  });
  expect(await job.result()).toEqual([2, 'attempt 3', 'TypeError']);
  expect(new Set(keys).size).toBe(2);
  expect((await job.calls()).map(({ attempts, state }) => [attempts.length, state])).toEqual([
    [2, 'done'],
    [3, 'failed'],
    [1, 'failed'],
  ]);
});

it('ends a call that takes too long, and uses outcomes again that are kept', async () => {
  let calls = 0;
  const slow = tool({
    name: 'slow',
    timeout: 5,
    execute: async (_: unknown, { abortSignal }) =>
      new Promise((_resolve, reject) => abortSignal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  const cached = tool({ name: 'cached', cache: { ttl: 60_000 }, execute: async (x: number) => x + ++calls });
  const kit = await openKit({ drivers: [anything], services: { slow, cached } });
  const job = await kit.submit(anything, {
    input: `[await slow(1).catch((e) => e.name), await cached(1), await cached(1), await cached(2)]`,
    vars: { slow, cached },
  });
  expect(await job.result()).toEqual(['TimeoutError', 2, 2, 4]);
  expect((await job.calls()).map((call) => call.cached)).toEqual([false, false, true, false]);
});

it('makes as many calls of a tool at once as it may', async () => {
  let running = 0;
  let most = 0;
  const narrow = tool({
    name: 'narrow',
    concurrency: 2,
    execute: async (x: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return x;
    },
  });
  const kit = await openKit({ drivers: [anything], services: { narrow } });
  const job = await kit.submit(anything, {
    input: `await Promise.all([1, 2, 3, 4, 5, 6].map((x) => narrow(x)))`,
    vars: { narrow },
  });
  expect(await job.result()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(most).toBe(2);
});

it('journals the calls of a driver, tries them again and bounds them', async () => {
  let tries = 0;
  const driver = caller({
    plain: async (input: number) => input + 100,
    flaky: tool({
      name: 'flaky',
      retry: { attempts: 2, backoff: 0 },
      execute: async () => (++tries < 2 ? Promise.reject(new Error('no')) : 'yes'),
    }),
    slow: tool({ name: 'slow', timeout: 5, execute: async () => new Promise(() => undefined) }),
    wrong: () => {
      throw new RangeError('wrong');
    },
  });
  const kit = await openKit({ drivers: [driver] });
  const job = await kit.submit(driver, { input: ['plain', 'flaky', 'slow', 'wrong', 'missing'] });
  expect(await job.result()).toEqual([100, 'yes', 'TimeoutError', 'RangeError', 'DriverMissingError']);
  expect((await job.calls()).map(({ name, by, state, attempts }) => [name, by, state, attempts.length])).toEqual([
    ['plain', 'driver', 'done', 1],
    ['flaky', 'driver', 'done', 2],
    ['slow', 'driver', 'failed', 1],
    ['wrong', 'driver', 'failed', 1],
    ['missing', 'driver', 'failed', 1],
  ]);
});

it('fails a job whose driver throws or says nothing, and no other', async () => {
  const thrower: Driver = {
    role: 'thrower',
    next: () => {
      throw new Error('bug');
    },
  };
  const silent = { role: 'silent', next: () => ({}) } as unknown as Driver;
  const kit = await openKit({ drivers: [thrower, silent, anything] });
  const jobs = await Promise.all([kit.submit(thrower), kit.submit(silent), kit.submit(anything, { input: '1' })]);
  await kit.runUntilIdle();
  const ended = await Promise.all(jobs.map((job) => job.refresh()));
  expect(ended.map(({ outcome, error }) => [outcome, error?.name])).toEqual([
    ['failed', 'Error'],
    ['failed', 'InvalidOptionError'],
    ['completed', undefined],
  ]);
});

it.each([
  { language: 'typescript' as const, source: 'pay(6); void sleep(5); exit("done")' },
  { language: 'python' as const, source: 'start(pay, 6)\nstart(sleep, 5)\nexit("done")' },
])('says in the console which calls a program in $language asked for and never made before it ended', async (given) => {
  const paid: number[] = [];
  const pay = async (amount: number): Promise<void> => void paid.push(amount);
  const hasty = program({ role: 'hasty', ...given });
  const kit = await openKit({ drivers: [hasty], services: { pay } });
  const job = await kit.submit(hasty, { vars: { pay } });
  expect([await job.result(), paid]).toEqual(['done', []]);
  expect(await job.console()).toContainEqual(
    expect.stringMatching(/^Never made, because the job ended first: pay\(…\)/),
  );
});
