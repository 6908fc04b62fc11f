// An agent is a definition: each kit it is open in makes its own of it, and none changes what it is in another.
import { z } from 'zod';
import { expect, it } from 'vitest';
import { Agent, DialogAgent } from '../../src/index.ts';
import { stage } from './support/agents.ts';

const metadata = { MODEL: 'script' };

it('is in each kit what the settings of that kit make of it', async () => {
  const agent = new Agent({ role: 'clerk', metadata });
  const first = await stage([agent], ['exit(1)', 'exit(3)'], { settings: { chatStyle: 'CONSOLE' } });
  const second = await stage([agent], ['```ts\nexit(2)\n```'], { settings: { chatStyle: 'MARKDOWN' } });
  const one = await first.kit.submit(agent, { message: 'x' });
  expect(await one.result()).toBe(1);
  expect((await one.definition()).style).toBe('CONSOLE');
  const two = await second.kit.submit(agent, { message: 'x' });
  expect(await two.result()).toBe(2);
  expect((await two.definition()).style).toBe('MARKDOWN');
  await second.kit.close();
  expect(await (await first.kit.submit(agent, { message: 'x' })).result()).toBe(3);
});

it('runs its tasks in the kit that was opened first, as long as that is open', async () => {
  const agent = new Agent({ role: 'clerk', metadata, chatStyle: 'CONSOLE' });
  const double = agent.task({ input: z.number(), output: z.number(), description: 'Doubles a number.' });
  const first = await stage([agent], ['exit(input * 2)', 'exit(input * 20)']);
  const second = await stage([agent], ['exit(input * 200)']);
  expect(await double(1)).toBe(2);
  expect(await double(1)).toBe(20);
  expect(await second.kit.countJobs()).toBe(0);
  await first.kit.close();
  expect(await double(1)).toBe(200);
  expect(await second.kit.countJobs()).toBe(1);
});

it('reminds in every kit it is open in, and in those that open later', async () => {
  const agent = new DialogAgent({ role: 'clerk', metadata, sendMessage: () => undefined });
  const first = await stage([agent], ['Hello.', 'Hello again.']);
  await agent.setReminder('Be polite.');
  const second = await stage([agent], ['Hi.', 'Hi again.']);
  for (const { kit, model } of [first, second]) {
    await (await kit.submit(agent, { message: 'x' })).result();
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Be polite.');
  }
});
