// The long part of the build: unused code is dropped, then every function that may be on the stack while the host is asked is
// made able to save its state and to go on from it. Minutes of work, with Binaryen's command line tools.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { keptExports } from '../../../src/workspace/python/engine/exports.ts';
import { features, packageFolder, suspending, tools } from '../recipe.ts';
import { externrefFunctions } from './externref.ts';
import { pruneExports } from './prune-exports.ts';

/** Returns the file with its stack made suspendable; `folder` is for what lies between. */
export async function asyncify(file: Uint8Array, folder: string, say: (text: string) => void): Promise<Uint8Array> {
  const bin = fileURLToPath(new URL('bin/', packageFolder(tools.package)));
  const enabled = features.map((feature) => `--enable-${feature}`);
  const run = (tool: string, ...options: string[]): void => {
    const node = ['--stack-size=8000', '--max-old-space-size=8000', join(bin, tool)];
    execFileSync(process.execPath, [...node, ...options], { stdio: 'inherit' });
  };
  const at = (name: string): string => join(folder, name);

  writeFileSync(at('pruned.wasm'), pruneExports(file, keptExports));
  run('wasm-opt', at('pruned.wasm'), ...enabled, '--remove-unused-module-elements', '-o', at('small.wasm'));
  say('dropped what is not used');
  run('wasm-dis', at('small.wasm'), ...enabled, '-o', at('small.wat'));
  const untouched = await externrefFunctions(at('small.wat'));
  say(`${untouched.length} functions handle JavaScript objects and are left as they are; now the long step`);
  run(
    'wasm-opt',
    at('small.wasm'),
    ...enabled,
    '--asyncify',
    `--pass-arg=asyncify-imports@${suspending.join()}`,
    `--pass-arg=asyncify-removelist@${untouched.join()}`,
    '-O2',
    '-o',
    at('suspendable.wasm'),
  );
  return readFileSync(at('suspendable.wasm'));
}
