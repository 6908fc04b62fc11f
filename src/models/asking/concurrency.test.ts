// Never more at once than allowed, first come first served, and who leaves the line holds nobody up.
import { setImmediate as settled } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Concurrency } from './concurrency.ts';

const never = new AbortController().signal;

function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

it('runs only so many at once, in order', async () => {
  const limit = new Concurrency(2);
  const log: string[] = [];
  const gates = [gate(), gate(), gate(), gate()];
  const runs = gates.map(({ opened }, index) =>
    limit.run(never, async () => {
      log.push(`begin ${index}`);
      await opened;
    }),
  );
  await settled();
  expect(log).toEqual(['begin 0', 'begin 1']);
  gates[1]?.open();
  await settled();
  expect(log).toEqual(['begin 0', 'begin 1', 'begin 2']);
  gates[0]?.open();
  gates[2]?.open();
  gates[3]?.open();
  await Promise.all(runs);
  expect(log.at(-1)).toBe('begin 3');
});

it('gives the place of a failure to the next', async () => {
  const limit = new Concurrency(1);
  await expect(limit.run(never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await limit.run(never, () => Promise.resolve('next'))).toBe('next');
});

it('lets one leave the line', async () => {
  const limit = new Concurrency(1);
  const { opened, open } = gate();
  const first = limit.run(never, () => opened);
  const leaving = new AbortController();
  const second = limit.run(leaving.signal, () => Promise.resolve('second'));
  const third = limit.run(never, () => Promise.resolve('third'));
  leaving.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  open();
  await first;
  expect(await third).toBe('third');
  await expect(limit.run(leaving.signal, () => Promise.resolve())).rejects.toThrow('gone');
});
