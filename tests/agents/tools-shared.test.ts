// Tools of several jobs and agents: whose outcomes are shared, what they can do, and how objects and dates are told.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { Coordinator, Durable, InvalidOptionError, ref, tool } from '../../src/index.ts';
import type { CacheScope } from '../../src/workspace/bridge/call-options.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

it.each<[CacheScope | undefined, number]>([
  ['job', 4],
  ['agent', 2],
  ['kit', 1],
  [undefined, 2],
])('shares cached outcomes within the scope %s', async (scope, expected) => {
  let calls = 0;
  const rate = tool({
    name: 'rate',
    input: z.object({ currency: z.string() }),
    cache: { ttl: 60_000, ...(scope === undefined ? {} : { scope }) },
    execute: async () => Promise.resolve(++calls),
  });
  const agents = ['ann', 'bob'].map((role) => agentWith({ role, tools: [rate] }));
  const twice = ts('await rate("EUR"); await rate("EUR"); exit()');
  const { kit } = await stage(agents, [twice, twice, twice, twice]);
  for (const agent of agents) for (const _ of [1, 2]) await (await kit.submit(agent, { message: 'x' })).result();
  expect(calls).toBe(expected);
});

it('refuses a scope of the cache that there is not', () => {
  const execute = async (): Promise<void> => Promise.resolve();
  expect(() => tool({ name: 'x', cache: { ttl: 1, scope: 'world' as never }, execute })).toThrow(InvalidOptionError);
});

it('finds agents by what their tools can do', async () => {
  const paint = tool({ name: 'paint', capabilities: ['watercolour'], execute: () => 1 });
  const boss = new Coordinator({ role: 'boss', metadata: { MODEL: 'script' } });
  const artist = agentWith({ role: 'artist', description: 'Makes pictures.', tools: [paint] });
  const { kit, model } = await stage([boss, artist], [ts('print(findAgents("watercolour"))'), ts('exit()')]);
  await (await kit.submit(boss, { message: 'x' })).result();
  expect(lastMessage(model, 2)).toContain("role: 'artist'");
  expect(artist.capabilities).toEqual(['watercolour']);
});

it('lists what code gives a tool by its class, and what a provider gives it as a name', async () => {
  class Meeting extends Durable {
    static readonly durable = { name: 'Meeting' };
    title = '';
  }
  const move = tool({
    name: 'move',
    description: 'Moves a meeting.',
    input: z.object({ meeting: ref(Meeting), to: z.date() }),
    execute: ({ meeting, to }) => `${meeting.title} ${to.toISOString()}`,
  });
  const stamp = tool({
    name: 'stamp',
    input: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] },
    execute: (input: { at: unknown }) => `${typeof input.at} ${String(input.at)}`,
  });
  const { model } = await played(
    { tools: [move, stamp], metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'APPLICATION' } },
    [ts('print(stamp(new Date(0)), stamp("1970-01-01T00:00:00Z"))'), ts('exit()')],
    { message: 'x' },
    { classes: [Meeting] },
  );
  const prompt = JSON.stringify(model.requests[0]?.messages[0]);
  expect(prompt).toContain('move(meeting: Meeting, to: Date)');
  expect(prompt).toContain('stamp(at: Date)');
  const offered = model.requests[0]?.tools?.find(({ name }) => name === 'move')?.input;
  expect(offered).toMatchObject({ properties: { meeting: { type: 'string' }, to: { format: 'date-time' } } });
  expect(JSON.stringify(offered)).not.toContain('x-statek');
  expect(lastMessage(model, 2)).toBe('string 1970-01-01T00:00:00.000Z string 1970-01-01T00:00:00Z');
});
