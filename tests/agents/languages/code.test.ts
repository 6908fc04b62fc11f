// What an agent's code does, in each language with the same outcome: running, printing, failing, ending, calling tools.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ref, tool } from '../../../src/index.ts';
import { lastMessage } from '../support/agents.ts';
import { Cast, shown, told, type Language } from './cast.ts';

class Room {
  readonly name = 'Ada';
  isFree(): boolean {
    return true;
  }
}

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const room = new Room();
    const cast = new Cast(language, () => ({ services: { room } }));
    const { code, pick } = cast.words();

    const plain = cast.agent([
      `Let me see.\n\n${code('let x = 20;\nprint("x is", x)', 'x = 20\nprint("x is", x)')}`,
      code('[x + 1, null, true, "a"]', '(x + 1, None, True, "a")'),
      code('x = 7', 'x = 7'),
      code('exit(x)', 'exit(x)'),
    ]);
    it('runs code, shows what it printed or its value, and ends with exit', async () => {
      const job = await cast.play(plain);
      expect([job.status, job.outcome, await job.result()]).toEqual(['DONE', 'completed', 7]);
      expect(shown(plain, 2)).toBe('x is 20');
      expect(shown(plain, 3)).toBe(pick("[21, null, true, 'a']", "(21, None, True, 'a')"));
      expect(shown(plain, 4)).toBe(pick('7', '(no output)'));
      expect(await job.locals()).toEqual({ x: 7 });
      for (const turn of [1, 2, 3])
        expect((await job.request(turn)).messages).toEqual(plain.model.requests[turn - 1]?.messages);
    });

    const erring = cast.agent([
      code('let a = 1;\nthrow new RangeError("too far")', 'a = 1\nraise ValueError("too far")'),
      `${code('nothing()', 'nothing()')}\n${code('a = 2', 'a = 2')}`,
      code('let = = 5', 'if a\n    print(a)'),
      code('exit(a)', 'exit(a)'),
    ]);
    it('shows errors with their place in the author’s own code, and goes on', async () => {
      const job = await cast.play(erring);
      expect(shown(erring, 2)).toMatch(
        pick(/^RangeError: too far \(line 2, column \d+\)/, /^ValueError: too far \(line 2, column 1\)/),
      );
      expect(told(erring, 3)).toMatch(pick(/ReferenceError: .*nothing/, /NameError: name 'nothing' is not defined/));
      expect(shown(erring, 4)).toMatch(pick(/^CellSyntaxError/, /^SyntaxError: expected ':' \(line 1, column 5\)/));
      expect(told(erring, 4)).not.toMatch(/statek|wasm|node:/i);
      // Every block of a reply runs, also those after one that failed.
      expect(await job.result()).toBe(2);
    });

    const ending = cast.agent([
      code(
        `function deep() {
  try { exit({ n: 1 }) } catch { print("caught") } finally { print("finally") }
}
try { deep() } catch {}
await sleep(1e9)
print("never")`,
        `def deep():
    try:
        exit({"n": 1})
    except BaseException:
        print("caught")
        sleep(1e9)
    finally:
        print("finally")
try:
    deep()
except:
    pass
while True:
    try:
        sleep(1e9)
    except SystemExit:
        break
print("last")
ask("Never?")
print("never")`,
      ),
    ]);
    const paid: number[] = [];
    const hasty = cast.agent(
      [
        code(
          'pay({ amount: 6 }); pay({ amount: 7 })\nexit("paid")',
          'start(pay, amount=6)\nstart(pay, amount=7)\nexit("paid")',
        ),
        code('exit(await pay({ amount: 6 }))', 'exit(pay(amount=6))'),
      ],
      {
        tools: [
          tool({
            name: 'pay',
            description: 'Pays.',
            effect: true,
            input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
            execute: async ({ amount }: { amount: number }) => {
              paid.push(amount);
              return `${amount} paid`;
            },
          }),
        ],
      },
    );
    const refusing = cast.agent(
      [code('const first = 1;\nawait refuse({});', 'first = 1\nrefuse()'), code('exit(1)', 'exit(1)')],
      {
        tools: [
          tool({
            name: 'refuse',
            description: 'Refuses.',
            input: { type: 'object', properties: {} },
            execute: async () => Promise.reject(new Error('no paper')),
          }),
        ],
      },
    );
    it('shows the model the line of its own code in which a tool failed', async () => {
      await cast.play(refusing);
      const heard = lastMessage(refusing.model, 2);
      expect(heard).toMatch(/no paper/);
      expect(heard).toMatch(/line 2/);
      expect(heard).toContain(pick('await refuse({});', 'refuse()'));
    });

    it('goes on when exit is called before calls that were not waited for, and says which were never made', async () => {
      paid.length = 0;
      const job = await cast.play(hasty);
      expect([job.outcome, await job.result(), paid]).toEqual(['completed', '6 paid', [6]]);
      const heard = lastMessage(hasty.model, 2);
      expect(heard).toMatch(
        /exit\(\) was called before these calls were made, and they were never made: pay\(…\), pay\(…\)\./,
      );
      expect(heard).toMatch(pick(/again with await/, /get_all/));
    });

    it('ends with exit wherever it is called, and nobody catches it', async () => {
      const job = await cast.play(ending);
      expect([job.outcome, await job.result()]).toEqual(['completed', { n: 1 }]);
      expect(await job.console()).toEqual(pick(['caught', 'finally'], ['caught', 'finally', 'last']));
    });

    const empty = cast.agent([code('exit()', 'exit()')]);
    const nothing = cast.agent([code('exit(null)', 'exit(None)')]);
    const failing = cast.agent([code('fail("no paper")', 'fail("no paper")')]);
    it('ends without a value, with nothing, and by giving up', async () => {
      expect(await (await cast.play(empty)).result()).toBeUndefined();
      expect(await (await cast.play(nothing)).result()).toBeNull();
      const job = await cast.play(failing);
      expect([job.outcome, job.error?.message]).toEqual(['failed', 'no paper']);
    });

    const waiting = cast.agent([
      code(
        'print("before");\nlet n = await ask("How many?");\nprint(n)',
        'print("before")\nn = ask("How many?")\nprint(n)',
      ),
      code('exit(n)', 'exit(n)'),
    ]);
    it('waits in the middle of a reply, and is told what was said meanwhile', async () => {
      const job = await cast.play(waiting);
      expect(job.status).toBe('SUSPENDED');
      await job.say('By the way.');
      await cast.kit.answer((await job.waiting())[0]?.id ?? '', 7);
      expect(await job.result()).toBe(7);
      expect(shown(waiting, 2)).toBe('before\n7\n\nBy the way.');
    });

    const anywhere = cast.agent([
      code(
        `const seen = [];
try {
  if (await ask("if")) seen.push("if");
  seen.push(!(await ask("not")), (await ask("compare")) > 3, (await ask("attribute")).name, Math.max(1, await ask("argument")));
} catch (error) { seen.push("caught") } finally { seen.push("finally") }
seen`,
        `seen = []
try:
    if ask("if"):
        seen.append("if")
    seen += [not ask("not"), ask("compare") > 3, ask("attribute")["name"], max(1, ask("argument"))]
except BaseException:
    seen.append("caught")
finally:
    seen.append("finally")
seen`,
      ),
      code('exit(seen)', 'exit(seen)'),
    ]);
    it('waits wherever a value may stand, and no handler takes the wait for an error', async () => {
      const job = await cast.play(anywhere);
      for (const answer of [true, true, 4, { name: 'Ann' }, 7]) {
        expect((await job.refresh()).status).toBe('SUSPENDED');
        await cast.kit.answer((await job.waiting())[0]?.id ?? '', answer);
        await cast.kit.runUntilIdle();
      }
      expect(await job.result()).toEqual(['if', false, true, 'Ann', 7, 'finally']);
    });

    const keeping = cast.agent([
      code(
        'globalThis.gone = 1; var last = 0; for (var turn = 0; turn < 3; turn++) last = turn;\nfunction later() { return [turn, last] }',
        'gone = 1\nfor turn in range(3):\n    last = turn\ndef later():\n    return [turn, last]',
      ),
      code('delete globalThis.gone; turn = 9', 'del gone; turn = 9'),
      code(
        'exit([later(), typeof gone, Object.keys(globalThis).includes("gone")])',
        'exit([later(), str("gone" in globals()), "gone" in globals()])',
      ),
    ]);
    it('keeps loop variables, functions over them, and deletions from reply to reply', async () => {
      const job = await cast.play(keeping);
      expect(await job.result()).toEqual([[9, 2], pick('undefined', 'False'), false]);
      expect(await job.locals()).not.toHaveProperty('gone');
    });

    const weather = tool({
      name: 'weatherIn',
      description: 'The weather in a town.\n\nIn words.',
      input: z.object({
        townName: z.string().describe('Its name'),
        first_day: z.int().optional(),
        unit: z.enum(['C', 'F']).default('C'),
      }),
      execute: async ({ townName, first_day: day, unit }) => `${townName} ${day ?? 0} ${unit}`,
    });
    const pair = tool({
      name: 'pair',
      input: z.object({ left: z.int(), right: z.int() }),
      execute: ({ left, right }) => [left, right],
    });
    const broken = tool({
      name: 'broken',
      execute: () => {
        throw Object.assign(new RangeError('no such day'), { code: 'E_DAY' });
      },
    });
    /** Joins two texts. */
    const joinTexts = (firstText: string, secondText = '-', options: { upTo?: number } = {}): string =>
      `${firstText}${secondText}${options.upTo ?? ''}`;
    const calling = cast.agent(
      [
        code(
          `const all = [await weatherIn("A"), await weatherIn("B", { first_day: 3 }), await weatherIn({ townName: "C", unit: "F" }), await weatherIn("D", 4, "F")];
print(all.join(";"))`,
          `everything = [weather_in("A", first_day=None), weather_in("B", first_day=3), weather_in(town_name="C", unit="F"), weather_in("D", 4, unit="F")]
print(";".join(everything))`,
        ),
        code(
          'print(pair(1, 2), pair({ left: 1, right: 2 }), joinTexts("a"), joinTexts("a", "b", { upTo: 3 }))',
          'print(pair(1, right=2), pair(right=2, left=1), join_texts("a"), join_texts("a", second_text="b", up_to=3))',
        ),
        code('await weatherIn({ town: 5 })', 'weather_in(town=5)'),
        code('pair("x", 2)', 'pair("x", 2)'),
        code(
          'try { broken() } catch (error) { print(error.name, error.message, error.code) }',
          'try:\n    broken()\nexcept ValueError as error:\n    print(type(error).__name__, error, error.code)',
        ),
        code('exit(await weatherIn("Z"))', 'exit(weatherIn("Z"))'),
      ],
      { tools: { weatherIn: weather, pair, broken, joinTexts } },
    );
    it('calls tools with positional and named parameters, and is told what is wrong with a call', async () => {
      const job = await cast.play(calling);
      expect(await job.result()).toBe('Z 0 C');
      expect(shown(calling, 2)).toBe('A 0 C;B 3 C;C 0 F;D 4 F');
      expect(shown(calling, 3)).toBe(pick('[1, 2] [1, 2] a- ab3', '[1, 2] [1, 2] a- ab3'));
      expect(shown(calling, 4)).toMatch(
        pick(
          /ToolInputError: weatherIn was called with .*townName/,
          /ToolInputError: weather_in was called with .*there is no parameter 'town'.*weather_in\(town_name/,
        ),
      );
      expect(shown(calling, 5)).toMatch(
        pick(
          /Call it as pair\(left, right\)\. \(line 1, column 1\)/,
          /Call it as pair\(left, right\)\. \(line 1, column 1\)/,
        ),
      );
      expect(shown(calling, 6)).toBe(pick('RangeError no such day E_DAY', 'ValueError no such day E_DAY'));
    });

    const bookings: unknown[] = [];
    const book = tool({
      name: 'book',
      input: z.object({
        room: ref(Room),
        day: z.date(),
        note: z.string(),
        from: z.string(),
        count: z.int().optional(),
      }),
      execute: (input) => {
        bookings.push(input);
        return { booked: true, note: null };
      },
    });
    const formal = cast.agent(
      [
        {
          toolCalls: [
            { name: pick('ts_cli', 'python_cli'), input: { code: pick('const note = 5', 'note = 5\n(1, None)') } },
          ],
        },
        {
          toolCalls: [
            { name: 'book', input: { room: 'room', day: '2026-01-05', note: 'note', from: 'Ann', count: null } },
            { name: 'book', input: { room: 'nobody', day: 'x', note: 'y', from: 'z' } },
          ],
        },
        'Booked.',
      ],
      { tools: [book], chatStyle: 'DIRECT', metadata: { LLM_TOOLS_SCOPE: 'ALL' } },
    );
    it('makes formal calls: variables by name, dates, results in the manner of the language', async () => {
      const job = await cast.play(formal, { vars: { room } });
      expect(await job.result()).toBe('Booked.');
      expect(bookings).toEqual([{ room, day: new Date('2026-01-05'), note: 'note', from: 'Ann' }]);
      expect(shown(formal, 2)).toContain(pick('(no output)', '(1, None)'));
      const results = formal.model.requests[2]?.messages.at(-1)?.content;
      const [first, second] = results as unknown as { output: string }[];
      expect(first?.output).toBe(pick('{ booked: true, note: null }', "{'booked': True, 'note': None}"));
      expect(second?.output).toMatch(/ToolInputError: book was called/);
    });

    const shapes = cast.agent([
      code('Array.from({ length: 30 }, (_, n) => n)', 'list(range(30))'),
      code(
        'new Map([[1, new Set(["a"])]])',
        'from collections import namedtuple\n{1: {"a"}, "p": namedtuple("P", "x y")(1, 2.0)}',
      ),
      code(
        'class Point { x = 1; me = this }\nnew Point()',
        'class Point:\n    def __init__(self):\n        self.x = 1\n        self.me = self\nPoint()',
      ),
      code(
        'let x = [0]; for (let n = 0; n < 20; n++) x = [x, x, x];\nx',
        'x = [0]\nfor _ in range(20): x = [x, x, x]\nx',
      ),
      code('exit()', 'exit()'),
    ]);
    it('shows values in the manner of the language, cut to what one can read', async () => {
      await cast.play(shapes);
      expect(shown(shapes, 2)).toMatch(/^\[0, 1, .*, 24, … 5 more, 30 in all\]$/);
      expect(shown(shapes, 3)).toBe(pick("Map(1) {1 => Set(1) {'a'}}", "{1: {'a'}, 'p': P(x=1, y=2.0)}"));
      expect(shown(shapes, 4)).toBe(pick('Point { x: 1, me: [circular] }', 'Point(x=1, me=…)'));
      expect(shown(shapes, 5).length).toBeLessThan(30_000);
    });

    const limited = cast.agent(
      [code('let kept = 1', 'kept = 1'), code('for (;;);', 'while True: pass'), code('exit(kept)', 'exit(kept)')],
      { limits: { sliceMilliseconds: 100 } },
    );
    const looping = cast.agent([code('1', '1'), code('2', '2')], { limits: { turns: 2 } });
    it('stops code and jobs at their limits', async () => {
      const job = await cast.play(limited);
      expect(await job.result()).toBe(1);
      expect(shown(limited, 3)).toMatch(/^LimitError: The code was stopped by its limit/);
      expect((await cast.play(looping)).outcome).toBe('limit');
    });

    const long = cast.agent(
      [
        code(
          'print("begin " + "-".repeat(1000) + " middle " + "-".repeat(1000) + " end")',
          'print("begin", "-" * 1000, "middle", "-" * 1000, "end")',
        ),
        ...Array.from({ length: 6 }, () => code('1', '1')),
        { fault: 'context-too-long' as const },
        code('print((await unfold(3)).includes("middle"))', 'print("middle" in unfold(3))'),
        code('exit("end")', 'exit("end")'),
      ],
      { consoleCharacters: 200 },
    );
    it('shows both ends of a long console, folds old turns, and unfolds them', async () => {
      const job = await cast.play(long);
      expect(await job.result()).toBe('end');
      expect(shown(long, 2)).toMatch(pick(/; await unfold\(3\) shows them/, /out; unfold\(3\) shows them/));
      expect(told(long, 9)).toMatch(pick(/ await unfold\(number\) shows/, /space\. unfold\(number\) shows/));
      expect(told(long, 10)).toContain(pick('true', 'True'));
    });
  },
  60_000,
);
