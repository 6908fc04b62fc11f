// Heaps for benchmarks: a real QuickJS heap if the engine is installed, otherwise a synthetic one with similar changes (per
// step about 27 pages and 500 words, mostly near the last writes).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { pageBytes, pageWords } from '../../src/history/limits.ts';
import { Random } from '../../tests/crash/random.ts';
import { cellOf } from './cells.ts';

export interface Heap {
  readonly kind: string;
  /** The current image, without copying. */
  bytes(): Uint8Array;
  step(): void;
}

/** The part of quickjs-wasi that is used here. */
interface Engine {
  QuickJS: { create(options: { wasm: Uint8Array }): Promise<VirtualMachine> };
}

interface VirtualMachine {
  evalCode(code: string): { dispose(): void };
  executePendingJobs(): unknown;
  snapshot(): { readonly memory: Uint8Array };
}

const packageName = 'quickjs-wasi';

// Everything below is the C stack, which is dead when the program is idle.
const stackBytes = 1024 * 1024;

/** @param folder where to resolve the package from (default: this folder) */
export async function quickJsHeap(folder = process.env['STATEK_BENCH_QUICKJS']): Promise<Heap | undefined> {
  const require = createRequire(folder === undefined ? import.meta.url : `${folder}/package.json`);
  let engine: Engine;
  let wasm: Uint8Array;
  try {
    engine = (await import(pathToFileURL(require.resolve(packageName)).href)) as Engine;
    wasm = readFileSync(require.resolve(`${packageName}/quickjs.wasm`));
  } catch {
    return undefined;
  }
  const machine = await engine.QuickJS.create({ wasm });
  const run = (code: string): void => {
    machine.evalCode(code).dispose();
    machine.executePendingJobs();
  };
  run('var out = []; globalThis.print = (...values) => { out.push(values.join(" ")); if (out.length > 50) out = []; }');
  let steps = 0;
  return {
    kind: 'quickjs',
    bytes: () => new Uint8Array(machine.snapshot().memory).fill(0, 0, stackBytes),
    step: () => run(cellOf(steps++)),
  };
}

export function syntheticHeap(megabytes: number, seed = 1): Heap {
  const random = new Random(seed);
  const pages = Math.max(4, Math.round((megabytes * 1024 * 1024) / pageBytes));
  const words = new Uint32Array(pages * pageWords);
  // A third of a heap is free; the rest is small numbers and pointers into itself.
  for (let index = 0; index < words.length; index++) words[index] = wordOf(random, words.length);
  let front = Math.floor(pages / 2);
  return {
    kind: 'synthetic',
    bytes: () => new Uint8Array(words.buffer),
    step: () => {
      if (random.chance(0.1)) front = (front + 1) % pages;
      for (let page = 0; page < 27; page++) {
        const place = page < 12 ? page * 3 : page < 22 ? front + page - 22 : random.between(0, 20) * 10;
        const first = ((place + pages) % pages) * pageWords;
        for (let run = 0; run < 6; run++) {
          const start = first + random.between(0, pageWords - 8);
          for (let index = 0; index < 3; index++) words[start + index] = wordOf(random, words.length);
        }
      }
    },
  };
}

function wordOf(random: Random, words: number): number {
  const kind = random.fraction();
  if (kind < 0.35) return 0;
  return kind < 0.6 ? random.between(0, 255) : 0x100000 + random.between(0, Math.min(words, 50_000)) * 8;
}
