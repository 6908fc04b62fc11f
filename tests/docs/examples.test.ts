// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints.
import { expect, it } from 'vitest';
import { examplesIn, guideFolders, pagesOf, wrongExamples } from './support.ts';

// Pages of a group share a process, because most of the time goes into starting one. The page for newcomers has a test of its own,
// which follows it from its first line to its last.
const groups = [
  ...['README.md', ...pagesOf('docs')]
    .filter((page) => page !== 'docs/getting-started.md')
    .map((page) => ({ name: page, pages: [page] })),
  ...[...guideFolders, 'docs/state'].map((name) => ({ name, pages: pagesOf(name) })),
]
  .map(({ name, pages }) => ({ name, examples: pages.flatMap((page) => examplesIn(page)) }))
  .filter(({ examples }) => examples.length > 0);

it.concurrent.each(groups)(
  '$name',
  async ({ examples }) => {
    expect(await wrongExamples(examples)).toEqual([]);
  },
  300_000,
);

it.each(guideFolders)('%s has an example on every page', (folder) => {
  expect(pagesOf(folder).filter((page) => examplesIn(page).length === 0)).toEqual([]);
});
