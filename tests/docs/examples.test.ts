// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints. Those of a page run in one process, one after the other, each in a folder of its own.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root, withEntryPoints } from './support.ts';

const run = promisify(execFile);

interface Example {
  readonly line: number;
  readonly code: string;
  readonly output: string | undefined;
}

// The page for newcomers has a test of its own, which follows it from its first line to its last.
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md') && !name.endsWith('/getting-started.md'))
  .map((page) => ({ page, examples: examplesIn(readFileSync(join(root, page), 'utf8')) }))
  .filter(({ examples }) => examples.length > 0);

const mark = '=== line ';
const failure = 'It failed: ';

it.concurrent.each(pages)(
  '$page',
  async ({ examples }) => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-docs-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      for (const { line, code } of examples) {
        mkdirSync(join(folder, String(line)));
        writeFileSync(join(folder, String(line), 'example.ts'), withEntryPoints(code));
      }
      writeFileSync(join(folder, 'page.ts'), pageProgram(examples.map(({ line }) => line)));
      const { stdout } = await run(process.execPath, ['page.ts'], { cwd: folder });
      const printed = new Map(
        stdout
          .split(mark)
          .slice(1)
          .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]),
      );
      expect([...printed.keys()]).toEqual(examples.map(({ line }) => line));
      for (const { line, output } of examples) {
        const said = printed.get(line) ?? '';
        expect(said, `line ${line}`).not.toContain(failure);
        expect(said, `line ${line}`).toBe(output ?? said);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  180_000,
);

/** It ends by itself, as every example must. */
function pageProgram(lines: readonly number[]): string {
  return `
    const folder = process.cwd();
    for (const line of ${JSON.stringify(lines)}) {
      console.log('${mark}' + line);
      process.chdir(folder + '/' + line);
      try {
        await import('./' + line + '/example.ts');
      } catch (error) {
        console.log('${failure}', error);
      }
    }`;
}

/** Blocks that show what is planned begin with `// planned` and are left out. */
function examplesIn(text: string): Example[] {
  const blocks = /```ts\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g;
  return [...text.matchAll(blocks)]
    .map((match) => ({ line: text.slice(0, match.index).split('\n').length, code: match[1] ?? '', output: match[2] }))
    .filter(({ code }) => /^import .* from 'statek/m.test(code) && !code.startsWith('// planned'));
}
