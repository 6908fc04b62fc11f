// One tool, two surfaces: called from code, and offered to the provider as a formal tool.
import { tool as sdkTool } from 'ai';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ref, tool } from '../../src/index.ts';
import { lastMessage, played } from './support/agents.ts';
import { ts } from './support/fences.ts';

class Room {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const weather = tool({
  name: 'weather',
  description: 'The weather in a town.\n\nIn words.',
  input: z.object({
    town: z.string().describe('Its name'),
    days: z.int().min(1).optional(),
    unit: z.enum(['C', 'F']).default('C'),
  }),
  execute: ({ town, days, unit }) => `${town} ${days ?? 0} ${unit}`,
});
const direct = { chatStyle: 'DIRECT' as const, metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'APPLICATION' } };
const call = (name: string, input: object | string) => ({ toolCalls: [{ name, input: input as never }] });
const outputs = (messages: readonly { role: string; content: unknown }[] | undefined): unknown[] => {
  const last = messages?.at(-1);
  return last?.role === 'tool' ? (last.content as { output: unknown }[]).map(({ output }) => output) : [];
};

it('gives the provider exact schemas, and the results of its calls', async () => {
  const { model, job } = await played({ ...direct, tools: [weather] }, [
    call('weather', { town: 'Ghent', days: 2 }),
    'Rain.',
  ]);
  expect(model.requests[0]?.tools).toEqual([
    {
      name: 'weather',
      description: 'The weather in a town.\n\nIn words.',
      input: {
        type: 'object',
        properties: {
          town: { type: 'string', description: 'Its name' },
          days: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
        },
        required: ['town'],
      },
    },
  ]);
  expect(outputs(model.requests[1]?.messages)).toEqual(['Ghent 2 C']);
  expect(await job.result()).toBe('Rain.');
});

it('takes required fields in order and the rest in an object from code, or one object', async () => {
  const { job } = await played({ tools: [weather] }, [
    ts('exit([weather("A"), weather("B", { days: 3 }), weather({ town: "C", unit: "F" }), weather("D", 4, "F")])'),
  ]);
  expect(await job.result()).toEqual(['A 0 C', 'B 3 C', 'C 0 F', 'D 4 F']);
});

it('answers wrong calls with what the model can act on', async () => {
  const failing = tool({
    name: 'failing',
    input: z.object({}),
    execute: () => {
      throw new RangeError('no such day');
    },
  });
  const { model } = await played({ ...direct, tools: [weather, failing] }, [
    {
      toolCalls: [
        { name: 'whether', input: {} },
        { name: 'weather', input: { town: 5 } },
        { name: 'weather', input: '{"town": ' },
        { name: 'failing', input: {} },
      ],
    },
    'Sorry.',
  ]);
  const [unknown, wrong, broken, thrown] = outputs(model.requests[1]?.messages);
  expect(unknown).toBe("There is no tool 'whether'. There are: weather, failing.");
  expect(wrong).toMatch(
    /ToolInputError: weather was called with .*town: .*expected string.*Call it as weather\(town, \{ days\?, unit\? \}\)/,
  );
  expect(broken).toMatch(/not a JSON object/);
  expect(thrown).toBe('RangeError: no such day');
});

it('calls a tool that throws once', async () => {
  let calls = 0;
  const once = tool({
    name: 'once',
    execute: async () => {
      calls++;
      throw new Error('broken');
    },
  });
  await played({ ...direct, tools: [once] }, [call('once', {}), 'Broken.']);
  expect(calls).toBe(1);
});

it('binds names of variables, and makes dates of texts where the schema says date', async () => {
  const seen: unknown[] = [];
  const book = tool({
    name: 'book',
    input: z.object({ room: ref(Room), day: z.date(), note: z.string(), plain: z.string() }),
    execute: ({ room, day, note, plain }) => {
      seen.push(room, day, note, plain);
      return 'booked';
    },
  });
  const blue = new Room('blue');
  const { model } = await played(
    { ...direct, tools: [book] },
    [call('book', { room: 'blue', day: '2030-01-02', note: 'text', plain: 'other' }), 'Done.'],
    { message: 'Book.', vars: { blue, text: 'a long text' } },
    { services: { blue } },
  );
  expect(outputs(model.requests[1]?.messages)).toEqual(['booked']);
  expect(seen).toEqual([blue, new Date('2030-01-02T00:00:00Z'), 'a long text', 'other']);
  expect(model.requests[0]?.tools?.[0]?.input['properties']).toMatchObject({
    room: { type: 'string', description: 'The name of a variable that holds Room' },
    day: { type: 'string', format: 'date-time' },
  });
});

it('suspends in a formal call, and goes on with its result', async () => {
  const slow = tool({ name: 'slow', approval: 'always', execute: async () => 'slept' });
  const { kit, job, model } = await played({ ...direct, tools: [slow] }, [call('slow', {}), 'Good.']);
  expect(job.status).toBe('SUSPENDED');
  const [waiting] = await job.waiting();
  await kit.approve(waiting?.id ?? '');
  expect(await job.result()).toBe('Good.');
  expect(outputs(model.requests[1]?.messages)).toEqual(['slept']);
});

it('chooses by LLM_TOOLS_SCOPE, which changes nothing for code', async () => {
  const secret = tool({ name: '_secret', execute: () => 42 });
  const other = tool({ name: 'other', execute: () => 'o' });
  const names = async (scope: string | undefined, chatStyle: 'DIRECT' | 'MARKDOWN') => {
    const { model } = await played(
      {
        chatStyle,
        tools: [weather, other, secret],
        metadata: { MODEL: 'script', ...(scope === undefined ? {} : { LLM_TOOLS_SCOPE: scope }) },
      },
      ['exit'],
      { message: 'x', limits: { turns: 1 } },
    );
    return model.requests[0]?.tools?.map(({ name }) => name) ?? [];
  };
  expect(await names(undefined, 'MARKDOWN')).toEqual([]);
  expect(await names(undefined, 'DIRECT')).toEqual(['ts_cli']);
  expect(await names('APPLICATION', 'DIRECT')).toEqual(['weather', 'other']);
  expect(await names('ALL -other,brief', 'MARKDOWN')).toEqual([
    'weather',
    'docstr',
    'panic',
    'unfold',
    'remember',
    'recall',
  ]);
  expect(await names('ALL -ts_cli -other', 'DIRECT')).not.toContain('ts_cli');
  expect(await names('+other', 'MARKDOWN')).toEqual(['other']);
  const { job } = await played({ tools: [secret] }, [ts('exit(_secret())')]);
  expect(await job.result()).toBe(42);
});

it('shows hidden tools nowhere', async () => {
  const hidden = tool({ name: 'under_cover', hidden: true, execute: () => 1 });
  const { model } = await played(
    {
      tools: [weather, hidden],
      internalTools: [tool({ name: 'inside', execute: () => 2 })],
      metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'ALL' },
    },
    [ts('print(brief()); print(docstr("under_cover"))'), ts('exit(under_cover() + inside())')],
  );
  expect(JSON.stringify(model.requests[0])).not.toMatch(/under_cover|inside/);
  expect(lastMessage(model, 2)).toMatch(
    /^weather\(town: string, .*\) \/\/ The weather in a town\.\n[\s\S]*\nNothing is known of that\.$/,
  );
  expect(lastMessage(model, 2)).not.toMatch(/under_cover|inside\(/);
});

it('takes plain functions and tools of the AI SDK', async () => {
  function add(a: number, b: number): number {
    return a + b;
  }
  const sdk = {
    description: 'Doubles',
    inputSchema: z.object({ value: z.number() }),
    execute: async ({ value }: { value: number }) => value * 2,
  };
  const { job } = await played({ tools: { add, double: sdk } }, [ts('exit([add(1, 2), await double({ value: 4 })])')]);
  expect(await job.result()).toEqual([3, 8]);
  const formal = await played({ ...direct, tools: { add, double: sdk } }, [
    call('add', { a: 1, b: 2 }),
    call('double', { value: 4 }),
    'Ok.',
  ]);
  expect(outputs(formal.model.requests[1]?.messages)).toEqual(['3']);
  expect(outputs(formal.model.requests[2]?.messages)).toEqual(['8']);
});

it('asks a person before a tool of the AI SDK that needs approval', async () => {
  const pay = {
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    needsApproval: ({ euros }: { euros: number }) => euros > 100,
    execute: async ({ euros }: { euros: number }) => `paid ${euros}`,
  };
  const send = { inputSchema: z.object({}), needsApproval: true, execute: async () => 'sent' };
  const { kit, job } = await played({ tools: { pay, send } }, [
    ts('exit([await pay(20), await pay(200), await send({})])'),
  ]);
  const asked: string[] = [];
  for (let round = 0; round < 2; round++) {
    for await (const { id, text } of kit.pending({ kind: 'call' })) {
      asked.push(text);
      await kit.approve(id);
    }
    await kit.runUntilIdle();
  }
  expect(await job.result()).toEqual(['paid 20', 'paid 200', 'sent']);
  expect(asked.map((text) => text.replace(/^.*\./, ''))).toEqual(['pay({ euros: 200 })', 'send({})']);
});

it('refuses a tool of the AI SDK that computes its description', async () => {
  const vague = sdkTool({ description: () => 'It depends', inputSchema: z.object({}), execute: async () => 1 });
  await expect(played({ tools: { vague } }, [])).rejects.toThrow(/'vague' of the AI SDK computes its description/);
});

it('tells calls apart to which a model gave one id', async () => {
  const coded = (code: string) => ({ name: 'ts_cli', id: 'same', input: { code } });
  const { job, model } = await played({ chatStyle: 'DIRECT' }, [
    { toolCalls: [coded('print(1)'), coded('print(2)'), { ...coded('print(3)'), id: '' }] },
    'Done.',
  ]);
  expect(await job.result()).toBe('Done.');
  expect(outputs(model.requests[1]?.messages)).toEqual(['1', '2', '3']);
});

it('tells a tool of the job, the agent and its adapters', async () => {
  const told = tool({
    name: 'told',
    execute: (_input: unknown, { job, agent, getAdapter }) => [
      job,
      agent,
      ...['db', 'mail', 'clock', 'none'].map((name) => getAdapter(name) ?? null),
    ],
  });
  const later = tool({
    name: 'later',
    execute: async (_input: unknown, { job, idempotencyKey, attempt }) => [job, idempotencyKey, attempt],
  });
  const { job } = await played(
    { tools: [told, later], context: { _db: 'rows', mail: 'post', _mail: 'other', __clock: 'time' } },
    [ts('exit([told(), await later()])')],
    {
      id: 'one',
      message: 'x',
    },
  );
  expect(await job.result()).toEqual([
    ['one', 'helper', 'rows', 'post', 'time', null],
    ['one', 'one/1', 1],
  ]);
});
