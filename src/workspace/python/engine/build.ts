// Finds the Python engine's files, checks them and compiles the WASM once. They lie beside the sources, in engines/python/: four
// folders up from here, both in the repository (src/workspace/python/engine) and in the package (dist/workspace/python/engine).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync, type BrotliOptions } from 'node:zlib';
import { EngineMissingError } from '../../typescript/engine/errors.ts';
import { wasm } from '../../wasm/wasm.ts';
import type { WasmModule } from '../../wasm/wasm.ts';
import type { PythonHeader } from './image.ts';

/** An engine ready to make instances of. */
export interface PythonBuild {
  readonly sha256: string;
  readonly module: WasmModule;
}

/** A compressed file; hash and size are of what is inside. */
export interface ShippedFile {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface PythonManifest {
  readonly builds: readonly {
    readonly source: object;
    readonly tools: object;
    readonly recipe: { readonly wasm: string; readonly library: string; readonly boot: string };
    /** Earlier engines with the same memory and tables, whose images this one goes on with. */
    readonly goesOnWith?: readonly string[];
    readonly wasm: ShippedFile;
    readonly library: ShippedFile;
    readonly image: ShippedFile & { readonly header: PythonHeader };
  }[];
}

const folder = new URL('../../../../engines/python/', import.meta.url);
const decompress = promisify<Uint8Array, BrotliOptions, Buffer<ArrayBuffer>>(brotliDecompress);
const loaded = new Map<string, PythonBuild>();
let manifest: PythonManifest | undefined;

/** What is shipped for the engine with that hash, or for the one new programs start on. */
export function shippedBuild(sha256?: string): PythonManifest['builds'][number] {
  manifest ??= JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as PythonManifest;
  const { builds } = manifest;
  const listed =
    sha256 === undefined
      ? builds[0]
      : builds.find((build) => build.wasm.sha256 === sha256 || build.goesOnWith?.includes(sha256));
  if (listed !== undefined) return listed;
  throw new EngineMissingError(
    `The Python engine ${sha256 ?? ''} is not installed. Install the version of Statek that made this program, or the package that brings that engine.`,
    { sha256, installed: builds.map((build) => build.wasm.sha256) },
  );
}

/** The engine with that hash, or the one that goes on with its images. */
export function loadBuild(sha256: string): PythonBuild {
  const shipped = shippedBuild(sha256).wasm;
  let build = loaded.get(shipped.sha256);
  if (build === undefined) loaded.set(shipped.sha256, (build = compileBuild(readShipped(shipped))));
  return build;
}

/** Loads the engine with that hash in the background. */
export async function prepareBuild(sha256: string): Promise<void> {
  const shipped = shippedBuild(sha256).wasm;
  if (loaded.has(shipped.sha256)) return;
  const module = await wasm.compile(await readShippedLater(shipped));
  if (!loaded.has(shipped.sha256)) loaded.set(shipped.sha256, { sha256: shipped.sha256, module });
}

/** Compiles an engine from its bytes. */
export function compileBuild(bytes: Uint8Array<ArrayBuffer>): PythonBuild {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), module: new wasm.Module(bytes) };
}

/** What is in a shipped file, refused if it is not what the manifest says. */
export function readShipped(shipped: ShippedFile): Uint8Array<ArrayBuffer> {
  return checked(shipped, brotliDecompressSync(readFileSync(new URL(shipped.file, folder)), inOnePiece(shipped)));
}

/** The same, unpacked in the background. */
export async function readShippedLater(shipped: ShippedFile): Promise<Uint8Array<ArrayBuffer>> {
  // Reading takes a millisecond or two; if that were done in the background too, unpacking would not begin before this thread rests.
  return checked(shipped, await decompress(readFileSync(new URL(shipped.file, folder)), inOnePiece(shipped)));
}

// By default it would come in two thousand pieces, each with a turn of the event loop, and be copied together.
function inOnePiece({ bytes }: ShippedFile): BrotliOptions {
  return { chunkSize: bytes };
}

function checked({ file, sha256 }: ShippedFile, bytes: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return bytes;
  throw new EngineMissingError(
    `The file ${file} of the Python engine is damaged: its sha256 is ${found}, not ${sha256}. Install Statek again.`,
    { sha256, found },
  );
}
