// The engine without fuel, to compare with: the same file the recipe starts from, run by the same host.
import { readSource } from '../../engines/quickjs/recipe.ts';
import { compileBuild, type EngineBuild } from '../../src/workspace/typescript/engine/build.ts';
import { Instance } from '../../src/workspace/typescript/engine/instance.ts';

export function stockBuild(): EngineBuild {
  return compileBuild(new Uint8Array(readSource()));
}

/** Evaluates source in a bare instance; made for timing, so the result is thrown away. */
export class Bare {
  readonly #instance: Instance;

  constructor(build: EngineBuild) {
    this.#instance = new Instance(build);
    this.#instance.user = idleUser;
    this.#instance.exports._initialize();
    this.#instance.exports.qjs_init();
  }

  /** Collects garbage, so that what a run leaves behind is not paid for by another. */
  collect(): void {
    this.#instance.exports.qjs_run_gc();
  }

  run(source: string): void {
    const { exports } = this.#instance;
    const code = exports.wasm_malloc(source.length + 2);
    const length = this.#instance.bytes.write(`${source}\0`, code, 'latin1') - 1;
    const result = exports.qjs_eval(code, length, code + length, 0);
    exports.qjs_free_value(result);
    exports.wasm_free(code);
  }
}

const idleUser = {
  hostCall: () => 0,
  interrupt: () => false,
  spent: () => {},
  promiseRejected: () => {},
  resolveModule: () => 0,
  loadModule: () => 0,
  now: () => 0,
  elapsed: () => 0,
  zoneOffset: () => 0,
  fillRandom: (bytes: Uint8Array) => void bytes.fill(0),
};
