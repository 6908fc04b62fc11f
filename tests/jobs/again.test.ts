// A job that is over can be submitted again: the new one is given the same, and owes nothing to the old one.
import { expect, it, onTestFinished } from 'vitest';
import { JobStateError, Statek, type Driver } from '../../src/index.ts';

const echo: Driver = {
  role: 'echo',
  next: ({ event, input, messages }) =>
    event.kind === 'step'
      ? { finish: [event.step.value, (input as string).length] }
      : { run: `text.length + ${JSON.stringify(messages.map(({ body }) => String(body)).join())}` },
};

it('is given input, variables, the first message, labels and priority, however large', async () => {
  const kit = await Statek.open({ store: 'memory:', drivers: [echo] });
  onTestFinished(() => kit.close());
  const large = 'x'.repeat(50_000);
  const first = await kit.submit(echo, {
    id: 'first',
    input: large,
    vars: { text: large },
    message: 'hello',
    labels: ['a'],
    priority: 7,
  });
  await expect(first.again()).rejects.toThrow(JobStateError);
  expect(await first.result()).toEqual(['50000hello', 50_000]);
  const id = await first.again({ id: 'second' });
  await expect(first.again({ id: 'second' })).rejects.toThrow('There is a job');
  // Nothing of it is kept in the old one.
  await first.delete();
  const second = await kit.job(id);
  expect(await second.result()).toEqual(['50000hello', 50_000]);
  expect([second.labels, second.priority]).toEqual([['a'], 7]);
});
