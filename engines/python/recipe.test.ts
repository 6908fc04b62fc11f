// What is shipped is what the recipe makes. Making the WASM takes minutes, so this compares what the recipe is made of; making the
// boot image takes seconds, and that is done.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeBootImage } from '../../src/workspace/python/engine/boot.ts';
import { loadBuild, readShipped, type PythonManifest } from '../../src/workspace/python/engine/build.ts';
import {
  bootRecipeHash,
  libraryRecipeHash,
  packageFolder,
  readSource,
  sha256,
  source,
  tools,
  wasmRecipeHash,
} from './recipe.ts';
import { bootSource } from './steps/boot-source.ts';

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
const [build] = (JSON.parse(read('manifest.json').toString('utf8')) as PythonManifest).builds;
if (build === undefined) throw new Error('the manifest lists no build');

it('lists every shipped file with its hash', () => {
  for (const { file, sha256: wanted, bytes } of [build.wasm, build.library, build.image]) {
    const content = brotliDecompressSync(read(file));
    expect([file, sha256(content), content.length]).toEqual([file, wanted, bytes]);
  }
});

it('names the inputs, the tools and the recipe it was made by', () => {
  expect(build).toMatchObject({
    source,
    tools,
    recipe: { wasm: wasmRecipeHash(), library: libraryRecipeHash(), boot: bootRecipeHash() },
  });
  expect(readSource('wasm').length + readSource('library').length).toBeGreaterThan(0);
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageFolder(tools.package)), 'utf8')) as {
    version: string;
  };
  expect(version).toBe(tools.version);
});

it('makes the same boot image again', () => {
  const library = readShipped(build.library);
  const engine = loadBuild(build.wasm.sha256);
  const image = makeBootImage(engine, { library: () => library, zone: () => undefined }, bootSource());
  const bytes = Buffer.alloc(image.byteLength);
  for (const [index, page] of image.pages.entries()) bytes.set(page, index * page.length);
  expect(image.header).toEqual(build.image.header);
  expect(sha256(bytes)).toBe(build.image.sha256);
});

it('ships the licences', () => {
  const notice = read('NOTICE.md').toString('utf8');
  for (const part of [
    'Mozilla Public License Version 2.0',
    'PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2',
    'SQLite',
    'libffi',
  ])
    expect(notice).toContain(part);
});
