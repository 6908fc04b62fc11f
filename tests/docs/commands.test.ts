// Every `statek …` in the documentation, in blocks and in sentences, is a command that exists, with options that it has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/line/commands.ts';
import { globalOptions } from '../../src/cli/line/global-options.ts';
import { blocksIn, guideFolders, pagesOf, root } from './support.ts';

const pages = ['README.md', ...['docs', 'docs/state', ...guideFolders].flatMap((folder) => pagesOf(folder))];

it('has only commands that exist', () => {
  const wrong = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return typedIn(text)
      .filter((line) => !isCommand(line))
      .map((line) => `${page}: ${line}`);
  });
  expect(wrong).toEqual([]);
});

/** Lines of shell blocks, and code in sentences, that begin with the command. */
function typedIn(text: string): string[] {
  const lines = blocksIn(text)
    .filter(({ language }) => language === 'sh')
    .flatMap((block) => block.text.split('\n'));
  const inline = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...lines, ...inline]
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/^npx /, '')
        .replace(/ # .*$/, '')
        .replace(/ (?:&&|\|) .*$/, ''),
    )
    .filter((line) => line.startsWith('statek ') && !line.startsWith('statek COMMAND'));
}

function isCommand(line: string): boolean {
  const [, ...words] = line.replaceAll(/'[^']*'|"[^"]*"/g, 'text').split(/\s+/);
  const first = words.find((word) => !word.startsWith('--')) ?? '';
  if (first === '') return words.every((word) => ['--help', '--version', '--json'].includes(word));
  const command = commands.find(({ name }) => name === first);
  if (command === undefined) return false;
  const options = [...globalOptions, ...(command.options ?? [])];
  const known = new Set(['--help', ...options.flatMap(({ flags }) => flags.match(/--?[a-z][\w-]*/g) ?? [])]);
  const used = words.flatMap((word) => /^--?[a-z][\w-]*$/.exec(word)?.[0] ?? []);
  return used.every((flag) => known.has(flag));
}
