// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, wrongExamples, type Example } from './support.ts';

// The page for newcomers has a test of its own, which follows it from its first line to its last.
const folders = ['docs', 'docs/state'];
const pages = [
  'README.md',
  ...folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
]
  .filter((name) => name.endsWith('.md') && !name.endsWith('/getting-started.md'))
  .map((page) => ({ page, examples: examplesIn(readFileSync(join(root, page), 'utf8')) }))
  .filter(({ examples }) => examples.length > 0);

it.concurrent.each(pages)(
  '$page',
  async ({ examples }) => {
    expect(await wrongExamples(examples)).toEqual([]);
  },
  180_000,
);

/** Blocks that show what is planned begin with `// planned` and are left out. */
function examplesIn(text: string): Example[] {
  const blocks = /```ts\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g;
  return [...text.matchAll(blocks)]
    .map((match) => ({ line: text.slice(0, match.index).split('\n').length, code: match[1] ?? '', output: match[2] }))
    .filter(({ code }) => /^import .* from 'statek/m.test(code) && !code.startsWith('// planned'));
}
