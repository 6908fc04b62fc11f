// Conversations with the real client of AG-UI, which checks every event against its schemas.
import { HttpAgent } from '@ag-ui/client';
import { EventType, type BaseEvent } from '@ag-ui/core';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Models, Statek, tool } from '../../src/index.ts';
import { patchOf } from '../../src/server/chat/ag-ui.ts';
import { server } from '../../src/server.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';

const token = 'token-for-the-tests';
const book = tool({
  name: 'book',
  input: z.object({ room: z.string() }),
  approval: 'always',
  execute: async ({ room }) => `booked ${room}`,
});

async function serve(script: readonly ScriptStep[]): Promise<{ kit: Statek; thread(id?: string): HttpAgent }> {
  const clerk = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', tools: [book], metadata: { MODEL: 'script' } });
  const models = new Models({ models: { script: scriptedModel(script) } });
  const kit = await Statek.open({ store: 'memory:', agents: [clerk], models });
  const worker = kit.start();
  const listening = await server(kit, { token }).listen();
  onTestFinished(async () => {
    await listening.close();
    await worker.stop();
    await kit.close();
  });
  const headers = { authorization: `Bearer ${token}` };
  return {
    kit,
    thread: (id = 'talk') => new HttpAgent({ url: `${listening.url}v1/agui/clerk`, headers, threadId: id }),
  };
}

const said = (id: string, content: string): { id: string; role: 'user'; content: string } => ({
  id,
  role: 'user',
  content,
});

it('runs, with text, reasoning, steps and the variables as state', async () => {
  const { thread } = await serve([
    { reasoning: 'Rooms…', text: ['Let me ', 'count.\n```ts\nlet rooms = { free: 3 }; print(3)\n```'] },
    '```ts\nrooms.free = 2\n```',
    'There are two.',
  ]);
  const agent = thread();
  const events: BaseEvent[] = [];
  agent.addMessage(said('m1', 'How many?'));
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) });
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'There are two.' });
  expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'reasoning', 'assistant', 'assistant', 'assistant']);
  expect(agent.state).toMatchObject({ rooms: { free: 2 } });
  const types = events.map(({ type }) => type);
  expect(types[0]).toBe(EventType.RUN_STARTED);
  expect(types.at(-1)).toBe(EventType.RUN_FINISHED);
  expect(types).toEqual(expect.arrayContaining([EventType.STATE_SNAPSHOT, EventType.STATE_DELTA, EventType.CUSTOM]));
  // Another client has the same thread.
  const other = thread();
  await other.runAgent();
  expect(other.messages).toEqual(agent.messages);
  expect(other.state).toEqual(agent.state);
});

it('takes back what was not committed', async () => {
  const { thread } = await serve([
    'Hello.',
    { text: ['Half of a wrong '], fault: 'cut' },
    { text: ['The right answer.'] },
  ]);
  const agent = thread();
  agent.addMessage(said('m1', 'Hi.'));
  await agent.runAgent();
  agent.addMessage(said('m2', 'Well?'));
  await agent.runAgent();
  expect(agent.messages.map(({ content }) => content)).toEqual(['Hi.', 'Hello.', 'Well?', 'The right answer.']);
  const other = thread();
  await other.runAgent();
  expect(other.messages).toEqual(agent.messages);
});

it.each([
  [{ approved: true }, 'booked blue'],
  [{ approved: false }, 'DeniedError'],
])('waits for a decision as an interrupt: %o', async (payload, outcome) => {
  const { thread, kit } = await serve([
    '```ts\nlet outcome; try { outcome = await book("blue") } catch (error) { outcome = error.name }\n```',
    'That was it.',
  ]);
  const agent = thread();
  agent.addMessage(said('m1', 'Book it.'));
  await agent.runAgent();
  expect(agent.pendingInterrupts).toMatchObject([{ reason: 'tool_call', message: "clerk.book({ room: 'blue' })" }]);
  const interruptId = agent.pendingInterrupts[0]?.id ?? '';
  // What is neither yes nor no decides nothing.
  await expect(thread().runAgent({ resume: [{ interruptId, status: 'resolved', payload: 'sure' }] })).rejects.toThrow(
    'UNCLEAR',
  );
  expect(await (await kit.job('talk')).waiting()).toHaveLength(1);
  await agent.runAgent({ resume: [{ interruptId, status: 'resolved', payload }] });
  expect(agent.pendingInterrupts).toEqual([]);
  expect(agent.messages.at(-1)).toMatchObject({ content: 'That was it.' });
  expect(agent.state).toMatchObject({ outcome });
});

it('asks as an interrupt, answered by its resume', async () => {
  const { thread } = await serve(['```ts\nconst day = await ask("Which day?")\n```', 'Fine.']);
  const agent = thread();
  agent.addMessage(said('m1', 'Book it.'));
  await agent.runAgent();
  expect(agent.pendingInterrupts).toMatchObject([{ reason: 'input_required', message: 'Which day?' }]);
  const interruptId = agent.pendingInterrupts[0]?.id ?? '';
  await agent.runAgent({ resume: [{ interruptId, status: 'resolved', payload: 'Monday' }] });
  expect(agent.state).toMatchObject({ day: 'Monday' });
  expect(agent.messages.at(-1)).toMatchObject({ content: 'Fine.' });
});

it('describes changes as JSON patches', () => {
  expect(patchOf({ a: 1, b: { c: [1] }, 'x/y': 0 }, { a: 1, b: { c: [1, 2], d: null } })).toEqual([
    { op: 'remove', path: '/x~1y' },
    { op: 'replace', path: '/b/c', value: [1, 2] },
    { op: 'add', path: '/b/d', value: null },
  ]);
});
