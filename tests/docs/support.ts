// What the tests of the documentation share: the blocks of a page, and code that runs from the sources.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const root: string = join(import.meta.dirname, '../..');

export interface Block {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

export function blocksIn(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: page.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

/** A program of the documentation: where it stands, and what it prints if that is said. */
export interface Example {
  readonly line: number;
  readonly code: string;
  readonly output: string | undefined;
}

const mark = '=== line ';
const failure = 'It failed: ';

interface Wrong {
  readonly line: number;
  readonly printed: string | undefined;
  readonly output: string | undefined;
}

/**
 * Runs the examples of a page in one process, one after the other, each in a folder of its own; returns those that failed or
 * printed something else than they say.
 */
export async function wrongExamples(examples: readonly Example[]): Promise<Wrong[]> {
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
    return examples
      .map(({ line, output }) => ({ line, printed: printed.get(line), output }))
      .filter((one) => one.printed?.includes(failure) !== false || one.printed !== (one.output ?? one.printed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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

/** The code with the package's names replaced by the files they stand for. */
export function withEntryPoints(code: string): string {
  return code
    .replaceAll(/from 'statek(?:\/(\w+))?'/g, (_, name?: string) => `from '${entryPoint(name)}'`)
    .replaceAll(/from '(zod|ai|hono)'/g, (_found, name: string) => `from '${import.meta.resolve(name)}'`);
}

function entryPoint(name = 'index'): string {
  return pathToFileURL(join(root, 'src', `${name}.ts`)).href;
}
