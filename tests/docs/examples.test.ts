// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints.
import { expect, it } from 'vitest';
import {
  allPages,
  examplesIn,
  guideFolders,
  isReference,
  pagesOf,
  pagesWithServers,
  shared,
  wrongExamples,
} from './support.ts';

// Pages of a group share a process, because most of the time goes into starting one. The page for newcomers has a test of its own,
// which follows it from its first line to its last; so have pages that need a server.
const elsewhere = new Set(['docs/getting-started.md', ...pagesWithServers]);
const single = ['README.md', ...pagesOf('docs')].filter((page) => !elsewhere.has(page));
const groups = [
  ...shared(single, 3).map((pages) => ({ name: pages.join(', '), pages })),
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

it('has an example on every page that is not a list or a record', () => {
  const pages = allPages().filter((page) => !isReference(page));
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((page) => examplesIn(page).length === 0)).toEqual([]);
});

it('runs the examples of every page', () => {
  const run = new Set(groups.flatMap(({ examples }) => examples.map(({ page }) => page)));
  expect(allPages().filter((page) => !run.has(page) && !elsewhere.has(page) && !isReference(page))).toEqual([]);
});
