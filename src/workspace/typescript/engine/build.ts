// Finds the engine's WASM and compiles it once. The file lies beside the sources, in engines/quickjs/: four folders up from
// here, both in the repository (src/workspace/typescript/engine) and in the package (dist/workspace/typescript/engine).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { wasm } from '../../wasm/wasm.ts';
import type { WasmModule } from '../../wasm/wasm.ts';
import { EngineMissingError } from './errors.ts';

/** An engine ready to make instances of. */
export interface EngineBuild {
  readonly sha256: string;
  readonly module: WasmModule;
}

interface Manifest {
  readonly builds: readonly {
    readonly sha256: string;
    readonly file: string;
    /** Earlier builds with the same memory and tables, whose images this one goes on with. */
    readonly goesOnWith?: readonly string[];
  }[];
}

const folder = new URL('../../../../engines/quickjs/', import.meta.url);
const loaded = new Map<string, EngineBuild>();

/** Hashes of the builds that are here; new programs start on the first. */
export function shippedBuilds(): string[] {
  return readManifest().builds.map(({ sha256 }) => sha256);
}

/** The build with that hash, or the one new programs start on. */
export function loadBuild(sha256?: string): EngineBuild {
  const known = sha256 === undefined ? undefined : loaded.get(sha256);
  if (known !== undefined) return known;
  const { builds } = readManifest();
  const listed =
    sha256 === undefined
      ? builds[0]
      : builds.find((build) => build.sha256 === sha256 || build.goesOnWith?.includes(sha256));
  if (listed === undefined) {
    throw new EngineMissingError(
      `The TypeScript engine ${sha256 ?? ''} is not installed. Install the version of Statek that made this program, or the package that brings that engine.`,
      { sha256, installed: builds.map((build) => build.sha256) },
    );
  }
  const again = loaded.get(listed.sha256);
  if (again !== undefined) {
    if (sha256 !== undefined) loaded.set(sha256, again);
    return again;
  }
  const build = compileBuild(readFileSync(new URL(listed.file, folder)));
  if (build.sha256 !== listed.sha256) {
    throw new EngineMissingError(
      `The file of the TypeScript engine ${listed.sha256} is damaged: its sha256 is ${build.sha256}. Install Statek again.`,
      { sha256: listed.sha256, found: build.sha256 },
    );
  }
  loaded.set(build.sha256, build);
  return build;
}

/** Compiles an engine from its bytes. */
export function compileBuild(bytes: Uint8Array<ArrayBuffer>): EngineBuild {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), module: new wasm.Module(bytes) };
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Manifest;
}
