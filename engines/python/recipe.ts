// How the shipped Python engine is made: which files of which packages go in, and what is done to them. Changing anything that
// `recipeHash` covers makes another engine; images name the engine they were made by.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { keptExports } from '../../src/workspace/python/engine/exports.ts';
import { rewriterFilesHash } from '../quickjs/recipe.ts';
import type { FuelOptions } from '../quickjs/instrument/options.ts';
import type { MarkOptions } from '../quickjs/instrument/mark-writes.ts';

export const source = {
  package: 'pyodide',
  version: '314.0.7',
  wasm: { file: 'pyodide.asm.wasm', sha256: 'cc36e3cab04fdfc9a63ff13eb52eae2b911bf46c025cc7b281f394bd3de1d5e6' },
  library: { file: 'python_stdlib.zip', sha256: 'fa1957e5777068fc4f7437f96d860ae2fbe9c19732ba06c84e004ec16dd7dd7a' },
} as const;

/** The tools that put the stack aside; another version may make other bytes. */
export const tools = { package: 'binaryen', version: '132.0.0' } as const;

/** Named one by one: a file that needs more than the engine's own features would be refused by some of the hosts we run on. */
export const features = [
  ...[
    'mutable-globals',
    'sign-ext',
    'nontrapping-float-to-int',
    'bulk-memory',
    'bulk-memory-opt',
    'exception-handling',
  ],
  ...['reference-types', 'multivalue', 'extended-const', 'simd', 'tail-call', 'call-indirect-overlong'],
];

/** Where the whole stack may be put aside: reading from the channel, and the way through the host that C calls take. */
export const suspending = ['wasi_snapshot_preview1.fd_read', 'env._PyEM_TrampolineCall_JS'] as const;

export const fuel: FuelOptions = {
  entries: 'circles',
  bytesPerUnit: 32,
  unitsPerPage: 1024,
  leastFrame: 256,
  callingImports: ['env._PyEM_TrampolineCall_JS'],
};

/** Marks are for pages of 4 KiB. */
export const marking: MarkOptions = { blockShift: 12, nearOffset: 4000 };

/**
 * Engines whose images this one goes on with. They differ from it in nothing but what happens when the counter is used up, and in marking
 * the pages that are written to: the memory, the tables of functions and the code that reads them are the same, and so is the boot image.
 */
export const goesOnWith = [
  'b77ad9c7738fff0924c118a76c6f159160d05148724e969ecccb4367dd25de98',
  '60ca5529799f36fc4ffec0b58abd805604a71df886f5313ddbfeb82b10053dd8',
] as const;

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A file the engine is made from, refused if it is not the one the recipe names. */
export function readSource(kind: 'wasm' | 'library'): Uint8Array {
  const { file, sha256: wanted } = source[kind];
  const bytes = readFileSync(new URL(file, packageFolder(source.package)));
  const found = sha256(bytes);
  if (found !== wanted) throw new Error(`${source.package}/${file} has sha256 ${found}; the recipe wants ${wanted}`);
  return bytes;
}

export function packageFolder(name: string): URL {
  const resolved = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return new URL('./', `file://${resolved}`);
}

/** One hash over everything that decides what the WASM is: the tools, the steps and their options. */
export function wasmRecipeHash(): string {
  return sha256(
    [
      JSON.stringify([source.wasm, tools, features, suspending, fuel, marking, keptExports]),
      rewriterFilesHash(),
      ...['externref.ts', 'prune-exports.ts', 'asyncify.ts'].map((name) => fileHash(`steps/${name}`)),
    ].join('\n'),
  );
}

/** One hash over everything that decides what the library is, given the WASM. */
export function libraryRecipeHash(): string {
  return sha256([JSON.stringify(source.library), fileHash('steps/library.ts')].join('\n'));
}

/** One hash over everything that decides what the boot image is, given the WASM and the library. */
export function bootRecipeHash(): string {
  const guest = readdirSync(new URL('guest/', import.meta.url)).toSorted();
  return sha256([fileHash('steps/boot-source.ts'), ...guest.map((name) => fileHash(`guest/${name}`))].join('\n'));
}

function fileHash(name: string): string {
  return `${name} ${sha256(readFileSync(new URL(name, import.meta.url)))}`;
}
