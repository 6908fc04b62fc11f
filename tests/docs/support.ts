// What the tests of the documentation share: the blocks of a page, and code that runs from the sources.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const root: string = join(import.meta.dirname, '../..');

/** Pages that are followed from their first command to their last, the one for newcomers first. */
export const followedPages: readonly string[] = [
  'docs/getting-started.md',
  'docs/guides/agent-on-your-objects.md',
  'docs/guides/ask-a-person.md',
  'docs/guides/effects-once.md',
];

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
  /** The page it is on; absent where all examples of a run are on one. */
  readonly page?: string;
  readonly line: number;
  readonly code: string;
  readonly output: string | undefined;
}

/** Folders in which every page has an example. */
export const guideFolders: readonly string[] = ['docs/start', 'docs/guides', 'docs/coming-from', 'docs/inside'];

/** Pages whose examples need a server; a test of their own runs them on one. */
export const pagesWithServers: readonly string[] = ['docs/postgres.md', 'docs/redis.md'];

/** Pages that only list others or record something: nothing on them is to be run. */
export function isReference(page: string): boolean {
  return page === 'docs/README.md' || page.startsWith('docs/decisions/');
}

/** Every page of the documentation. */
export function allPages(): string[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md'))
    .toSorted();
}

export function pagesOf(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
}

/** The programs on a page. Blocks that show what is planned begin with `// planned` and are left out. */
export function examplesIn(page: string): Example[] {
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

/** Deals things out into so many groups. */
export function shared<Thing>(things: readonly Thing[], groups: number): Thing[][] {
  return Array.from({ length: groups }, (_, group) => things.filter((_thing, index) => index % groups === group));
}

const mark = '=== example ';
const failure = 'It failed: ';

interface Wrong {
  readonly page?: string | undefined;
  readonly line: number;
  readonly printed: string | undefined;
  readonly output: string | undefined;
}

/**
 * Runs examples in one process, one after the other, each in a folder of its own; returns those that failed or printed
 * something else than they say.
 */
export async function wrongExamples(examples: readonly Example[]): Promise<Wrong[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-docs-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const [index, { code }] of examples.entries()) {
      mkdirSync(join(folder, String(index)));
      writeFileSync(join(folder, String(index), 'example.ts'), withEntryPoints(code));
    }
    writeFileSync(join(folder, 'page.ts'), pageProgram(examples.length));
    const { stdout } = await run(process.execPath, ['page.ts'], { cwd: folder });
    const printed = new Map(
      stdout
        .split(mark)
        .slice(1)
        .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]),
    );
    return examples
      .map(({ page, line, output }, index) => ({ page, line, printed: printed.get(index), output }))
      .filter((one) => one.printed?.includes(failure) !== false || one.printed !== (one.output ?? one.printed));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** It ends by itself, as every example must. */
function pageProgram(count: number): string {
  return `
    const folder = process.cwd();
    for (let index = 0; index < ${count}; index++) {
      console.log('${mark}' + index);
      process.chdir(folder + '/' + index);
      try {
        await import('./' + index + '/example.ts');
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
