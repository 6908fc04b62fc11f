// A request ends when nothing comes, when it takes too long, when too much comes, and when the caller says so.
import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ManualTime } from '../testing/manual-time.ts';
import { defaultReplyLimits, replyLimits, Watch, watchOf, type ReplyLimits } from './watch.ts';

function watchWith(limits: ReplyLimits, signal?: AbortSignal): { watch: Watch; time: ManualTime } {
  const time = new ManualTime();
  const { clock, sleep } = time;
  return { watch: new Watch({ limits: { ...defaultReplyLimits, ...limits }, clock, sleep, signal }), time };
}

const endless = (): Promise<never> => new Promise(() => undefined);

it('ends what is silent for too long, and not before', async () => {
  const { watch, time } = watchWith({ silence: 100 });
  const work = watch.during(endless);
  for (let step = 0; step < 5; step++) {
    time.advance(99);
    await settled();
    expect(watch.signal.aborted).toBe(false);
    watch.received(1);
  }
  time.advance(100);
  await expect(work).rejects.toMatchObject({
    code: 'MODEL_TIMEOUT',
    message: 'The model sent nothing for 0.1 seconds.',
  });
  expect(watch.signal.aborted).toBe(true);
});

it('ends what goes on for ever, byte by byte', async () => {
  const { watch, time } = watchWith({ silence: 100, duration: 1000 });
  const work = watch.during(endless);
  work.catch(() => undefined);
  for (let step = 0; step < 20; step++) {
    watch.received(1);
    time.advance(50);
    await settled();
  }
  await expect(work).rejects.toThrow('The model did not finish within 1 seconds.');
});

it('ends what says too much', async () => {
  const { watch } = watchWith({ replyBytes: 10 });
  const work = watch.during(endless);
  watch.received(10);
  expect(watch.signal.aborted).toBe(false);
  watch.received(1);
  await expect(work).rejects.toMatchObject({ code: 'MODEL_REPLY_TOO_LARGE' });
});

it('does not begin what is ended already', async () => {
  const { watch } = watchWith({}, AbortSignal.abort(new Error('too late')));
  let begun = false;
  const work = watch.during(async () => {
    begun = true;
  });
  await expect(work).rejects.toMatchObject({ code: 'MODEL_ABORTED' });
  expect(begun).toBe(false);
});

it('tells its own reason, whatever the work says when it is ended', async () => {
  const { watch, time } = watchWith({ silence: 100 });
  const work = watch.during(
    () => new Promise((_, reject) => watch.signal.addEventListener('abort', () => reject(new Error('socket hang up')))),
  );
  await settled();
  time.advance(100);
  await expect(work).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
});

it('leaves nothing behind when the work is done', async () => {
  const caller = new AbortController();
  const { watch, time } = watchWith({ silence: 100 }, caller.signal);
  expect(watchOf(watch.signal)).toBe(watch);
  expect(await watch.during(async () => 'done')).toBe('done');
  time.advance(1000);
  caller.abort();
  await settled();
  expect(watch.failure).toBeUndefined();
  expect(watch.signal.aborted).toBe(false);
});

it.each([
  [{ silence: 300_001 }, /'silence' must be a whole number from 1 to 300000/],
  [{ replyBytes: 1.5 }, /'replyBytes'/],
  [{ bytes: 5 } as ReplyLimits, /no option 'bytes'; it takes silence, duration, replyBytes/],
])('refuses %o', (limits, message) => {
  expect(() => replyLimits(limits)).toThrow(message);
});
