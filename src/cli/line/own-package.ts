// One process must have one Statek: the agents of a configuration file are instances of the classes the command line
// knows. So the project's own copy of the package runs the command; and unbuilt sources stand for the package's name.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const isUnbuilt = import.meta.url.endsWith('.ts');
/** The folder of the package. */
export const packageFolder: string = fileURLToPath(new URL('../../..', import.meta.url));

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Unbuilt, `import 'statek'` means these sources, wherever it stands. */
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

/** Runs the copy that the project in the working folder depends on, if it is not this one. */
export async function runProjectsOwn(): Promise<boolean> {
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
