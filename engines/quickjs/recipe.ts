// How the shipped engine is made: which file of which package goes in, and how fuel and marks of written memory are added. Changing
// anything here or in `instrument/` makes another engine, with another hash; images name the engine they were made by.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { markWrites, type MarkOptions } from './instrument/mark-writes.ts';
import { addFuel } from './instrument/add-fuel.ts';
import type { FuelOptions } from './instrument/options.ts';

export const source = {
  package: 'quickjs-wasi',
  version: '3.6.2',
  file: 'quickjs.wasm',
  sha256: 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9',
} as const;

export const fuel: FuelOptions = { entries: 'circles', bytesPerUnit: 32, unitsPerPage: 1024, leastFrame: 256 };

/** Small blocks: a step changes a few words in each of many pages, and only marked blocks are compared. */
export const marking: MarkOptions = { blockShift: 9, nearOffset: 496 };

/**
 * Engines whose images this one goes on with. They differ from it in nothing but what happens when the counter is used up, and in marking
 * what is written to: the memory, the table of functions and the code that reads them are the same.
 */
export const goesOnWith = [
  '4890a9d5965b037daef1bec57b3ec7249ad54d846ac573a61c3d7e37d3c314f0',
  '0c2745c3eb2abd50c5a8bd0b5b58600880b29293201013264e105c32eb4e6c1c',
] as const;

/** The rewriter's options. */
export const rewriting = { ...fuel, ...marking };

/** Makes the engine from its source. */
export function makeEngine(): { readonly file: Uint8Array; readonly report: object } {
  const { file, report } = addFuel(readSource(), fuel);
  return { file: markWrites(file, marking), report };
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The file the engine is made from, refused if it is not the one the recipe names. */
export function readSource(): Uint8Array {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(`${source.package}/${source.file}`));
  const found = sha256(bytes);
  if (found !== source.sha256) {
    throw new Error(`${source.package}/${source.file} has sha256 ${found}; the recipe wants ${source.sha256}`);
  }
  return bytes;
}

/** One hash over the rewriter's files and its options. */
export function rewriterHash(): string {
  return sha256([...rewriterFiles(), JSON.stringify(rewriting)].join('\n'));
}

/** One hash over the rewriter's files alone. */
export function rewriterFilesHash(): string {
  return sha256(rewriterFiles().join('\n'));
}

function rewriterFiles(): string[] {
  const folder = new URL('instrument/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .toSorted();
  return files.map((name) => `${name} ${sha256(readFileSync(new URL(name, folder)))}`);
}
