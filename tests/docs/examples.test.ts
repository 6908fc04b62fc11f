// The examples in the documentation run: each TypeScript block that imports 'statek' is a program, and a text block right
// after it is what it prints.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter(
  (name) => name.endsWith('.md') && !name.endsWith('/getting-started.md'),
);

const examples = pages.flatMap((page) =>
  examplesIn(readFileSync(join(root, page), 'utf8')).map((example) => ({ page, ...example })),
);

it.concurrent.each(examples)(
  '$page, line $line',
  async ({ code, output }) => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-docs-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, 'example.ts'), withEntryPoints(code));
      const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder });
      expect(stdout).toBe(output ?? stdout);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
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
