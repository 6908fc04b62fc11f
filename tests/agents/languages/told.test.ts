// What a model is told of what it has: its variables with their types, its tools, and what the workspace itself offers.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Durable, tool } from '../../../src/index.ts';
import { Cast, shown, told, type Language } from './cast.ts';

class Meeting extends Durable {
  title: string;
  day = 'Wednesday';

  constructor(title: string) {
    super();
    this.title = title;
  }

  moveTo(day: string): void {
    this.day = day;
  }
}

const pay = tool({
  name: 'payMoney',
  description: 'Pays somebody.',
  input: z.object({ to: z.string(), euros: z.number() }),
  execute: () => 'paid',
});

describe.each<Language>(['typescript', 'python'])(
  '%s',
  (language) => {
    const cast = new Cast(language, () => ({ classes: [Meeting] }));
    const { code, pick } = cast.words();
    const done = [code('exit()', 'exit()')];

    const first = cast.agent(done, { tools: [pay] });
    it('sees its variables, their types, its tools, and what the workspace offers', async () => {
      const meetings = [new Meeting('Planning'), new Meeting('Review')];
      await cast.play(first, { vars: { meetings, today: new Date(0), limits: { maxHours: 3 } } });
      const prompt = told(first, 1);
      const expected = pick(
        [
          'meetings: Meeting[]',
          'interface Meeting',
          'title: string',
          'moveTo(day',
          'today: Date',
          'payMoney(to: string, euros: number)',
          'await ask(question, details?, { timeout? }) // asks a person, and waits for the answer',
        ],
        [
          'meetings: list[Meeting]',
          'class Meeting',
          'title: str',
          'move_to(self, day',
          'today: datetime',
          'pay_money(to: str, euros: float)',
          'ask(question, details=None, *, timeout=None) # asks a person, and waits for the answer',
        ],
      );
      for (const text of expected) expect(prompt).toContain(text);
      const names = pick(
        ['approve', 'signal', 'sleep', 'until', 'delegate', 'startSubtask', 'printLocals', 'exit', 'fail', 'docstr'],
        ['approve', 'signal', 'sleep', 'until', 'delegate', 'start_subtask', 'get_all', 'exit', 'fail', 'docstr'],
      );
      for (const name of names) expect(prompt).toContain(`${name}(`);
    });

    const typed = cast.agent(done, { tools: [pay], systemPrompt: 'You have:\n{types}' });
    const listed = cast.agent(done, { tools: [pay], systemPrompt: 'Tools:\n{brief_tools}\nEnd of tools.' });
    it('sees its tools beside {types}, and its own tools alone in {brief_tools}', async () => {
      await cast.play(typed, { vars: { town: 'Oslo' } });
      expect(told(typed, 1)).toContain('town: ');
      expect(told(typed, 1)).toContain(pick('payMoney(', 'pay_money('));
      expect(told(typed, 1).split('town: ')).toHaveLength(2);
      await cast.play(listed, { vars: { town: 'Oslo' } });
      const [own = ''] = told(listed, 1).split('End of tools.');
      expect(own).toContain(pick('payMoney(', 'pay_money('));
      for (const name of ['docstr', 'panic', 'brief(']) expect(own).not.toContain(name);
      expect(told(listed, 1)).toContain('town: ');
      expect(told(listed, 1).split(pick('payMoney(', 'pay_money('))).toHaveLength(2);
    });

    const plain = cast.agent(done, { tools: [pay], metadata: { AUTO_STYLE_RULE: 'false' } });
    it('AUTO_STYLE_RULE: false leaves out how to write, and nothing else', async () => {
      await cast.play(plain);
      expect(told(plain, 1)).not.toContain('in fences labelled');
      expect(told(plain, 1)).toContain(pick('payMoney(', 'pay_money('));
      expect(told(plain, 1)).toContain('approve(');
    });

    const asking = cast.agent(
      [
        code(
          'print(docstr("startSubtask")); print(brief("ask"))',
          'print(docstr("start_subtask")); print(brief("ask"))',
        ),
        code('print(docstr("docstr")); print(docstr("nothing"))', 'print(docstr("docstr")); print(docstr("nothing"))'),
        code('print(brief())', 'print(brief())'),
        ...done,
      ],
      { tools: [pay] },
    );
    it('looks up with docstr and brief what the workspace offers', async () => {
      await cast.play(asking);
      expect(shown(asking, 2)).toContain(
        'gives work to another agent without waiting; you receive a notice when it ends',
      );
      expect(shown(asking, 2)).toContain('It returns a subtask with id, state, outcome, result and error');
      expect(shown(asking, 2)).toContain('asks a person, and waits for the answer');
      expect(shown(asking, 3)).toContain('Everything there is to know about a tool');
      expect(shown(asking, 3)).toContain('Nothing is known of that.');
      for (const name of [pick('payMoney(', 'pay_money('), 'panic(', 'approve('])
        expect(shown(asking, 4)).toContain(name);
    });

    const each = pick(
      [
        ...['print', 'ask', 'approve', 'signal', 'sleep', 'until', 'delegate', 'delegateAll', 'delegateMute'],
        ...['delegateDialog', 'startSubtask', 'findSubtask', 'completeSubtask', 'printLocals', 'exit', 'fail'],
      ],
      [
        ...['print', 'ask', 'approve', 'signal', 'sleep', 'until', 'delegate', 'delegate_all', 'delegate_mute'],
        ...['delegate_dialog', 'start_subtask', 'find_subtask', 'complete_subtask', 'start', 'get_all', 'get_any'],
        ...['print_locals', 'exit', 'fail'],
      ],
    );
    const itself = cast.agent(
      [
        code(
          each.map((name) => `print(docstr(${name}) === docstr("${name}"), brief(${name}))`).join('\n'),
          each.map((name) => `print(docstr(${name}) == docstr("${name}"), brief(${name}))`).join('\n'),
        ),
        code(
          'print(docstr(payMoney) === docstr("payMoney"), docstr(docstr) === docstr("docstr")); const own = () => 1; print(docstr(own))',
          'print(docstr(pay_money) == docstr("pay_money"), docstr(docstr) == docstr("docstr"))\ndef own():\n    pass\nprint(docstr(own))',
        ),
        ...done,
      ],
      { tools: [pay] },
    );
    it('looks up with docstr and brief a function itself, and not only its name', async () => {
      await cast.play(itself);
      const lines = shown(itself, 2).split('\n').filter(Boolean);
      for (const [index, name] of each.entries()) {
        expect(lines[index]).toMatch(pick(/^true /, /^True /));
        expect(lines[index]).toContain(`${name}(`);
      }
      expect(shown(itself, 3)).toContain(pick('true true', 'True True'));
      expect(shown(itself, 3)).toContain('Nothing is known of that.');
    });

    const codeless = cast.agent(['Done.'], {
      tools: [pay],
      chatStyle: 'DIRECT',
      metadata: { LLM_TOOLS_SCOPE: 'APPLICATION' },
    });
    it('sees nothing of a workspace whose code it cannot write', async () => {
      await cast.play(codeless);
      expect(told(codeless, 1)).not.toContain('approve(');
    });
  },
  60_000,
);
