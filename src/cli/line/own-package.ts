// A process must load one copy of Statek only: the agents in a configuration file must be instances of the classes the
// command line uses. So the project's own copy runs the command, and unbuilt, `import 'statek'` resolves to the sources.
import { existsSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../../base/package.ts';

const isUnbuilt = import.meta.url.endsWith('.ts');
/** Makes `import 'statek'` resolve to these sources when they run unbuilt. */
export function useOwnSources(): void {
  if (!isUnbuilt) return;
  registerHooks({
    resolve: (specifier, context, next) => {
      const match = /^statek(?:\/(\w+))?$/.exec(specifier);
      if (match === null) return next(specifier, context);
      const file = join(packageFolder, 'src', `${match[1] ?? 'index'}.ts`);
      return { url: pathToFileURL(file).href, format: 'module-typescript', shortCircuit: true };
    },
  });
}

/** Runs the copy the project in the working directory depends on. Returns false if that is this copy. */
export async function runProjectCopy(): Promise<boolean> {
  if (isUnbuilt) return false;
  let folder: string;
  try {
    folder = dirname(createRequire(join(process.cwd(), 'statek.config.js')).resolve('statek/package.json'));
  } catch {
    return false;
  }
  const program = join(folder, 'dist/cli/main.js');
  if (realpathSync(folder) === realpathSync(packageFolder) || !existsSync(program)) return false;
  await import(pathToFileURL(program).href);
  return true;
}
