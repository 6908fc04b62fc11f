// What the tests of the documentation share: the blocks of a page, and code that runs from the sources.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

/** The code with the package's names replaced by the files they stand for. */
export function withEntryPoints(code: string): string {
  return code
    .replaceAll(/from 'statek(?:\/(\w+))?'/g, (_, name?: string) => `from '${entryPoint(name)}'`)
    .replaceAll("from 'zod'", `from '${import.meta.resolve('zod')}'`);
}

function entryPoint(name = 'index'): string {
  return pathToFileURL(join(root, 'src', `${name}.ts`)).href;
}
