// `npm run build:python`: makes everything that is shipped here. The WASM takes minutes, so it and the library are made only if
// their part of the recipe changed (or with --all); the boot image is made each time, in seconds. With --check nothing is written,
// and a difference to what is shipped fails.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { makeBootImage } from '../../src/workspace/python/engine/boot.ts';
import {
  compileBuild,
  type PythonBuild,
  type PythonManifest,
  type ShippedFile,
} from '../../src/workspace/python/engine/build.ts';
import { addFuel } from '../quickjs/instrument/add-fuel.ts';
import { markWrites } from '../quickjs/instrument/mark-writes.ts';
import {
  bootRecipeHash,
  fuel,
  goesOnWith,
  libraryRecipeHash,
  marking,
  readSource,
  sha256,
  source,
  tools,
  wasmRecipeHash,
} from './recipe.ts';
import { asyncify } from './steps/asyncify.ts';
import { bootSource } from './steps/boot-source.ts';
import { makeLibrary } from './steps/library.ts';

const place = (name: string): URL => new URL(name, import.meta.url);
const isCheck = process.argv.includes('--check');
const began = Date.now();
const say = (text: string): void => {
  process.stdout.write(`[${((Date.now() - began) / 1000).toFixed(0)} s] ${text}\n`);
};

const shipped = existsSync(place('manifest.json'))
  ? (JSON.parse(readFileSync(place('manifest.json'), 'utf8')) as PythonManifest).builds[0]
  : undefined;
const wasm = await makeWasm();
say(`engine.wasm ${sha256(wasm)} ${wasm.length} bytes`);
const build = compileBuild(new Uint8Array(wasm));
const library = libraryOf(build);
say(`library.zip ${sha256(library)} ${library.length} bytes`);
const image = makeBootImage(build, { library: () => library, zone: () => undefined }, bootSource());
const bytes = Buffer.alloc(image.byteLength);
for (const [index, page] of image.pages.entries()) bytes.set(page, index * page.length);
say(`boot.image ${sha256(bytes)} ${bytes.length} bytes`);

const manifest: PythonManifest = {
  // The first build is the one new workspaces start on; older released ones stay listed so that their images go on.
  builds: [
    {
      source,
      tools,
      recipe: { wasm: wasmRecipeHash(), library: libraryRecipeHash(), boot: bootRecipeHash() },
      goesOnWith,
      wasm: ship('engine.wasm.br', wasm, shipped?.wasm),
      library: ship('library.zip.br', library, shipped?.library),
      image: { ...ship('boot.image.br', bytes, shipped?.image), header: image.header },
    },
  ],
};
const text = `${JSON.stringify(manifest, null, 2)}\n`;
if (!isCheck) writeFileSync(place('manifest.json'), text);
else if (readFileSync(place('manifest.json'), 'utf8') !== text)
  throw new Error('manifest.json is not what the recipe makes');
say('done');

async function makeWasm(): Promise<Uint8Array> {
  if (shipped?.recipe.wasm === wasmRecipeHash() && !process.argv.includes('--all')) {
    say('the WASM is made already');
    return brotliDecompressSync(readFileSync(place(shipped.wasm.file)));
  }
  const given = process.argv.find((option) => option.startsWith('--suspendable='))?.slice(14);
  if (given !== undefined) return markWrites(addFuel(readFileSync(given), fuel).file, marking);
  const folder = mkdtempSync(join(tmpdir(), 'statek-python-'));
  try {
    return markWrites(addFuel(await asyncify(readSource('wasm'), folder, say), fuel).file, marking);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function libraryOf(engine: PythonBuild): Uint8Array {
  const isSame = shipped?.wasm.sha256 === engine.sha256 && shipped.recipe.library === libraryRecipeHash();
  if (!isSame || process.argv.includes('--all')) return makeLibrary(engine, readSource('library'));
  return brotliDecompressSync(readFileSync(place(shipped.library.file)));
}

/** Compresses a file into this folder, unless it is there already. */
function ship(file: string, content: Uint8Array, before: ShippedFile | undefined): ShippedFile {
  const facts = { file, sha256: sha256(content), bytes: content.length };
  if (before?.sha256 === facts.sha256 && existsSync(place(file))) return facts;
  if (isCheck) throw new Error(`shipped ${file} is ${before?.sha256 ?? 'missing'}, the recipe makes ${facts.sha256}`);
  const options = {
    [constants.BROTLI_PARAM_QUALITY]: process.argv.includes('--quick') ? 5 : 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
  };
  const compressed = brotliCompressSync(content, { params: options });
  writeFileSync(place(file), compressed);
  say(`${file}: ${content.length} bytes became ${compressed.length}`);
  return facts;
}
