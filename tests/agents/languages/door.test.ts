// At the door of a tool: whichever way a call comes, its arguments are bound to names and checked once, and everything
// after that (approval, journal, cache, the tool itself) gets the same object.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { tool, type Job } from '../../../src/index.ts';
import { Cast, shown, type Language } from './cast.ts';

class Money {
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const cast = new Cast(language);
    const { code, pick } = cast.words();
    const inputs = async (job: Job): Promise<unknown[]> =>
      Promise.all((await job.calls()).filter(({ by }) => by === 'program').map((call) => call.input()));
    const statesOf = async (job: Job): Promise<string[]> =>
      (await job.calls()).filter(({ by }) => by === 'program').map(({ state }) => state);

    const paid: unknown[] = [];
    const judged: unknown[] = [];
    const pay = tool({
      name: 'payMoney',
      input: z.object({ to: z.string(), euros: z.number(), note: z.string().default('none') }),
      approval: ({ euros, ...rest }) => {
        judged.push({ euros, ...rest });
        return euros > 100;
      },
      execute: async (input) => {
        paid.push(input);
        return 'paid';
      },
    });
    const payer = cast.agent(
      [
        code(
          `await Promise.all([
  payMoney("mallory", 5000),
  payMoney({ to: "mallory", euros: 5000 }),
  payMoney("mallory", 5000, { note: "x" }),
  payMoney("mallory", 5000, "y"),
])`,
          `get_all([
    start(pay_money, "mallory", 5000),
    start(pay_money, {"to": "mallory", "euros": 5000}),
    start(pay_money, "mallory", 5000, note="x"),
    start(pay_money, euros=5000, to="mallory", note="y"),
])`,
        ),
      ],
      { tools: [pay] },
    );
    it('asks for approval of the same object, whichever way the call is written', async () => {
      const job = await cast.play(payer);
      const expected = ['none', 'none', 'x', 'y'].map((note) => ({ to: 'mallory', euros: 5000, note }));
      expect(paid).toEqual([]);
      expect(judged).toEqual(expected);
      expect(await statesOf(job)).toEqual(['approval', 'approval', 'approval', 'approval']);
      expect(await inputs(job)).toEqual(expected.map((input) => [input]));
      await cast.kit.approve((await job.waiting()).at(-1)?.id ?? '');
      await cast.kit.runUntilIdle();
      expect(paid).toEqual([expected[3]]);
      await job.cancel();
    });

    const formally = cast.agent([{ toolCalls: [{ name: 'payMoney', input: { to: 'mallory', euros: 5000 } }] }], {
      tools: [pay],
      chatStyle: 'DIRECT',
      metadata: { LLM_TOOLS_SCOPE: 'APPLICATION' },
    });
    it('asks for approval of a formal call', async () => {
      const before = paid.length;
      const job = await cast.play(formally);
      expect(await statesOf(job)).toEqual(['approval']);
      expect(await inputs(job)).toEqual([[{ to: 'mallory', euros: 5000, note: 'none' }]]);
      expect(paid).toHaveLength(before);
      await job.cancel();
    });

    const done: string[] = [];
    const cautious = [
      tool({
        name: 'throwing',
        input: z.object({ a: z.number() }),
        approval: () => {
          throw new Error('cannot tell');
        },
        execute: async () => done.push('throwing'),
      }),
      tool({ name: 'silent', approval: (() => undefined) as never, execute: async () => done.push('silent') }),
      tool({
        name: 'promising',
        approval: (async () => {
          throw new Error('later');
        }) as never,
        execute: async () => done.push('promising'),
      }),
      tool({ name: 'direct', approval: 'always', execute: () => done.push('direct') }),
      tool({ name: 'certain', approval: () => false, execute: async () => done.push('certain') }),
    ];
    const asking = cast.agent(
      [
        code(
          'await Promise.all([throwing(1), silent(), promising(), direct(), certain()])',
          'get_all([start(throwing, 1), start(silent), start(promising), start(direct), start(certain)])',
        ),
      ],
      { tools: cautious },
    );
    it('asks unless the function says false, also of a function that is not async', async () => {
      const job = await cast.play(asking);
      expect(done).toEqual(['certain']);
      expect(await statesOf(job)).toEqual(['approval', 'approval', 'approval', 'approval', 'done']);
      await job.cancel();
    });
    it('refuses approval of a tool that is said to have no effect', () => {
      expect(() => tool({ name: 'x', effect: false, approval: 'always', execute: () => 1 })).toThrow(
        "tool 'x': 'approval' needs a call that can wait for it. Leave 'effect: false' out, or 'approval'.",
      );
    });

    const wrong = cast.agent(
      [
        code(
          `const caught = [];
for (const call of [() => payMoney("a", "b"), () => payMoney("a", 1, "b", 2), () => payMoney({ to: "a" }), () => silent(1, 2), () => payMoney({ to: "a", cents: 1 })]) {
  try { call() } catch (error) { caught.push(error.message) }
}
exit(caught)`,
          `caught = []
for call in [lambda: pay_money("a", "b"), lambda: pay_money("a", 1, "b", 2), lambda: pay_money(to="a", cents=1), lambda: silent(1, 2), lambda: pay_money({"to": "a", "cents": 1})]:
    try:
        call()
    except Exception as error:
        caught.append(str(error))
exit(caught)`,
        ),
      ],
      { tools: [pay, ...cautious] },
    );
    it('throws at the call what is wrong with its arguments, and records nothing', async () => {
      const job = await cast.play(wrong);
      const name = pick('payMoney', 'pay_money');
      const signature = pick('(to, euros, { note? })', '(to, euros, note=None)');
      const told = [
        /euros: /,
        /there are 4 parameters, and it takes 3/,
        pick(/euros: /, /there is no parameter 'cents'/),
      ];
      const caught = (await job.result()) as string[];
      for (const [index, issue] of told.entries()) {
        expect(caught[index]).toMatch(issue);
        expect(caught[index]).toContain(`Call it as ${name}${signature}.`);
      }
      expect(caught[3]).toBe(
        'silent was called with something it does not take: there are 2 parameters, and it takes one. Call it as silent(input).',
      );
      expect(caught[4]).toContain("there is no parameter 'cents'");
      expect(await statesOf(job)).toEqual([]);
    });

    const echo = tool({ name: 'echo', execute: (parcel: unknown) => parcel });
    const simple = cast.agent(
      [
        code(
          'exit([echo("lamp"), echo({ kg: 3 })])',
          'exit([echo("lamp"), echo(input="lamp"), echo({"kg": 3}), echo(kg=3), echo(input=1, kg=3)])',
        ),
      ],
      { tools: [echo] },
    );
    it('gives a tool without a schema its one input, by position or by the name that is shown', async () => {
      const given = ['lamp', { kg: 3 }];
      expect(await (await cast.play(simple)).result()).toEqual(
        pick(given, ['lamp', 'lamp', { kg: 3 }, { kg: 3 }, { input: 1, kg: 3 }]),
      );
    });

    const counted: unknown[] = [];
    const count = tool({
      name: 'countAll',
      input: z.object({ a: z.number(), b: z.number().default(2) }),
      cache: { ttl: 100_000 },
      execute: async (input) => counted.push(input),
    });
    const counting = cast.agent(
      [
        code(
          'exit([await countAll(1), await countAll({ a: 1 }), await countAll(1, { b: 2 })])',
          'exit([count_all(1), count_all({"a": 1}), count_all(b=2, a=1)])',
        ),
      ],
      { tools: [count] },
    );
    it('finds the outcome of a call that was written another way', async () => {
      const job = await cast.play(counting);
      expect(await job.result()).toEqual([1, 1, 1]);
      expect(counted).toEqual([{ a: 1, b: 2 }]);
    });

    const seen: unknown[] = [];
    let parses = 0;
    const transfer = tool({
      name: 'transfer',
      input: z.object({
        amount: z.number().transform((euros) => {
          parses++;
          return new Money(euros * 100);
        }),
      }),
      approval: ({ amount }) => {
        seen.push(amount instanceof Money && amount.cents);
        return amount.cents > 10_000;
      },
      execute: async ({ amount }) => {
        seen.push(amount instanceof Money && amount.cents);
        return amount.cents;
      },
    });
    const doubled = tool({
      name: 'doubled',
      input: z.object({ n: z.number().transform((n) => n * 2) }),
      execute: async ({ n }) => n,
    });
    const transforming = cast.agent(
      [code('exit([await transfer(5), await doubled(4)])', 'exit([transfer(5), doubled(4)])')],
      { tools: [transfer, doubled] },
    );
    it('parses once what can be persisted, and again what cannot', async () => {
      const job = await cast.play(transforming);
      expect(await job.result()).toEqual([500, 8]);
      expect(seen).toEqual([500, 500]);
      expect(parses).toBe(2);
      expect(await inputs(job)).toEqual([[{ amount: 5 }], [{ n: 8 }]]);
    });

    const strict = cast.agent([code('payMoney("a", "b")', 'pay_money("a", "b")'), code('exit()', 'exit()')], {
      tools: [pay],
    });
    it('shows the model what was wrong at the line of the call', async () => {
      await cast.play(strict);
      expect(shown(strict, 2)).toMatch(/ToolInputError.*euros: .*\(line 1, column \d+\)/s);
    });
  },
  60_000,
);
