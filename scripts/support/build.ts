// Compiles src/ into JavaScript and declarations, and builds the inspector beside it. The compiler rewrites `.ts` in import specifiers of JavaScript only;
// declarations and the URLs of worker files are finished here, so that the result names no file it does not contain.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildInspector } from './inspector.ts';
import { moduleReferences, root } from './source.ts';
import { mustRun, tool } from './run.ts';

export interface BuildOptions {
  /** The types were checked already; the result is the same. */
  readonly areTypesChecked?: boolean;
}

export async function build(folder: string, { areTypesChecked = false }: BuildOptions = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await mustRun(tool('tsc'), [
    '--project',
    'tsconfig.build.json',
    '--outDir',
    folder,
    '--noCheck',
    String(areTypesChecked),
  ]);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts') && !name.endsWith('.js')) continue;
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const finished = nameBuiltFiles(path, text);
    if (finished !== text) writeFileSync(path, finished);
  }
  copyScripts(folder);
  await buildInspector(join(folder, 'inspector'));
}

/** JavaScript among the sources is guest code: copied unchanged, because its hash identifies boot images. */
function copyScripts(folder: string): void {
  for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.js')) cpSync(join(root, 'src', name), join(folder, name));
  }
}

/** `./x.ts` becomes `./x.js`: of the same length, so source maps stay right. */
export function nameBuiltFiles(path: string, text: string): string {
  let finished = text;
  for (const { specifier, end } of moduleReferences({ path, text })) {
    if (!specifier.startsWith('.') || !/\.[cm]?ts$/.test(specifier)) continue;
    finished = `${finished.slice(0, end - 3)}js${finished.slice(end - 1)}`;
  }
  return finished;
}
