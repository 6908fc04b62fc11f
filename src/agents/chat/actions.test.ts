import { expect, it } from 'vitest';
import { dialects } from '../language.ts';
import { actionsOf } from './actions.ts';

const fence = '```';
const typescript = { dialect: dialects.typescript, tools: ['search_web'], sends: false } as const;
const said = (text: string) => ({ role: 'assistant', content: text }) as const;
const called = (name: string, input: unknown) =>
  ({ role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name, input: input as never }] }) as const;

it('runs the fences of a dialog, and ends with prose alone', () => {
  const reading = { ...typescript, style: 'MD_DIALOG' } as const;
  expect(actionsOf(said(`Let me see.\n${fence}ts\nx + 1\n${fence}`), 'stop', reading)).toEqual({
    actions: [{ kind: 'code', source: 'x + 1' }],
    notes: [],
    isFinal: false,
  });
  expect(actionsOf(said('It is 42.'), 'stop', reading)).toEqual({ actions: [], notes: [], isFinal: true });
});

it('does not run code that was cut, and says so', () => {
  const reading = { ...typescript, style: 'MD_DIALOG' } as const;
  const { actions, notes, isFinal } = actionsOf(said(`${fence}ts\nlet x = `), 'length', reading);
  expect(actions).toEqual([]);
  expect(notes.join()).toContain('cut');
  expect(isFinal).toBe(false);
});

it('keeps what is said around code as comments, in Markdown', () => {
  const reading = { ...typescript, style: 'MARKDOWN' } as const;
  expect(actionsOf(said(`First this.\n${fence}ts\n1\n${fence}`), 'stop', reading).actions).toEqual([
    { kind: 'code', source: '// First this.\n1', lead: 1 },
  ]);
  const { notes } = actionsOf(said(`${fence}sql\nselect 1\n${fence}`), 'stop', reading);
  expect(notes.join()).toContain("'sql' at line 1");
});

it('takes a whole reply for code in a console, fenced or not', () => {
  const reading = { ...typescript, style: 'CONSOLE' } as const;
  expect(actionsOf(said('exit(1)'), 'stop', reading).actions).toEqual([{ kind: 'code', source: 'exit(1)' }]);
  expect(actionsOf(said(`${fence}\nexit(1)\n${fence}`), 'stop', reading).actions).toEqual([
    { kind: 'code', source: 'exit(1)' },
  ]);
});

it('refuses calls that cannot be made, with what to do', () => {
  const reading = { ...typescript, style: 'DIRECT' } as const;
  expect(actionsOf(called('searchWeb', { query: 'x' }), 'tool-calls', reading).actions).toMatchObject([
    { kind: 'tool', name: 'search_web' },
  ]);
  expect(actionsOf(called('fly', {}), 'tool-calls', reading).actions).toMatchObject([
    { kind: 'refused', output: "There is no tool 'fly'. There are: search_web." },
  ]);
  expect(actionsOf(called('search_web', 'x'), 'tool-calls', reading).actions).toMatchObject([{ kind: 'refused' }]);
});
