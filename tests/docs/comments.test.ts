// Every exported thing has a comment that says what it is for, and the examples in comments run: `// prints …` after a line is
// what the example prints there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { declarationReader } from '../../scripts/checks/declarations.ts';
import { entryPoints } from '../../scripts/support/entry-points.ts';
import { root, shared, wrongExamples, type Example } from './support.ts';

interface CommentExample extends Example {
  /** The name that the comment stands before. */
  readonly of: string;
  readonly page: string;
}

const read = declarationReader();
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => `src/${name}`)
  .map((file) => ({ file, examples: examplesIn(file, readFileSync(join(root, file), 'utf8')) }))
  .filter(({ examples }) => examples.length > 0);
// Files share a process, because most of the time goes into starting one.
const groups = shared(files, 3).map((group) => ({
  first: group[0]?.file,
  examples: group.flatMap(({ examples }) => examples),
}));

it.each(entryPoints())('$name: every exported declaration has a comment of one to five lines', ({ declarations }) => {
  const list = read(join(root, 'src', declarations.replace('.d.ts', '.ts')));
  const wrong = [...list.exports.keys()].filter((name) => {
    const origin = list.originOfExport(name);
    if (origin.kind === 'imported') return false;
    const [text = ''] = (origin.file.commentOf(origin.name) ?? '').split('@example');
    return text.trim() === '' || text.trim().split('\n').length > 5;
  });
  expect(list.exports.size).toBeGreaterThan(2);
  expect(wrong).toEqual([]);
});

it('has an example for what applications use most', () => {
  const all = new Set(files.flatMap(({ examples }) => examples.map((example) => example.of)));
  const main = [
    'Statek',
    'open',
    'workspace',
    'submit',
    'signal',
    'Agent',
    'task',
    'DialogAgent',
    'tool',
    'Durable',
    'Job',
  ];
  const others = ['result', 'fork', 'rollback', 'Workspace', 'Live', 'Versioned', 'program', 'Models', 'openStore'];
  expect([...main, ...others, 'scriptedModel'].filter((name) => !all.has(name))).toEqual([]);
});

it.concurrent.each(groups)(
  'the examples of $first and others run',
  async ({ examples }) => {
    expect(await wrongExamples(examples)).toEqual([]);
  },
  180_000,
);

function examplesIn(page: string, source: string): CommentExample[] {
  const comments = /^[ \t]*\/\*\*((?:(?!\*\/)[\s\S])*?)@example\n((?:(?!\*\/)[\s\S])*)\*\/\n(.*)$/gm;
  return [...source.matchAll(comments)].map((match) => {
    const code = (match[2] ?? '').replaceAll(/^[ \t]*\* ?/gm, '');
    const printed = [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, text]) => `${text}\n`);
    const words = (match[3] ?? '').match(/[\w$]+/g) ?? [];
    return {
      of: words.find((word) => !['export', 'async', 'static', 'class', 'function', 'interface'].includes(word)) ?? '',
      page,
      line: source.slice(0, match.index).split('\n').length,
      code,
      output: printed.join(''),
    };
  });
}
