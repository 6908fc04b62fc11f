// What an error says about where it is explained is a heading of the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { errorCodesIn } from '../../scripts/checks/errors.ts';
import { anchorsOf } from '../../scripts/docs/links.ts';
import { readSourceFiles } from '../../scripts/support/source.ts';
import { docsOf } from '../../src/base/error.ts';
import { runWords } from '../../src/cli/line/run-words.ts';
import { NotFoundError } from '../../src/index.ts';
import { problemOf, RequestError } from '../../src/server/http/problem.ts';
import { root } from './support.ts';

const anchors = anchorsOf(readFileSync(join(root, 'docs/errors.md'), 'utf8'));
const isThere = (docs: string): boolean => docs.startsWith('docs/errors.md#') && anchors.has(docs.split('#')[1] ?? '');

it('has a heading for every code', () => {
  const files = readSourceFiles('src').filter(({ path }) => !path.endsWith('.test.ts'));
  const codes = files.flatMap((file) => errorCodesIn(file).codes.map(({ code }) => code));
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => !isThere(docsOf(code)))).toEqual([]);
});

it.each([
  ['an error of Statek', new NotFoundError('There is none.')],
  ['a refused request', new RequestError(401, 'UNAUTHENTICATED', 'Who are you?')],
  ['an invalid request', z.string().safeParse(1).error],
  ['anything else', new Error('no')],
])('leads there from %s over HTTP', (_name, error) => {
  expect(isThere(problemOf(error).help)).toBe(true);
});

it.each([
  { isTTY: true, words: ['no-such-command'] },
  { isTTY: false, words: ['no-such-command', '--verbose'] },
])('leads there from the command line: $words, on a terminal: $isTTY', async ({ isTTY, words }) => {
  const printed: string[] = [];
  const stream = { isTTY, write: (text: string) => printed.push(text) > 0 };
  await runWords(words, { folder: root, environment: { NO_COLOR: '1' }, stdout: stream, stderr: stream });
  const docs = /^See (\S+)$/m.exec(printed.join(''))?.[1] ?? '';
  expect(isThere(docs)).toBe(true);
});
