// Where a tool is shown and offered, how exactly, and what code is told of it.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { tool, type ChatStyle } from '../../src/index.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

const metadata = (scope: string) => ({ MODEL: 'script', LLM_TOOLS_SCOPE: scope });

it('target: is listed and offered in its chat styles only, and can be called in all', async () => {
  const draw = tool({ name: 'draw', description: 'Draws.', target: ['DIRECT', 'MD_DIALOG'], execute: () => 'drawn' });
  const shown = async (chatStyle: ChatStyle): Promise<[boolean, boolean]> => {
    const { model } = await played({ chatStyle, tools: [draw], metadata: metadata('APPLICATION') }, ['exit()'], {
      message: 'x',
      limits: { turns: 1 },
    });
    const [request] = model.requests;
    return [JSON.stringify(request?.messages[0]).includes('draw('), request?.tools?.[0]?.name === 'draw'];
  };
  expect(await shown('MD_DIALOG')).toEqual([true, true]);
  expect(await shown('DIRECT')).toEqual([true, true]);
  expect(await shown('MARKDOWN')).toEqual([false, false]);
  const { job } = await played({ tools: [draw] }, [ts('exit(draw())')]);
  expect(await job.result()).toBe('drawn');
});

it('system: counts as a tool of the system for the scope', async () => {
  const tools = [tool({ name: 'own', execute: () => 1 }), tool({ name: 'health', system: true, execute: () => 2 })];
  const offered = (scope: string): string[] =>
    agentWith({ tools, metadata: metadata(scope) })
      .createJobDef()
      .definition.tools.map(({ name }) => name);
  expect(offered('APPLICATION')).toEqual(['own']);
  expect(offered('SYSTEM')).toContain('health');
  expect(offered('SYSTEM')).not.toContain('own');
  expect(offered('SYSTEM +own -health')).toContain('own');
  expect(offered('SYSTEM +own -health')).not.toContain('health');
  // Only a DIRECT agent gets the tool that runs code, whatever the scope says.
  expect(offered('ALL +ts_cli')).not.toContain('ts_cli');
});

it('tells the provider of unions, choices, lists and what may be left out, exactly', async () => {
  const plan = tool({
    name: 'plan',
    input: z.object({
      when: z.union([z.int(), z.literal('today'), z.object({ day: z.string() })]),
      mood: z.enum(['calm', 'busy']),
      tags: z.array(z.string()).max(3),
      pair: z.tuple([z.string(), z.number()]).optional(),
      note: z.string().nullable().optional(),
    }),
    execute: (input) => JSON.stringify(input),
  });
  const input = { when: { day: 'monday' }, mood: 'busy', tags: ['a'], note: null };
  const { model } = await played({ chatStyle: 'DIRECT', tools: [plan], metadata: metadata('APPLICATION') }, [
    { toolCalls: [{ name: 'plan', input }] },
    { toolCalls: [{ name: 'plan', input: { when: 'never', mood: 'odd', tags: 'a' } }] },
    'Done.',
  ]);
  expect(model.requests[0]?.tools?.[0]?.input).toMatchObject({
    type: 'object',
    properties: {
      when: {
        anyOf: [
          { type: 'integer' },
          { type: 'string', const: 'today' },
          { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
        ],
      },
      mood: { type: 'string', enum: ['calm', 'busy'] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      note: { type: ['string', 'null'] },
    },
    required: ['when', 'mood', 'tags'],
  });
  const outputs = (request: number): string => JSON.stringify(model.requests[request]?.messages.at(-1)?.content);
  expect(outputs(1)).toContain(JSON.stringify(JSON.stringify(input)).slice(1, -1));
  expect(outputs(2)).toMatch(/when: .*mood: .*tags: /);
});

it('effect: a call of a function that is not async is recorded before it is made, too', async () => {
  const pay = tool({ name: 'pay', effect: true, execute: (amount: number) => amount * 2 });
  const look = tool({ name: 'look', execute: () => 1 });
  const { job } = await played({ tools: [pay, look] }, [ts('exit([look(), await pay(4)])')]);
  expect(await job.result()).toEqual([1, 8]);
  const calls = (await job.calls()).filter(({ by }) => by === 'program');
  const futures = calls.filter(({ name }) => name.includes('pay'));
  expect([calls.length, futures.length, futures[0]?.state]).toEqual([2, 1, 'done']);
  // Asked for in one slice, made after it.
  expect(futures[0]?.id).toMatch(/\/\d+$/);
  expect(await futures[0]?.input()).toEqual([4]);
});

it('output: a result that does not fit is an error', async () => {
  const count = tool({ name: 'count', output: z.int(), execute: () => 'three' as never });
  const { model } = await played({ tools: [count] }, [ts('count()'), ts('exit()')]);
  expect(lastMessage(model, 2)).toMatch(/^ToolOutputError: count returned something else than it says/);
});

it('tells of a plain function what its comment says, in listings and to the provider', async () => {
  function bookRoom(room: string, days = 1): string {
    /**
     * Books a room.
     *
     * For some days.
     * @param room Which one
     */
    return `${room} ${days}`;
  }
  const { model, job } = await played({ chatStyle: 'DIRECT', tools: [bookRoom], metadata: metadata('APPLICATION') }, [
    { toolCalls: [{ name: 'bookRoom', input: { room: 'blue' } }] },
    'Done.',
  ]);
  expect(await job.result()).toBe('Done.');
  expect(model.requests[0]?.tools).toEqual([
    {
      name: 'bookRoom',
      description: 'Books a room.\n\nFor some days.',
      input: {
        type: 'object',
        properties: { room: { description: 'Which one' }, days: {} },
        required: ['room'],
        additionalProperties: false,
      },
    },
  ]);
  expect(JSON.stringify(model.requests[0]?.messages[0])).toContain('@param room - Which one');
});

it('tells a tool when nobody waits for it any more', async () => {
  let reason: unknown;
  const slow = tool({
    name: 'slow',
    timeout: 5,
    execute: async (_input: unknown, { abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal.addEventListener('abort', () => {
          reason = abortSignal.aborted;
          reject(new Error('stopped'));
        });
      }),
  });
  const { model } = await played({ tools: [slow] }, [ts('await slow({})'), ts('exit()')]);
  expect([reason, lastMessage(model, 2)]).toEqual([true, expect.stringContaining('TimeoutError')]);
});

it('system tools can be called from code, whatever is offered', async () => {
  const agent = agentWith({ tools: { add: (a: number, b: number): number => a + b }, metadata: metadata('+add') });
  const { kit } = await stage(
    [agent],
    [
      ts(
        'exit([brief().startsWith("add("), typeof docstr(add), await recall(), typeof panic, typeof unfold, typeof printLocals])',
      ),
    ],
  );
  expect(await (await kit.submit(agent, { message: 'x' })).result()).toEqual([
    true,
    'string',
    'This job is not bound to any memory.',
    'function',
    'function',
    'function',
  ]);
});
