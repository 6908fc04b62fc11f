// Long conversations stay inside the window of the model: old turns are folded, and can be unfolded again.
import { expect, it } from 'vitest';
import { lastMessage, played } from './support/agents.ts';
import { ts } from './support/fences.ts';

const sizeOf = (value: unknown): number => JSON.stringify(value).length / 4;

it('folds old turns, keeps the originals, and makes past requests again', async () => {
  const turns = 40;
  const { job, model } = await played(
    { contextTokens: 3000, limits: { turns: 100 } },
    [
      ...Array.from({ length: turns }, (_, index) => ts(`print("turn ${index} " + "x".repeat(400))`)),
      ts('print((await unfold(2, 3)).slice(0, 200))'),
      ts('exit("end")'),
    ],
    { message: 'Remember the word: heron.' },
  );
  expect(await job.result()).toBe('end');
  const sizes = model.requests.map(({ messages }) => sizeOf(messages));
  expect(Math.max(...sizes)).toBeLessThan(3000);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Remember the word: heron.');
  expect(lastMessage(model, turns + 2)).toContain('turn 0 x');
  const chat = await job.chat();
  expect(chat.filter(({ kind }) => kind === 'fold').length).toBeGreaterThan(1);
  expect(chat.filter(({ kind }) => kind === 'reply')).toHaveLength(turns + 2);
  for (const turn of [1, 20, 42]) {
    const { messages } = await job.request(turn);
    expect(messages).toEqual(model.requests[turn - 1]?.messages);
  }
});

it('tells nothing of hidden code', async () => {
  const { model, job } = await played(
    {},
    [...Array.from({ length: 8 }, () => ts('1')), { fault: 'context-too-long' }, ts('exit("end")')],
    { message: 'x', warmup: '//STATEK: hidden = True\nprint("secret")' },
  );
  expect(await job.result()).toBe('end');
  expect(JSON.stringify(model.requests)).not.toContain('secret');
});

it('folds when the provider says that the conversation is too long', async () => {
  const { job } = await played({}, [
    ...Array.from({ length: 8 }, (_, index) => ts(`print(${index})`)),
    { fault: 'context-too-long' },
    ts('exit("end")'),
  ]);
  expect(await job.result()).toBe('end');
  expect((await job.chat()).map(({ kind }) => kind)).toContain('fold');
});

it('shows both ends of a long console, and the rest on demand', async () => {
  const { model } = await played({ consoleCharacters: 200 }, [
    ts('print("begin " + "-".repeat(1000) + " middle " + "-".repeat(1000) + " end")'),
    ts('print((await unfold(3)).includes("middle"))'),
    ts('exit()'),
  ]);
  const shown = lastMessage(model, 2);
  expect(shown).toMatch(/^begin -+\n… \(1,\d\d\d characters are left out; await unfold\(3\) shows them\)\n-+ end$/);
  expect(lastMessage(model, 3)).toBe('true');
});
