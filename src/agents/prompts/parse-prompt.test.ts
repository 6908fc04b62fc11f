// Prompt files: settings, sections by difficulty, placeholders; and errors that name the line.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { difficulties, type Difficulty } from '../../models/door.ts';
import { PromptFileError, PromptValueError } from './errors.ts';
import { parsePrompt, parseTemplate } from './parse-prompt.ts';

const file = (settings: string, text: string): string =>
  `# MODEL: openai/gpt-5-mini\n${settings}\n# System Prompt\n${text}`;

const shown = (text: string, difficulty: Difficulty = 'M', values: Record<string, string> = {}): string =>
  parseTemplate(text, { path: 'a.md', parameters: Object.keys(values) }).render(difficulty, (name) => values[name]);

describe('settings', () => {
  test('are read, and those nobody knows are kept', () => {
    const prompt = parsePrompt(
      [
        '\uFEFF# MODEL: L:openai/gpt-5-mini rl=20,MH:anthropic/claude-opus-5',
        '# PROVIDER: openrouter',
        '#TEMPERATURE:0.5',
        '# CHAT_STYLE: md_dialog',
        '# DESCRIPTION: Keeps a calendar: yours',
        '# LLM_TOOLS_SCOPE: APPLICATION +brief, docstr -secret',
        '# DEFAULT_DIFFICULTY: H',
        "# POST_PROCESSORS: FinalCheck(maxActions=2), Tidy(style='a b', strict=true)",
        '# LANGUAGE: Python',
        '# AUTO_LANG_RULE: yes',
        '# AUTO_LANG_HINT: false',
        '',
        '# MAX_TURNS: 1_000',
        '# MAX_COST: 0.25',
        '# MAX_TOKENS: unlimited',
        '# TEAM: blue',
        '# system prompt:',
        'Hello',
      ].join('\r\n'),
      'prompts/a.md',
    );
    expect(prompt.metadata).toMatchObject({
      model: { L: 'openai/gpt-5-mini rl=20', M: 'anthropic/claude-opus-5', H: 'anthropic/claude-opus-5' },
      provider: 'openrouter',
      temperature: 0.5,
      chatStyle: 'MD_DIALOG',
      description: 'Keeps a calendar: yours',
      toolsScope: { base: 'APPLICATION', added: ['brief', 'docstr'], removed: ['secret'] },
      defaultDifficulty: 'H',
      postProcessors: [
        { name: 'FinalCheck', options: { maxActions: 2 } },
        { name: 'Tidy', options: { style: 'a b', strict: true } },
      ],
      language: 'python',
      languageRule: true,
      languageHint: false,
      limits: { turns: 1000, cost: 0.25, tokens: Number.POSITIVE_INFINITY },
    });
    expect(prompt.metadata.entries['TEAM']).toBe('blue');
    expect(prompt.template.text).toBe('Hello');
  });

  test.each([
    ['# TEMPERATURE: warm', 2, "TEMPERATURE is 'warm'; it must be a number from 0 to 2"],
    ['# TEMPERATURE: 3', 2, 'from 0 to 2'],
    ['\n# CHAT_STYLE: SHELL', 3, 'CONSOLE, MARKDOWN, MD_DIALOG, DIRECT'],
    ['# LANGUAGE: ruby', 2, 'typescript, python'],
    ['# DEFAULT_DIFFICULTY: LM', 2, 'L, M, H'],
    ['# LLM_TOOLS_SCOPE: SOME', 2, "'ALL +a,b -c'"],
    ['# MAX_TURNS: 0', 2, "whole number from 1 or 'unlimited'"],
    ['# MAX_COST: -1', 2, 'US dollars'],
    ['# AUTO_LANG_RULE: maybe', 2, 'true or false'],
    ['# POST_PROCESSORS: FinalCheck(2)', 2, 'FinalCheck(maxActions=2)'],
    ['# PROVIDER:', 2, 'PROVIDER is empty'],
    ['# MODEL: x/y', 2, 'MODEL is set a second time; line 1 has it already'],
    ['# Model: x/y', 2, 'the key in capitals'],
    ['Hello', 2, "'Hello' is not a setting"],
    ['# PARAMETERS: a b', 2, 'names separated by commas'],
  ])('%j is refused on line %i', (settings, line, message) => {
    const parse = (): unknown => parsePrompt(file(settings, 'Hello'), 'prompts/a.md');
    expect(parse).toThrow(PromptFileError);
    expect(parse).toThrow(`prompts/a.md:${line} `);
    expect(parse).toThrow(message);
  });

  test('a model is needed', () => {
    expect(() => parsePrompt('# MODLE: x\n# System Prompt\n', 'a.md')).toThrow(
      "a.md:2 MODEL is missing: it names the model, as in 'openai/gpt-5-mini'. There is 'MODLE'; write MODEL.",
    );
    expect(() => parsePrompt('# MODEL: L:a/b\n# System Prompt\n', 'a.md')).toThrow(/a\.md:1 .*no model for M, H/);
    expect(() => parsePrompt('# MODEL: a/b speed=9\n# System Prompt\n', 'a.md')).toThrow(/parameter 'speed'/);
    expect(() => parsePrompt('# MODEL: a/b\nHello', 'a.md')).toThrow("no line '# System Prompt'");
  });
});

describe('sections', () => {
  test('are shown at their difficulties, without the mark', () => {
    const text = [
      'Start',
      '--- MH: Plan ---',
      'plan',
      '## H: Deep',
      'deep',
      '### More',
      'more',
      '## Next',
      'next',
      '*** L: Short ***',
      'short',
      '--- All ---',
      'all',
    ].join('\n');
    expect(shown(text, 'L')).toBe('Start\n*** Short ***\nshort\n--- All ---\nall');
    expect(shown(text, 'M')).toBe('Start\n--- Plan ---\nplan\n## Next\nnext\n--- All ---\nall');
    expect(shown(text, 'H')).toBe(
      'Start\n--- Plan ---\nplan\n## Deep\ndeep\n### More\nmore\n## Next\nnext\n--- All ---\nall',
    );
  });

  test('tags end what begins inside them', () => {
    const text = '<Rules>\n## H: Deep\ndeep\n</Rules>\nrest <Hint difficulty="L">be quick</Hint>!';
    expect(shown(text, 'L')).toBe('<Rules>\n</Rules>\nrest <Hint>be quick</Hint>!');
    expect(shown(text, 'H')).toBe('<Rules>\n## Deep\ndeep\n</Rules>\nrest !');
  });

  test('a tag that has its lines to itself leaves none behind', () => {
    const text = "a\n<Box kind='x' difficulty='H'>\n<Box>inner</Box>\n</Box>\nb";
    expect(shown(text, 'L')).toBe('a\nb');
    expect(shown(text, 'H')).toBe("a\n<Box kind='x'>\n<Box>inner</Box>\n</Box>\nb");
  });

  test('code is no section, and types are no tags', () => {
    const text = '--- H: Code ---\n```py\n## L: comment\n<A difficulty="L">\n```\nPromise<Meeting> and a < b > c';
    expect(shown(text, 'L')).toBe('');
    expect(shown(text, 'H')).toBe(text.replace('H: ', ''));
  });

  test.each([
    ['x\n<Hint difficulty="L">a', 2, 'is not closed by </Hint>'],
    ['<Hint difficulty="easy">a</Hint>', 1, 'difficulty="easy" must be letters'],
    ['<Hint dificulty="L">a</Hint>', 1, 'Did you mean difficulty?'],
  ])('%j is refused', (text, line, message) => {
    expect(() => shown(text)).toThrow(`a.md:${line} `);
    expect(() => shown(text)).toThrow(message);
  });

  test('property: a line is shown exactly where all the headings above it are', () => {
    const letters = fc.constantFrom('', 'L', 'M', 'H', 'LM', 'MH', 'LH');
    const heading = fc.record({ rank: fc.integer({ min: 1, max: 4 }), letters });
    fc.assert(
      fc.property(fc.array(heading, { maxLength: 12 }), (headings) => {
        const text = headings.flatMap(({ rank, letters: at }, index) => {
          const title = at === '' ? `t${index}` : `${at}: t${index}`;
          return [rank === 1 ? `--- ${title} ---` : `${'#'.repeat(rank)} ${title}`, `body${index}.`];
        });
        for (const difficulty of difficulties) {
          const result = shown(text.join('\n'), difficulty);
          let open: { rank: number; letters: string }[] = [];
          for (const [index, one] of headings.entries()) {
            open = [...open.filter(({ rank }) => rank < one.rank), one];
            const isShown = open.every(({ letters: at }) => at === '' || at.includes(difficulty));
            expect(result.includes(`body${index}.`)).toBe(isShown);
          }
        }
      }),
    );
  });
});

describe('placeholders', () => {
  test('are filled in, each value asked for once', () => {
    const asked: string[] = [];
    const prompt = parsePrompt(file('# PARAMETERS: who', 'Hi {who} and {who}, {brief_tools}'), 'a.md');
    const text = prompt.template.render('L', (name) => {
      asked.push(name);
      return name.toUpperCase();
    });
    expect(text).toBe('Hi WHO and WHO, BRIEF_TOOLS');
    expect(asked).toEqual(['who', 'brief_tools']);
    expect(prompt.template.placeholders).toEqual(new Set(['who', 'brief_tools']));
  });

  test('on a commented line give comments, and an indented listing keeps its indent', () => {
    expect(shown('  # {tools}\n// Types: {types}\n  {tools}', 'L', { tools: 'a\n\nb', types: 'x\ny' })).toBe(
      '# a\n  # \n  # b\n// Types: x\n// y\n  a\n  \n  b',
    );
  });

  test('other braces are left alone, and values are not read again', () => {
    const text =
      'a {} { x } {a: 1} {"a": 1} ${name} {a.b} {1} `{code}` {{ y }} {{literal}} {tools}\n```js\n{x} {{y}} {{tools}}\n```';
    expect(shown(text, 'L', { tools: '{types}' })).toBe(
      'a {} { x } {a: 1} {"a": 1} ${name} {a.b} {1} `{code}` {{ y }} {literal} {types}\n```js\n{x} {{y}} {tools}\n```',
    );
  });

  test('one that is unknown is an error when the file is read, with its line', () => {
    const parse = (): unknown => parsePrompt(file('', '\n\nFirst\nUse {breif_tools}.'), 'a.md');
    expect(parse).toThrow(PromptFileError);
    expect(parse).toThrow('a.md:7 There is no placeholder {breif_tools}');
    expect(parse).toThrow('Did you mean brief_tools?');
  });

  test('an error names the file, and no folder of this machine', () => {
    const parse = (): unknown => parsePrompt('# MODEL: L:a/b\n# System Prompt\n', '/srv/prompts/a.md');
    expect(parse).toThrow(/^a\.md:1 /);
  });

  test('one without a value is an error that names the file, and no folder of this machine', () => {
    const render = (): unknown => parseTemplate('{types}', { path: '/srv/prompts/a.md' }).render('L', () => undefined);
    expect(render).toThrow(PromptValueError);
    expect(render).toThrow(/^a\.md uses \{types\}/);
  });

  test('property: text without names in braces stays as it is', () => {
    const plain = fc
      .string({ unit: fc.constantFrom('{', '}', ' ', 'a', '\n', '$', '.', '`', '"', ':', '\\') })
      .filter((text) => !/\{[A-Za-z_]\w*\}/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        expect(shown(`.\n${text}\n.`)).toBe(`.\n${text}\n.`);
      }),
    );
  });
});
