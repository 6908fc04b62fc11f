// How an agent is spoken to, in each language: chat styles, warmup, listings, examples, documents, memory, help.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DialogAgent, SupervisedAgent, tool } from '../../../src/index.ts';
import { Cast, shown, told, type Language } from './cast.ts';

class Calendar {
  ownerName = 'Ann';
  /** Finds a meeting by its title. */
  findMeeting(title: string): string {
    return title;
  }
}

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const calendar = new Calendar();
    const cast: Cast = new Cast(language, () => ({
      services: { calendar },
      settings: {
        prompts: join(cast.folder, 'prompts'),
        warmups: join(cast.folder, 'warmups'),
        examples: join(cast.folder, 'examples'),
        documents: join(cast.folder, 'documents'),
      },
    }));
    const { code, pick } = cast.words();
    const file = (path: string, text: string): void => {
      mkdirSync(dirname(join(cast.folder, path)), { recursive: true });
      writeFileSync(join(cast.folder, path), text);
    };
    for (const folder of ['prompts', 'warmups', 'examples', 'documents']) file(`${folder}/.keep`, '');

    const console = cast.agent(
      [pick('// look\nlet x = 2\nprint("a")\nprint("b")', '# look\nx = 2\nprint("a")\nprint("b")'), 'exit(x)'],
      { chatStyle: 'CONSOLE' },
    );
    it('CONSOLE: the whole reply is code', async () => {
      expect(await (await cast.play(console)).result()).toBe(2);
      expect(shown(console, 2)).toBe('> a\n> b');
      expect(told(console, 1)).toContain(
        pick('You write TypeScript into a console', 'You write Python into a console'),
      );
    });

    const markdown = cast.agent([
      `Here:\n${pick('```python\nprint(1)\n```', '```ts\nprint(1)\n```')}`,
      code('exit("x")', 'exit("x")'),
    ]);
    it('MARKDOWN: fences of another language are not run, and the model is told so', async () => {
      expect(await (await cast.play(markdown)).result()).toBe('x');
      expect(told(markdown, 2)).toMatch(pick(/'python' at line 2 .* labelled ts/, /'ts' at line 2 .* labelled python/));
    });

    const talking = cast.agent(['It is four.', 'It is four, as I said.']);
    const working = cast.agent([
      'Let me think.',
      code('let n = 4', 'n = 4'),
      'It is four.',
      code('exit(n)', 'exit(n)'),
    ]);
    it('MARKDOWN: prose without code is the answer, after a reminder', async () => {
      const job = await cast.play(talking);
      expect([job.outcome, await job.result()]).toEqual(['completed', 'It is four, as I said.']);
      expect(told(talking, 2)).toContain('If there is nothing to run, say your answer again: it ends the job.');
      expect(await (await cast.play(working)).result()).toBe(4);
    });

    const labels = pick(['tsx', 'javascript', 'jsx', 'TS'], ['python3', 'py3', 'py', 'Python']);
    const labelled = cast.agent([
      ...labels.map((label) => `\`\`\`${label}\nprint("ran")\n\`\`\``),
      code('exit()', 'exit()'),
    ]);
    it('MARKDOWN: runs fences by every name of the language', async () => {
      expect(await (await cast.play(labelled)).console()).toEqual(labels.map(() => 'ran'));
    });

    const sent: string[] = [];
    const dialog = cast.player(
      (options) => new DialogAgent({ ...options, sendMessage: async (body) => void sent.push(body) }),
      [
        `One moment.\n${code('let n = 3;\nawait answer("in between")', 'n = 3\nanswer("in between")')}`,
        'It is three.',
        code('n + 1', 'n + 1'),
        'Four.',
      ],
    );
    it('MD_DIALOG: prose is sent, code runs, and a reply without code is the answer', async () => {
      const job = await cast.play(dialog);
      expect(await job.result()).toBe('It is three.');
      await job.say('And one more?');
      expect(await job.result()).toBe('Four.');
      expect(sent).toEqual(['One moment.', 'in between', 'It is three.', 'Four.']);
      expect(shown(dialog, 4)).toBe('<CONSOLE>\n4\n</CONSOLE>');
    });

    const tool_ = pick('ts_cli', 'python_cli');
    const direct = cast.agent(
      [
        {
          text: 'I look.',
          toolCalls: [{ name: tool_, input: { code: pick('let a = 1; print("in")', 'a = 1; print("in")') } }],
        },
        `Two.\n${code('exit(3)', 'exit(3)')}`,
      ],
      { chatStyle: 'DIRECT' },
    );
    it('DIRECT: code runs through its tool only', async () => {
      const job = await cast.play(direct);
      expect(direct.model.requests[0]?.tools?.map(({ name }) => name)).toEqual([tool_]);
      expect(await job.result()).toContain('Two.');
      expect(direct.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ output: 'in' }] });
    });

    const find = tool({
      name: 'find',
      input: z.object({ title: z.string(), days: z.array(z.int()).optional() }),
      execute: ({ title }) => `found ${title}`,
    });
    const secret = tool({ name: '_secret', execute: () => 42 });
    const warmed = cast.player(
      (options) =>
        new SupervisedAgent({
          ...options,
          tools: [find, secret],
          warmup: pick(
            `
          //STATEK: hidden = True
          const key = _secret();
          print(key)
          // ------------
          const first = find("x", { days: [1, 2] }) //STATEK: as tool
          // ------------
          if (own > 1) {
            print("own is", own)
          }`,
            `
          #STATEK: hidden = True
          key = _secret()
          print(key)
          # ------------
          first = find("x", days=[1, 2]) #STATEK: as tool
          # ------------
          if own > 1:
              print("own is", own)`,
          ),
        }),
      [code('exit([key, first, own])', 'exit([key, first, own])')],
      { metadata: { LLM_TOOLS_SCOPE: 'APPLICATION' } },
    );
    it('warms up in blocks, hidden or as tool calls, the job’s own first', async () => {
      const job = await cast.play(warmed, { warmup: pick('const own = 10', 'own = 10') });
      expect(await job.result()).toEqual([42, 'found x', 10]);
      expect(told(warmed, 1)).not.toMatch(/_secret|42/);
      expect(warmed.model.requests[0]?.messages[4]).toMatchObject({
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            name: 'find',
            input: { title: 'x', days: [1, 2] },
          },
        ],
      });
      expect(warmed.model.requests[0]?.messages[5]).toMatchObject({
        role: 'tool',
        content: [{ type: 'tool-result', name: 'find', output: 'found x' }],
      });
      expect(told(warmed, 1)).toContain('own is 10');
    });

    const cold = cast.player((options) => new SupervisedAgent({ ...options, warmup: 'nothing()' }), []);
    file(`warmups/filed.${pick('ts', 'py')}`, pick('const fromFile = 7;\n', 'from_file = 7\n'));
    const filed = cast.player((options) => new SupervisedAgent(options), [code('exit(fromFile)', 'exit(from_file)')], {
      role: 'filed',
    });
    it('takes its warmup from a file, and fails with it', async () => {
      expect(await (await cast.play(filed)).result()).toBe(7);
      const job = await cast.play(cold);
      expect(job.error?.message).toMatch(pick(/^The warmup failed: ReferenceError/, /^The warmup failed: NameError/));
    });

    file(
      'prompts/reader.md',
      `# MODEL: reader\n# LANGUAGE: ${language}\n# System Prompt\nTools:\n{tools}\nTypes:\n{types}\nVariables: {shared_var_names}`,
    );
    const reader = cast.player(
      ({ language: _language, metadata: _metadata, ...options }) => new SupervisedAgent({ ...options, tools: [find] }),
      [
        code('print(brief(calendar)); print(brief("find"))', 'print(brief(calendar)); print(brief("find"))'),
        code('let total = { a: null }; printLocals()', 'total = {"a": None}\nprint_locals()'),
        code(
          'exit([calendar.findMeeting("x"), calendar.ownerName, isOpen])',
          'exit([calendar.find_meeting("x"), calendar.owner_name, is_open])',
        ),
      ],
      { role: 'reader' },
    );
    it('reads what it can use in its own language, which the prompt file names', async () => {
      const job = await cast.play(reader, { vars: { calendar, isOpen: true } });
      expect(await job.result()).toEqual(['x', 'Ann', true]);
      const system = told(reader, 1);
      expect(system).toMatch(
        pick(
          /find\(title: string, options\?: { days\?: number\[\] }/,
          /def find\(title: str, \*, days: list\[int\] \| None = None\)/,
        ),
      );
      expect(system).toContain(pick('findMeeting(', 'def find_meeting(self, title'));
      expect(system).toContain(pick('Variables: calendar, isOpen', 'Variables: calendar, is_open'));
      expect(shown(reader, 2)).toContain(pick('interface Calendar', 'class Calendar:'));
      expect(shown(reader, 3)).toContain(
        pick('isOpen = true\ntotal = { a: null }', "is_open = True\ntotal = {'a': None}"),
      );
    });

    file(
      'examples/pupil/move.md',
      '# name: Move a meeting\n# seq_id: 1\n# difficulty: M\n\n### user\n\nMove it.\n\n### assistant\n\n```python\nmove()\n```\n',
    );
    file('documents/rules.md', '# title: Rules\n\nBe kind.\n');
    const pupil = cast.agent(
      [
        code(
          'print(listOfExamples()); print(await showExample(1)); print(listOfDocuments(), showDocument("Rules", { startFrom: 1 }), searchDocuments("KIND", { limit: 1 }))',
          'print(list_of_examples()); print(show_example(1)); print(list_of_documents(), show_document("Rules", start_from=1), search_documents("KIND", limit=1))',
        ),
        code('await panic("too hard")', 'panic("too hard")'),
        code('exit()', 'exit()'),
      ],
      { role: 'pupil' },
    );
    it('reads examples and documents, and asks for a stronger model', async () => {
      const job = await cast.play(pupil);
      expect(shown(pupil, 2)).toContain('Move a meeting');
      expect(shown(pupil, 2)).toContain('Be kind.');
      expect(shown(pupil, 2)).toContain("'Rules', line 1: Be kind.");
      expect((await job.usage()).turns.map(({ difficulty }) => difficulty)).toEqual(['L', 'M', 'H']);
    });

    const keeper = cast.agent([
      code(
        'await remember("on", { since: null, open: true }, { category: "PREFERENCE" }); exit()',
        'remember("on", {"since": None, "open": True}, category="PREFERENCE"); exit()',
      ),
      code('print(await recall("on"))', 'print(recall(query="on"))'),
      code('exit()', 'exit()'),
    ]);
    it('remembers from job to job', async () => {
      const memory = { specifiers: [`user:${language}`] };
      await cast.play(keeper, { memory });
      await cast.play(keeper, { memory });
      const fact = pick(
        'on (PREFERENCE): { since: null, open: true }',
        "on (PREFERENCE): {'since': None, 'open': True}",
      );
      expect(told(keeper, 2)).toContain(fact);
      expect(shown(keeper, 3)).toBe(fact);
    });

    const sharer = cast.agent([
      code('print(meetingLength)', 'print(meetingLength, meeting_length)'),
      `${code('meetingLength = 30', 'print("not run")\nmeeting_length = 30')}\n${code('var meetingLength = 40', 'for meetingLength in [40]: pass')}`,
      code(
        'globalThis.seen = [meetingLength, Math.max(1, 2)]',
        'def f(meeting_length):\n    return meeting_length\nglobals()["meeting_length"] = 50\nseen = [f(1), len("two")]',
      ),
      code('await remember("meetingLength", 45);', 'remember("meetingLength", 45)'),
      code('exit([seen, meetingLength])', 'exit([seen, meeting_length, meetingLength])'),
    ]);
    it('has facts as variables, which cannot be assigned over', async () => {
      const memory = { specifiers: [`shared:${language}`] };
      const mine = cast.kit.memory.bind(memory.specifiers);
      await mine.remember('meetingLength', 25);
      // Names that mean something already, or nothing in code, are left alone.
      for (const name of ['Math', 'len', 'two words']) await mine.remember(name, 1);
      const job = await cast.play(sharer, { memory });
      expect(await job.result()).toEqual(pick([[25, 2], 45], [[1, 3], 45, 45]));
      expect(told(sharer, 1)).toContain('are read-only');
      expect(shown(sharer, 2)).toBe(pick('25', '25 25'));
      const [first, second] = (await job.chat()).flatMap((item) => (item.kind === 'step' && item.error) || []);
      expect([first?.message, second?.message]).toEqual(
        pick(
          [expect.stringContaining('meetingLength'), expect.stringContaining('meetingLength')],
          [
            expect.stringContaining('cannot assign to meeting_length: it is remembered, and others share it'),
            expect.stringContaining("remember('meetingLength', value) changes it"),
          ],
        ),
      );
      expect([first?.line, second?.line]).toEqual(pick([1, 1], [2, 1]));
      expect(await job.console()).not.toContain('not run');
    });
  },
  60_000,
);
