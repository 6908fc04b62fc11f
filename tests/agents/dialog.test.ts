// An agent that talks: what it writes is sent exactly as written, in order, once.
import { expect, it } from 'vitest';
import { DialogAgent, type ToolContext } from '../../src/index.ts';
import type { DialogAgentOptions } from '../../src/types.ts';
import type { ScriptStep } from '../../src/testing.ts';
import { lastMessage, stage } from './support/agents.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { ts } from './support/fences.ts';

async function dialog(script: readonly ScriptStep[], options: Partial<DialogAgentOptions> = {}) {
  const sent: { body: string; media: unknown; key: string }[] = [];
  const agent = new DialogAgent({
    role: 'clerk',
    metadata: { MODEL: 'script' },
    sendMessage: async (body: string, media: unknown, { idempotencyKey }: ToolContext) => {
      sent.push({ body, media, key: idempotencyKey });
    },
    ...options,
  });
  const { kit, model } = await stage([agent], script);
  const begin = async (message = 'Hello') => {
    const job = await kit.submit(agent, { id: 'talk', message });
    await kit.runUntilIdle();
    return job.refresh();
  };
  return { agent, kit, model, sent, begin };
}

it('talks in MD_DIALOG: prose before a fence is sent before its code runs', async () => {
  const { sent, begin, model } = await dialog([
    `One moment,\n\n  *please*.\n${ts('await answer("in between", { kind: "picture" })')}\nSo far.`,
    'It is `done`!\n\n```sh\nls\n```',
  ]);
  const job = await begin();
  expect(sent.map(({ body }) => body)).toEqual([
    'One moment,\n\n  *please*.',
    'in between',
    'So far.',
    'It is `done`!\n\n```sh\nls\n```',
  ]);
  expect(sent[1]?.media).toEqual({ kind: 'picture' });
  expect(new Set(sent.map(({ key }) => key)).size).toBe(4);
  expect(sent[0]?.key).toMatch(/^talk\/chat\/\d+\/\d+$/);
  expect([job.status, await job.result()]).toEqual(['DONE', 'It is `done`!\n\n```sh\nls\n```']);
  expect(lastMessage(model, 2)).toBe('<CONSOLE>\n(no output)\n</CONSOLE>');
});

it('sends prose in DIRECT too', async () => {
  const { sent, begin } = await dialog(
    [{ text: '\n  *I* look.', toolCalls: [{ name: 'ts_cli', input: { code: '1 + 1' } }] }, 'Two!\n\n```ts\nx\n```'],
    { chatStyle: 'DIRECT' },
  );
  await begin();
  expect(sent.map(({ body }) => body)).toEqual(['  *I* look.', 'Two!\n\n```ts\nx\n```']);
});

it('goes on when a message cannot be sent, and tells the model', async () => {
  const { begin, model } = await dialog([`Hi.\n${ts('1')}`, 'Bye.'], {
    sendMessage: async (body: string) => {
      if (body === 'Hi.') throw new Error('offline');
    },
  });
  const job = await begin();
  expect(await job.result()).toBe('Bye.');
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('may not have been delivered: Error: offline');
});

it('reminds once per message before an answer is given', async () => {
  const { agent, kit, begin, sent, model } = await dialog(['Sure.', 'Sure, Ann.', 'No.', 'No, Ann.']);
  await agent.setReminder('Did you greet the user by name?');
  const job = await begin();
  expect(sent.map(({ body }) => body)).toEqual(['Sure, Ann.']);
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    role: 'system',
    content: expect.stringContaining('by name?') as unknown,
  });
  await job.say('And now?');
  await kit.runUntilIdle();
  expect(sent.map(({ body }) => body)).toEqual(['Sure, Ann.', 'No, Ann.']);
});

it('reminds only in dialogs that are long enough, and again after work if told', async () => {
  const { agent, kit, begin, model } = await dialog(['One.', 'Two?', ts('1'), 'Two.', 'Two!']);
  await agent.setReminder('Check.', { minDialogLength: 2, everyAnswer: true });
  const job = await begin();
  expect(model.requests).toHaveLength(1);
  await job.say('Again?');
  await kit.runUntilIdle();
  expect(model.requests).toHaveLength(5);
  expect(await job.result()).toBe('Two!');
});

it('keeps the reminder by role in the store, for every process', async () => {
  const folder = storeFolder();
  const made = (): DialogAgent =>
    new DialogAgent({ role: 'clerk', metadata: { MODEL: 'script' }, sendMessage: () => undefined });
  const first = made();
  // Set before there is a kit, and again while there is one.
  await first.setReminder('Old.');
  const one = await stage([first], [], { store: folder });
  await first.setReminder('Be kind.', { minDialogLength: 1 });
  await one.kit.close();
  const second = made();
  const { kit, model } = await stage([second], ['Go away.', 'Come in.', 'Bye.'], { store: folder });
  const job = await kit.submit(second, { message: 'Hello' });
  expect(await job.result()).toBe('Come in.');
  expect(lastMessage(model, 2)).toContain('Be kind.');
  await second.setReminder(undefined);
  await job.say('Bye');
  expect([await job.result(), model.requests.length]).toEqual(['Bye.', 3]);
});
