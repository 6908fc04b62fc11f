// The model's TypeScript is checked before it runs: wrong types are shown to it, right code is left alone, and types that
// were written to keep a checker busy meet a limit.
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent, Durable, Models, Statek, tool, type AgentOptions } from '../../src/index.ts';
import { checkTypes } from '../../src/agents/types/checker.ts';
import { Compiler } from '../../src/agents/types/compiler.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';

// The compiler is a process of its own, and machines can be busy.
vi.setConfig({ testTimeout: 90_000 });

let calls = 0;
const weather = tool({
  name: 'weather',
  input: z.object({ town: z.string(), days: z.int().optional() }),
  output: z.object({ town: z.string(), degrees: z.number() }),
  execute: async ({ town }) => {
    calls++;
    return { town, degrees: 9 };
  },
});
const anything = tool({ name: 'anything', input: z.object({}), execute: async () => ({ some: { data: [1] } }) });

class Calendar extends Durable {
  owner = 'Ann';

  count(day: string): number {
    return day.length;
  }
}

const code = (source: string): string => `\`\`\`ts\n${source}\n\`\`\``;

async function run(
  steps: readonly ScriptStep[],
  options: Partial<AgentOptions> = {},
  vars: Record<string, unknown> = {},
) {
  const agent = new Agent({
    role: 'clerk',
    metadata: { MODEL: 'script' },
    tools: [weather, anything],
    typeCheck: true,
    ...options,
  });
  const models = new Models({ models: { script: scriptedModel(steps) }, env: {} });
  const kit = await Statek.open({ store: 'memory:', agents: [agent], models, classes: [Calendar] });
  try {
    const given = await kit.transaction(() =>
      vars['calendar'] === true ? { ...vars, calendar: new Calendar() } : vars,
    );
    const job = await kit.submit(agent, { message: 'Go.', vars: given });
    const result = await job.result().catch((error: unknown) => error);
    return { result, job: await job.chat(), outcome: job.outcome };
  } finally {
    await kit.close();
  }
}

it('shows a type error with its place and number, and runs nothing', async () => {
  calls = 0;
  const { result, job } = await run([
    code('const first = await weather("Ghent");\nconst ghent = await weather(5);'),
    { text: code('exit("first" in globalThis)'), expect: 'TypeCheckError: TS2' },
  ]);
  expect(result).toBe(false);
  expect(calls).toBe(0);
  expect(job.find(({ kind }) => kind === 'step')).toMatchObject({
    status: 'failed',
    error: {
      name: 'TypeCheckError',
      line: 2,
      message: expect.stringContaining('Nothing of this code was run.') as string,
    },
  });
});

it('knows what earlier steps have declared', async () => {
  const { result } = await run([
    code(
      'const ghent = await weather("Ghent");\ninterface Place { name: string }\nfunction double(value: number): number { return value * 2 }\nlet count = 1;',
    ),
    code('const wrong = ghent.degree;'),
    { text: code('const wrong = double("x");'), expect: "Property 'degree' does not exist" },
    { text: code('const place: Place = { name: 5 };'), expect: 'TS2345' },
    {
      text: code('count = double(ghent.degrees);\nconst place = { other: 1 };\nexit([count, place.other])'),
      expect: 'TS2322',
    },
  ]);
  expect(result).toEqual([18, 1]);
});

it('leaves right code alone', async () => {
  const { result, job } = await run(
    [
      code(
        'const a = await weather({ town: "Ghent" });\nconst b = await weather("Ghent", { days: 2 });\nconst c = await anything();\nprint(a.degrees, b.town, c.some.data[0]);',
      ),
      code('globalThis.seen = [1];\nlet later;\nlet nothing = null;\nconst { x, ...rest } = { x: 1, y: 2 };'),
      code(
        'seen.push(2);\nnothing = { a: 1 };\nlater = "text";\ndata.more = 3;\ndata = { other: 1 };\nconst [m = 4] = [];\nrest.y + m',
      ),
      code(
        'try { await fetchNothing() } catch (error) { print(error.code) }\nfunction fetchNothing() { throw new TypeError("no") }',
      ),
      code(
        'const list = [3, 1, 2].toSorted();\nconst grouped = Object.groupBy(list, (n) => (n > 1 ? "big" : "small"));\nconst when = new Date();\nawait sleep(1);\nconst all = await Promise.all([weather("a"), anything()]);\nprint(all[0].degrees, grouped.big.length, when.getTime() > 0);',
      ),
      code('exit([seen, list, calendar.count("Mon"), calendar.owner.length])'),
    ],
    {},
    { data: { value: 1 }, calendar: true },
  );
  expect(job.filter((item) => item.kind === 'step' && item.error?.name === 'TypeCheckError')).toEqual([]);
  expect(result).toEqual([[1, 2], [1, 2, 3], 3, 3]);
});

it('knows objects of the application', async () => {
  const { result } = await run(
    [code('calendar.cuont("Mon")'), { text: code('exit(calendar.count("Mon"))'), expect: 'cuont' }],
    {},
    { calendar: true },
  );
  expect(result).toBe(3);
});

it('counts as an error in a row', async () => {
  const wrong = code('const x: number = "text";');
  const { outcome, job } = await run([wrong, wrong, wrong], { limits: { errorsInARow: 3 } });
  expect(outcome).toBe('limit');
  expect(job.filter(({ kind }) => kind === 'reply')).toHaveLength(3);
});

it('leaves syntax errors to the engine, and is off by default', async () => {
  const { result } = await run([code('const = 5'), { text: code('exit(1)'), expect: 'SyntaxError' }]);
  expect(result).toBe(1);
  const off = await run([code('const x: number = "text";\nexit(x)')], { typeCheck: false });
  expect(off.result).toBe('text');
  const metadata = { MODEL: 'script', TYPE_CHECK: 'true' };
  const on = await run([code('const x: number = "text";'), { text: code('exit(2)'), expect: 'TS2322' }], {
    typeCheck: undefined,
    metadata,
  });
  expect(on.result).toBe(2);
});

it('answers the code tool of a DIRECT agent', async () => {
  const { result } = await run(
    [{ toolCalls: [{ name: 'ts_cli', input: { code: 'await weather(5)' } }] }, { text: 'I see.', expect: 'TS2' }],
    { chatStyle: 'DIRECT' },
  );
  expect(result).toBe('I see.');
});

it('is refused for other languages', () => {
  const agent = new Agent({ role: 'clerk', metadata: { MODEL: 'script' }, language: 'python', typeCheck: true });
  expect(() => agent.createJobDef()).toThrow(/only TypeScript can be checked/);
});

const bomb = `type D = 0|1|2|3|4|5|6|7|8|9; type X = \`\${D}\${D}\${D}\${D}\`;
  type Y<T extends string, N extends any[]> = N["length"] extends 40 ? T : Y<T extends \`\${infer A}\${infer B}\` ? \`\${B}\${A}\` : T, [...N, 0]>;
  let y: Y<X, []> = "a";`;

describe('code that means harm', () => {
  const check = (source: string) =>
    checkTypes({ project: 'hostile', context: '', mentioned: '', cells: [{ number: 1, source }] });

  it.each([
    ['a type that grows', bomb],
    ['a type without end', 'type B<T> = T extends 0 ? never : B<[T, T]> | B<[T]>; let b: B<1> = 5;'],
  ])('%s meets a limit', async (_name, source) => {
    expect((await check(source)).length).toBeGreaterThan(0);
    // The next check is served as if nothing had been.
    expect(await check('const fine: number = 1;')).toEqual([]);
    expect(await check('const wrong: number = "a";')).toMatchObject([{ code: 2322, line: 1, column: 7 }]);
  });

  it('what cannot even be parsed is left to the engine', async () => {
    expect(await check(`let deep: ${'['.repeat(3000)}0${']'.repeat(3000)} = 0;`)).toEqual([]);
  });

  it('is stopped when it takes more time or memory than it may', async () => {
    const file = new Map([['cell-1.ts', 'export const x: number = 1;']]);
    const slow = new Compiler({ cpuMilliseconds: 60_000, milliseconds: 1, bytes: 2 ** 40 });
    await expect(slow.check('a', file, 'cell-1.ts')).rejects.toThrow('it took too long');
    await slow.close();
    const many = new Map([['cell-1.ts', bomb]]);
    const busy = new Compiler({ cpuMilliseconds: 30, milliseconds: 60_000, bytes: 2 ** 40 });
    await expect(busy.check('a', many, 'cell-1.ts')).rejects.toThrow('it took too long');
    await busy.close();
    const large = new Compiler({ cpuMilliseconds: 60_000, milliseconds: 60_000, bytes: 1 });
    await expect(large.check('a', many, 'cell-1.ts')).rejects.toThrow('it took too much memory');
    await large.close();
  });

  it('sees no file of this machine', async () => {
    const issues = await check(
      'import manifest from "/work/package.json" with { type: "json" };\n/// <reference path="/etc/hosts" />\nconst x: number = manifest.name;',
    );
    expect(JSON.stringify(issues)).not.toContain('statek');
  });
});
