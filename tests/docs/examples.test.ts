// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, wrongExamples, type Example } from './support.ts';

const folders = ['docs/start', 'docs/guides', 'docs/coming-from', 'docs/inside'];
const pagesOf = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

// Pages of a group share a process, because most of the time goes into starting one. The page for newcomers has a test of its own,
// which follows it from its first line to its last.
const groups = [
  ...['README.md', ...pagesOf('docs')]
    .filter((page) => page !== 'docs/getting-started.md')
    .map((page) => ({ name: page, pages: [page] })),
  ...[...folders, 'docs/state'].map((name) => ({ name, pages: pagesOf(name) })),
]
  .map(({ name, pages }) => ({ name, examples: pages.flatMap((page) => examplesIn(page)) }))
  .filter(({ examples }) => examples.length > 0);

it.concurrent.each(groups)(
  '$name',
  async ({ examples }) => {
    expect(await wrongExamples(examples)).toEqual([]);
  },
  180_000,
);

it.each(folders)('%s has an example on every page', (folder) => {
  expect(pagesOf(folder).filter((page) => examplesIn(page).length === 0)).toEqual([]);
});

/** Blocks that show what is planned begin with `// planned` and are left out. */
function examplesIn(page: string): Example[] {
  const text = readFileSync(join(root, page), 'utf8');
  // A command that runs the program may stand before what it prints.
  const blocks = /```ts\n([\s\S]*?)```\n(?:(?:\n```sh\nnode \S+\n```\n)?\n```text\n([\s\S]*?)```)?/g;
  return [...text.matchAll(blocks)]
    .map((match) => ({
      page,
      line: text.slice(0, match.index).split('\n').length,
      code: match[1] ?? '',
      output: match[2],
    }))
    .filter(({ code }) => /^import .* from 'statek/m.test(code) && !code.startsWith('// planned'));
}
