// An agent uses the tools of a real MCP server: from code, as formal tools of its provider, and after the server has
// learnt new ones.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Agent, Models, Statek } from '../../src/index.ts';
import { mcpServer } from '../../src/mcp.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { Place } from './support/place.ts';

// Programs are started here, and machines can be busy.
vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.close());

const script = (...steps: ScriptStep[]) => new Models({ models: { script: scriptedModel(steps) }, env: {} });
const code = (source: string): string => `\`\`\`ts\n${source}\n\`\`\``;

it('from code', async () => {
  const desk = await mcpServer(place.command());
  const agent = new Agent({
    role: 'clerk',
    metadata: { MODEL: 'script' },
    tools: await desk.tools({ prefix: 'desk_' }),
  });
  const kit = await Statek.open({
    store: 'memory:',
    agents: [agent],
    models: script(
      code('const { sum } = await desk_add(1, 2);\nconst room = await desk_book_room({ room: "none" });'),
      { text: code('exit([sum, await desk_book_room("B")])'), expect: 'There is no such room.' },
    ),
  });
  const job = await kit.submit(agent, { message: 'Add and book.' });
  expect(await job.result()).toEqual([3, 'booked B']);
  expect(JSON.stringify(await job.request(1))).toContain('desk_add');
  expect((await job.calls()).filter(({ by }) => by === 'program').map(({ name, state }) => [name, state])).toEqual([
    ['clerk.desk_add(…)', 'done'],
    ['clerk.desk_book_room(…)', 'failed'],
    ['clerk.desk_book_room(…)', 'done'],
  ]);
  await kit.close();
  await desk.close();
});

it('as formal tools of the provider, with the schema of the server', async () => {
  const desk = await mcpServer(place.command());
  const agent = new Agent({
    role: 'clerk',
    chatStyle: 'DIRECT',
    metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'APPLICATION' },
    tools: await desk.tools({ only: ['add', 'book-room'] }),
  });
  const kit = await Statek.open({
    store: 'memory:',
    agents: [agent],
    models: script(
      { toolCalls: [{ name: 'add', input: { a: 20, b: 22 } }] },
      { toolCalls: [{ name: 'add', input: { a: 'x' } }], expect: '42' },
      { text: 'It is 42.', expect: 'b: is missing' },
    ),
  });
  const job = await kit.submit(agent, { message: 'Add.' });
  expect(await job.result()).toBe('It is 42.');
  expect((await job.request(1)).tools?.map(({ name }) => name)).toEqual(['add', 'book_room']);
  expect((await job.request(1)).tools?.[0]?.input).toEqual({
    type: 'object',
    properties: {
      a: { type: 'number', description: 'the first' },
      b: { type: 'number' },
      note: { type: 'string' },
    },
    required: ['a', 'b'],
  });
  expect(place.lines()).toEqual(['add 20 22']);
  await kit.close();
  await desk.close();
});

it('new jobs see what a server has learnt; a list that was copied stays what it was', async () => {
  const desk = await mcpServer(place.command());
  const tools = await desk.tools();
  const live = new Agent({ role: 'live', metadata: { MODEL: 'script' }, tools: [tools] });
  const fixed = new Agent({ role: 'fixed', metadata: { MODEL: 'script' }, tools: [...tools] });
  const kit = await Statek.open({
    store: 'memory:',
    agents: [live, fixed],
    models: script(code('exit(await learn("sing"))'), code('exit(await sing())'), code('exit(typeof sing)')),
  });
  expect(await (await kit.submit(live, { message: 'Learn.' })).result()).toBe('learnt');
  await place.until(() => live.tools.some(({ name }) => name === 'sing'));
  expect(await (await kit.submit(live, { message: 'Sing.' })).result()).toBe('I am sing');
  expect(await (await kit.submit(fixed, { message: 'Sing.' })).result()).toBe('undefined');
  await kit.close();
  await desk.close();
});

it('a list that changes cannot replace a tool of the application', async () => {
  const desk = await mcpServer(place.command());
  const sing = { sing: async () => 'I am the application' }.sing;
  const agent = new Agent({ role: 'clerk', metadata: { MODEL: 'script' }, tools: [sing, await desk.tools()] });
  const kit = await Statek.open({
    store: 'memory:',
    agents: [agent],
    models: script(code('exit(await learn("sing"))'), code('exit(await sing())')),
  });
  const before = agent.tools;
  await (await kit.submit(agent, { message: 'Learn.' })).result();
  await place.until(() => agent.tools !== before);
  expect(await (await kit.submit(agent, { message: 'Sing.' })).result()).toBe('I am the application');
  await kit.close();
  await desk.close();
});

it('closes the server with the kit, and starts it again with the next', async () => {
  const desk = await mcpServer(place.command());
  const agent = new Agent({ role: 'clerk', metadata: { MODEL: 'script' }, tools: await desk.tools() });
  for (const sum of [3, 3]) {
    const kit = await Statek.open({
      store: 'memory:',
      agents: [agent],
      models: script(code('exit((await add(1, 2)).sum)')),
    });
    expect(await (await kit.submit(agent, { message: 'Add.' })).result()).toBe(sum);
    await kit.close();
  }
  // Nothing is left open: the process of the tests can end.
  await place.until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'));
});
