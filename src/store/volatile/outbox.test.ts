import { expect, it } from 'vitest';
import { maxMessageLength, type VolatileMessage } from './message.ts';
import { Outbox } from './outbox.ts';

/** An outbox whose batches are answered one by one; the promise resolves with the batch that is being sent. */
function outboxWith(answers: readonly (boolean | Error)[]): { outbox: Outbox; sent: string[][]; done: Promise<void> } {
  const sent: string[][] = [];
  const left = [...answers];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const outbox = new Outbox((batch: readonly VolatileMessage[]) => {
    sent.push(batch.map(({ text }) => text.slice(0, 3)));
    const answer = left.shift();
    if (left.length === 0) resolve();
    if (answer instanceof Error) throw answer;
    return answer ?? true;
  });
  return { outbox, sent, done };
}

const add = (outbox: Outbox, ...texts: readonly string[]): void => {
  for (const text of texts) outbox.add({ channel: 'c', text });
};

it('sends what came together as one batch, and a batch again that could not be sent yet', async () => {
  const { outbox, sent, done } = outboxWith([false, true]);
  add(outbox, 'a', 'b');
  await done;
  expect(sent).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

it('never sends a batch again whose outcome is unknown', async () => {
  const { outbox, sent, done } = outboxWith([new Error('cut off'), true]);
  add(outbox, 'a', 'x'.repeat(maxMessageLength));
  await done;
  expect(sent).toEqual([['a'], ['xxx']]);
});

it('drops what is too much to hold', async () => {
  const { outbox, sent, done } = outboxWith([true, true, true]);
  const long = 'y'.repeat(maxMessageLength);
  add(outbox, `1${long.slice(1)}`, `2${long.slice(1)}`, `3${long.slice(1)}`, `4${long.slice(1)}`, `5${long.slice(1)}`);
  await done;
  expect(sent).toEqual([['1yy'], ['2yy'], ['3yy']]);
});
