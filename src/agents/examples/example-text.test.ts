// Examples: read from files, written from chats, and laid out in each style.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { ChatItem, Example } from './example.ts';
import { exampleFromChat, formatExample, parseExample } from './example-text.ts';
import { layOutExample } from './layout.ts';

const written = `# name: Move a meeting
# seq_id: 10
# difficulty: m

### user

Move it.

### assistant
I look first.

\`\`\`json
{ "not": "run" }
\`\`\`

\`\`\`ts
print(1);
\`\`\`
> 1
> 2

\`\`\`typescript
exit();
\`\`\`

Done.
> a quote
`;

const example: Example = {
  name: 'Move a meeting',
  number: 10,
  difficulty: 'M',
  items: [
    { role: 'user', text: 'Move it.' },
    { role: 'assistant', text: 'I look first.\n\n```json\n{ "not": "run" }\n```', code: 'print(1);', console: '1\n2' },
    { role: 'assistant', code: 'exit();' },
    { role: 'assistant', text: 'Done.\n> a quote' },
  ],
};

describe('files', () => {
  test('are read, and written so that they are read again', () => {
    expect(parseExample(written, 'a.md')).toEqual(example);
    expect(parseExample(formatExample(example, 'typescript'), 'b.md')).toEqual(example);
  });

  test('may be code alone, and are named after their path', () => {
    expect(parseExample('```python\nx = 1\n```\n```console\nok\n```', 'dir/a.md', 'a')).toEqual({
      name: 'a',
      items: [{ role: 'assistant', code: 'x = 1', console: 'ok' }],
    });
  });

  test.each([
    ['# seq_id: ten', "a.md:1 seq_id is 'ten'; it must be a whole number."],
    ['# name: x\n\n# difficulty: X', "a.md:3 difficulty is 'X'; it must be one of L, M, H."],
    ['# seqid: 1', "a.md:1 There is no header 'seqid'; there are name, seq_id, difficulty. Did you mean seq_id?"],
    ['---\nname: x\ncolour: red\n---', "a.md:3 There is no header 'colour'"],
    ['# name: x\n# name: y', 'a.md:2 name is given a second time.'],
  ])('%j is refused', (text, message) => {
    expect(() => parseExample(text, 'a.md')).toThrow(message);
  });

  test('property: what a job said comes back', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\n\u2028\u2029]/.test(text)),
      fc.constantFrom(
        '### user',
        '### assistant ',
        '\\### user',
        '```',
        '````ts',
        '~~~',
        '> x',
        '>',
        '\\> x',
        '',
        '# name: y',
        '---',
      ),
    );
    const block = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
    const prose = block
      .map((text) => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd())
      .filter((text) => text.trim() !== '');
    const item = fc
      .record(
        { role: fc.constantFrom('user', 'assistant', 'system'), text: prose, code: block, console: block },
        { requiredKeys: ['role'] },
      )
      .map((one) => one as ChatItem);
    const name = fc.stringMatching(/^[A-Za-z][\w :]{0,20}\w$/).map((text) => text.replaceAll(/\s+/g, ' '));
    fc.assert(
      fc.property(
        name,
        fc.array(item, { maxLength: 6 }),
        fc.constantFrom('typescript', 'python'),
        (title, items, language) => {
          const made = exampleFromChat(title, items, { number: 3, difficulty: 'H' });
          expect(parseExample(formatExample(made, language), 'a.md')).toEqual(made);
        },
      ),
    );
  });
});

describe('styles', () => {
  const short: Example = {
    name: 'Add',
    items: [
      { role: 'user', text: 'Add.' },
      { role: 'assistant', text: 'I add.', code: 'print(1);', console: '1\n\n2' },
    ],
  };

  test.each<[ChatStyle, string]>([
    ['CONSOLE', '// Example: Add\n\n// User: Add.\n\n// I add.\nprint(1);\n> 1\n>\n> 2'],
    ['MARKDOWN', 'Example: Add\n\nUser: Add.\n\nI add.\n\n```ts\nprint(1);\n```\n\n1\n\n2'],
    ['MD_DIALOG', 'Example: Add\n\nUser: Add.\n\nI add.\n\n```ts\nprint(1);\n```\n\n<CONSOLE>\n1\n\n2\n</CONSOLE>'],
    [
      'DIRECT',
      'Example: Add\n\nUser: Add.\n\nI add.\n\nTool call ts_cli:\n```ts\nprint(1);\n```\n\nTool result:\n1\n\n2',
    ],
  ])('%s', (style, text) => {
    expect(layOutExample(short, { style, language: 'typescript' })).toBe(text);
  });

  test('boxes wrap console and example', () => {
    expect(
      layOutExample(
        { name: 'A', items: [{ role: 'assistant', code: 'x', console: 'y' }] },
        { style: 'MARKDOWN', language: 'python', consoleBox: 'OUT', exampleBox: 'EX' },
      ),
    ).toBe('<EX>\nExample: A\n\n```python\nx\n```\n\n<OUT>\ny\n</OUT>\n</EX>');
  });
});
