// A bare engine to run compiled cells in: proof that they mean in the engine what they should.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EvalFlags, JSException, QuickJS } from 'quickjs-wasi';
import type { JSValueHandle } from 'quickjs-wasi';
import { compileCell } from '../../src/workspace/typescript/cell/cell.ts';
import type { CompiledCell } from '../../src/workspace/typescript/cell/cell.ts';
import { authorStack } from '../../src/workspace/typescript/cell/stack.ts';
import type { AuthorFrame } from '../../src/workspace/typescript/cell/stack.ts';

// TypeScript knows WebAssembly only together with everything else a browser has.
type Wasm = Uint8Array<ArrayBuffer>;
const { WebAssembly } = globalThis as unknown as { WebAssembly: { compile(bytes: Wasm): Promise<Wasm> } };
const wasm = await WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));

export const cellFlags = EvalFlags.TYPE_GLOBAL | EvalFlags.STRICT | EvalFlags.ASYNC;

/** Values come back as text, so that functions, `undefined` and `-0` can be told apart as well. */
export type Outcome =
  | { readonly value: string; readonly error?: undefined; readonly frames?: undefined }
  | { readonly error: string; readonly frames: AuthorFrame[]; readonly value?: undefined };

const show = `(value) => {
  const text = (value, depth) =>
    typeof value === 'string' ? JSON.stringify(value)
    : typeof value === 'function' ? 'function ' + value.name
    : typeof value !== 'object' || value === null ? (Object.is(value, -0) ? '-0' : String(value))
    : depth > 4 ? '…'
    : Array.isArray(value) ? '[' + value.map((item) => text(item, depth + 1)).join(', ') + ']'
    : value instanceof Error ? String(value)
    : '{' + Object.keys(value).map((key) => key + ': ' + text(value[key], depth + 1)).join(', ') + '}';
  return text(value, 0);
}`;

/** Modules for tests: one with a few exports, loaded the way a loader has to. */
const boot = `
  const modules = { maths: { default: 'the default', add: (a, b) => a + b, pi: 3, 'odd-name': 7 } };
  Object.defineProperty(globalThis, '__statek_import', { value: async (specifier, names = []) => {
    const found = modules[specifier];
    if (found === undefined) throw new TypeError('No module ' + specifier);
    for (const name of names) if (!(name in found)) throw new SyntaxError(specifier + ' has no export ' + name);
    return found;
  } });
  globalThis.log = [];
`;

export const moduleNames: ReadonlySet<string> = new Set(['maths']);

export class Guest implements Disposable {
  readonly #vm: QuickJS;
  readonly #cells = new Map<string, CompiledCell>();

  private constructor(vm: QuickJS) {
    this.#vm = vm;
  }

  static async create(): Promise<Guest> {
    const vm = await QuickJS.create(wasm);
    vm.evalCode(`{${boot}}`, 'boot').dispose();
    return new Guest(vm);
  }

  /** Compiles and runs a cell as the next step. */
  async run(source: string): Promise<Outcome> {
    const name = `step ${this.#cells.size + 1}`;
    const cell = compileCell(source, { name, modules: moduleNames });
    this.#cells.set(name, cell);
    return this.evaluate(cell.code, name);
  }

  /** Runs each cell and gives the last one's value; an error in any of them is thrown. */
  async value(...sources: string[]): Promise<string> {
    let value = '';
    for (const source of sources) {
      const outcome = await this.run(source);
      if (outcome.error !== undefined) throw new Error(`${outcome.error} in:\n${source}`);
      ({ value } = outcome);
    }
    return value;
  }

  async evaluate(code: string, name: string): Promise<Outcome> {
    const vm = this.#vm;
    let promise: JSValueHandle;
    try {
      promise = vm.evalCode(code, name, cellFlags);
    } catch (error) {
      if (error instanceof JSException)
        throw new Error(`The engine refuses ${error.message}:\n${code}`, { cause: error });
      throw error;
    }
    const settled = vm.resolvePromise(promise);
    vm.executePendingJobs();
    const result = await settled;
    promise.dispose();
    if ('value' in result) return { value: this.#call(`(result) => (${show})(result.value)`, result.value) };
    const stack = this.#call(`(error) => String(error?.stack)`, result.error);
    const frames = authorStack(stack, (cell) => this.#cells.get(cell));
    return { error: this.#call(`(error) => String(error)`, result.error), frames };
  }

  #call(code: string, argument: JSValueHandle): string {
    using vmFunction = this.#vm.evalCode(code, 'test');
    using result = this.#vm.callFunction(vmFunction, this.#vm.undefined, argument);
    return result.toString();
  }

  [Symbol.dispose](): void {
    this.#vm.dispose();
  }
}
