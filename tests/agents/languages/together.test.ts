// Agents and jobs that work together, in each language and across both: delegation, subtasks, waits, tasks, coordination.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  Agent,
  Coordinator,
  MessageDispatcher,
  Models,
  program,
  Researcher,
  TaskClarifyError,
} from '../../../src/index.ts';
import { scriptedModel, type ScriptStep } from '../../../src/testing.ts';
import { Cast, shown, told, type Language } from './cast.ts';

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const cast = new Cast(language);
    const { code, pick } = cast.words();
    const other: Language = pick('python', 'typescript');
    /** A program of the language as a job. */
    const run = cast.driver(program({ role: 'run', language, source: String }));
    const result = async (typescript: string, python: string, options = {}): Promise<unknown> =>
      (await cast.kit.submit(run, { input: pick(typescript, python), ...options })).result();

    const clerk = cast.agent(
      [
        code(
          'let secretly = typeof secret;\nlet doubled = await delegate("helper", { vars: { n: n * 2, day }, message: "Go on" })',
          'secretly = str("secret" in globals())\ndoubled = delegate("helper", "Go on", vars={"n": n * 2, "day": day})',
        ),
        code(
          'exit({ doubled, secretly, none: null })',
          'exit({"doubled": doubled, "secretly": secretly, "none": None})',
        ),
      ],
      { role: 'clerk' },
    );
    // The helper writes the other language: so the boss's language goes there and back again.
    const helper = cast.agent(
      [
        pick(
          '```python\nexit([n + 1, day.year, {"yes": True}])\n```',
          '```ts\nexit([n + 1, day.getUTCFullYear(), { yes: true }])\n```',
        ),
      ],
      { role: 'helper', language: other },
    );
    const boss = cast.agent([
      code(
        'let secret = 1;\nlet answer = await delegate("clerk", { vars: { n: 4, day: new Date(Date.UTC(2026, 0, 5)) }, message: "Double n", warmup: "print(n)" });\nprint(answer.doubled[0], answer.secretly)',
        'from datetime import datetime, timezone\nsecret = 1\nanswer = delegate("clerk", "Double n", vars={"n": 4, "day": datetime(2026, 1, 5, tzinfo=timezone.utc)}, warmup="print(n)")\nprint(answer["doubled"][0], answer["secretly"])',
      ),
      code('exit(answer)', 'exit(answer)'),
    ]);
    it('delegates to an agent, which delegates to one of the other language', async () => {
      const job = await cast.play(boss);
      const secretly = pick('undefined', 'False');
      expect(await job.result()).toEqual({ doubled: [9, 2026, { yes: true }], secretly, none: null });
      expect(shown(boss, 2)).toBe(`9 ${secretly}`);
      expect(told(clerk, 1)).toContain('Double n');
      expect(told(clerk, 1)).toContain('print(n)');
      expect(helper.model.requests).toHaveLength(1);
    });

    it('starts many jobs at once, and takes all results, or the first', async () => {
      const child = pick(
        'if (n < 0) throw new RangeError("negative"); n * 2',
        'if n < 0: raise ValueError("negative")\nn * 2',
      );
      expect(
        await result(
          `const begin = (n) => delegate("run", { input: ${JSON.stringify(child)}, vars: { n } });
const all = await Promise.all([1, 2, 3].map(begin));
const any = await Promise.any([begin(-1), begin(5)]);
let why; try { await Promise.all([begin(1), begin(-1)]) } catch (error) { why = error.name }
[all, any, why]`,
          `def begin(n):
    return start(delegate, "run", input=${JSON.stringify(child)}, vars={"n": n})
every = get_all([begin(n) for n in (1, 2, 3)])
first = get_any([begin(-1), begin(5)])
try:
    get_all([begin(1), begin(-1)])
except Exception as error:
    why = error.name
[every, first, why]`,
        ),
      ).toEqual([[2, 4, 6], 10, 'JobFailedError']);
    });

    cast.agent([code('exit({ a: [1, 2] })', 'exit({"a": [1, 2]})')], { role: 'quiet' });
    cast.agent(['Three.', 'Four.'], { role: 'talker', chatStyle: 'MD_DIALOG' });
    it('delegates silently, in a conversation, and to many at once', async () => {
      expect(
        await result(
          `const text = await delegateMute("quiet", { message: "Go" });
const talk = await delegateDialog("talker", { message: "How many?" });
const before = talk.answer;
[text, before, await talk.say("And now?"), talk.answer, await delegateAll("run", [{ input: "1" }, { input: "2" }])]`,
          `text = delegate_mute("quiet", "Go")
talk = delegate_dialog("talker", "How many?")
before = talk.answer
[text, before, talk.say("And now?"), talk.answer, delegate_all("run", [{"input": "1"}, {"input": "2"}])]`,
        ),
      ).toEqual([pick('{ a: [1, 2] }', "{'a': [1, 2]}"), 'Three.', 'Four.', 'Four.', [1, 2]]);
    });

    it.runIf(language === 'python')('has asyncio beside plain calls, and futures that tell how they are', async () => {
      expect(
        await result(
          '',
          `import asyncio
one, two = await asyncio.gather(start(delegate, "run", input="7"), start(sleep, 0.01))
f = start(delegate, "run", input="1/0")
before = f.done()
error = f.exception()
try:
    get_any([f])
except* HostError as group:
    inside = len(group.exceptions)
[one, two, before, type(error).__name__, f.done(), inside, get_all([3, start(sleep, 0)])]`,
        ),
      ).toEqual([7, null, false, 'JobFailedError', true, 1, [3, null]]);
    });

    it('refuses jobs nobody could do, and ends waits by their time', async () => {
      expect(
        await result(
          `const tried = async (f) => { try { return await f() } catch (error) { return error.code ?? error.name } };
[await tried(() => delegate("nobody")), await tried(() => delegate("run", { colour: 1 })), await tried(() => delegate("run", { input: "await sleep(1e9)", timeout: 1 })), await tried(() => ask("?", undefined, { timeout: 1 })), await tried(() => signal("s", { timeout: 1 })), await tried(() => approve("?", undefined, { timeout: 1 })), await tried(() => exit.call(null, () => 1))]`,
          `from datetime import timedelta
def tried(f):
    try:
        return f()
    except Exception as error:
        return getattr(error, "code", None) or type(error).__name__
[tried(lambda: delegate("nobody")), tried(lambda: delegate("run", colour=1)), tried(lambda: delegate("run", input="sleep(1e9)", timeout=0.001)), tried(lambda: ask("?", timeout=timedelta(milliseconds=1))), tried(lambda: signal("s", timeout=0.001)), tried(lambda: approve("?", timeout=0.001)), tried(lambda: exit(lambda: 1))]`,
        ),
      ).toEqual(['DRIVER_MISSING', 'INVALID_OPTION', 'TIMEOUT', 'TIMEOUT', 'TIMEOUT', 'TIMEOUT', 'TypeError']);
    });

    it('asks for approval, which is given or denied', async () => {
      const source = pick(
        'let how; try { how = await approve("Send?", { sum: 5 }) } catch (error) { how = error.message }\nhow',
        'try:\n    how = approve("Send?", {"sum": 5})\nexcept Exception as error:\n    how = str(error)\nhow',
      );
      const outcome = async (decide: (id: string) => Promise<void>): Promise<unknown> => {
        const job = await cast.kit.submit(run, { input: source });
        await cast.kit.runUntilIdle();
        await decide((await job.waiting())[0]?.id ?? '');
        return job.result();
      };
      expect(await outcome((id) => cast.kit.approve(id))).toBe(true);
      expect(await outcome((id) => cast.kit.deny(id, 'too much'))).toContain('too much');
    });

    it('runs finally when it is cancelled', async () => {
      const job = await cast.kit.submit(run, {
        input: pick(
          'try { await sleep(1e9) } finally { print("bye") }',
          'try:\n    sleep(1e9)\nfinally:\n    sleep(0.001)\n    print("bye")',
        ),
      });
      await cast.kit.runUntilIdle();
      await job.cancel('enough');
      await cast.kit.runUntilIdle();
      expect((await job.refresh()).outcome).toBe('cancelled');
      expect(await job.console()).toEqual(['bye']);
    });

    const asker = cast.agent(
      [
        code(
          'let task = await startSubtask("finder", { message: "Find it" });\nprint(task.state)',
          'task = start_subtask("finder", "Find it")\nprint(task.state)',
        ),
        'I have asked.',
        code('print((await findSubtask(task)).outcome)', 'print(find_subtask(task).outcome, find_subtask("x"))'),
        'It is there.',
      ],
      { chatStyle: 'MD_DIALOG' },
    );
    const finder = cast.agent(
      [
        code('await completeSubtask([true, null])', 'complete_subtask([True, None])'),
        code('exit({ found: true, where: null })', 'exit({"found": True, "where": None})'),
      ],
      { role: 'finder' },
    );
    it('starts a subtask, receives notices of its answer and its end, and starts again for it', async () => {
      const job = await cast.play(asker);
      expect(await job.result()).toBe('It is there.');
      const everything = told(asker, asker.model.requests.length);
      expect(everything).toContain('READY');
      expect(everything).toMatch(pick(/has answered: \[true, null\]/, /has answered: \[True, None\]/));
      expect(everything).toContain(pick('completed', 'completed None'));
      expect(finder.model.requests).toHaveLength(2);
    });

    const waker = cast.agent(
      [code('await startSubtask("ender")', 'start_subtask("ender")'), 'I have asked.', 'It has ended.'],
      { chatStyle: 'MD_DIALOG' },
    );
    cast.agent([code('exit({ found: true, where: null })', 'exit({"found": True, "where": None})')], { role: 'ender' });
    it('receives a notice when a subtask ends without an answer', async () => {
      const job = await cast.play(waker);
      expect(await job.result()).toBe('It has ended.');
      expect(told(waker, 3)).toContain(
        `has ended (completed): ${pick('{ found: true, where: null }', "{'found': True, 'where': None}")}`,
      );
    });

    const patient = cast.agent([
      code(
        'const begun = [3, 4].map((n) => delegate("run", { input: "n * n", vars: { n } }))',
        'begun = [start(delegate, "run", input="n * n", vars={"n": n}) for n in (3, 4)]',
      ),
      code('exit(await Promise.all(begun))', 'exit(get_all(begun))'),
    ]);
    it('starts something in one reply, and takes its result in another', async () => {
      expect(await (await cast.play(patient)).result()).toEqual([9, 16]);
    });

    const coordinator = cast.player(
      (options) => new Coordinator(options),
      [
        code(
          'const [who] = findAgents("files");\nexit([who.role, await delegate(who.role, { message: "x" })])',
          'who, = find_agents("files")\nexit([who["role"], delegate(who, "x")])',
        ),
      ],
    );
    cast.agent([code('exit("filed")', 'exit("filed")')], { role: 'archive', description: 'Keeps the files' });
    const researcher = cast.player(
      (options) => new Researcher(options),
      [code('let n = await ask("How many?")', 'n = ask("How many?")'), code('answer(n * 2)', 'answer(n * 2)')],
    );
    const dispatcher = cast.player(
      (options) => new MessageDispatcher(options),
      [
        code(
          'let thread = await startNewThread("desk", "Hello");\nawait dispatchTo(thread, "And?");',
          'thread = start_new_thread("desk", message="Hello")\ndispatch_to(thread, "And?")',
        ),
        code('print(await chatHistory(thread, { limit: 5 }))', 'print(chat_history(thread, limit=5))'),
        code('exit(thread)', 'exit(thread)'),
      ],
    );
    cast.agent(['Hi.', 'Well.'], { role: 'desk', chatStyle: 'MD_DIALOG' });
    it('coordinates, researches and dispatches', async () => {
      expect(await (await cast.play(coordinator)).result()).toEqual(['archive', 'filed']);
      const asked = await cast.play(researcher);
      await cast.kit.answer((await asked.waiting())[0]?.id ?? '', 4);
      expect(await asked.result()).toBe(8);
      const dispatched = await cast.play(dispatcher);
      expect(shown(dispatcher, 3)).toMatch(/^(?:user: Hello|Nothing was said yet\.)/);
      expect(await (await cast.kit.job(String(await dispatched.result()))).dialog()).not.toHaveLength(0);
    });

    const adder = (script: readonly ScriptStep[]) => {
      const model = scriptedModel(script);
      const agent = new Agent({
        role: 'adder',
        language,
        metadata: { MODEL: 'script' },
        models: new Models({ models: { script: model }, env: {}, retry: { attempts: 1 } }),
      });
      const add = agent.task({
        input: z.object({ a: z.number(), label: z.string().nullable(), at: z.date(), more: z.array(z.boolean()) }),
        output: z.object({ sum: z.number() }),
        description: 'Adds two numbers.',
        setup: pick(
          'const year = input.at.getUTCFullYear()',
          '\n        if True:\n            year = input["at"].year\n        ',
        ),
      });
      return { add, player: { agent, model } };
    };
    const input = { a: 1, label: null, at: new Date(Date.UTC(2026, 4, 5)), more: [true] };
    it('carries out typed tasks: wrong results, questions, giving up', async () => {
      const { add, player } = adder([
        code('exit("three")', 'exit("three")'),
        code('let unit = await clarify("Which unit?")', 'unit = clarify("Which unit?")'),
        code('exit({ sum: input.a + year + unit })', 'exit({"sum": input["a"] + year + unit})'),
      ]);
      const error = await add(input, { onClarify: () => 10 }).catch((thrown: unknown) => thrown);
      expect(error).toEqual({ sum: 2037 });
      expect(told(player, 1)).toContain(pick('"label":null', '"label": None'));
      expect(told(player, 1)).toContain(pick('const reply = await clarify(question)', 'reply = clarify(question)'));
      expect(shown(player, 2)).toContain('The result was not accepted');
      const failing = adder([code('await clarify("?")', 'clarify("?")'), code('fail("too big")', 'fail("too big")')]);
      const question = await failing.add(input, { state: undefined }).catch((thrown: unknown) => thrown);
      expect(question).toBeInstanceOf(TaskClarifyError);
    });
  },
  60_000,
);
