// One WASM instance of CPython. Its imports reach nothing by themselves: what is not answered by whoever uses the instance just
// now is refused with the error number a machine without that facility would give.
import { tableFunction, wasm } from '../../wasm/wasm.ts';
import type { WasmImports } from '../../wasm/wasm.ts';
import type { PythonBuild } from './build.ts';
import { PythonStoppedError } from './errors.ts';
import type { EngineExports, Pointer } from './exports.ts';
import type { CallingInstance, InstanceUser } from './instance-user.ts';
import { systemCalls } from './system-calls.ts';
import { clockCalls, timeCalls, zoneNameBytes } from './time-calls.ts';
import type { FileSources } from './files.ts';
import { Marks } from '../../wasm/marks.ts';
import { wasmPageBytes } from '../../wasm/memory-pages.ts';

/** The engine marks pages of 4 KiB. */
const pageShift = 12;

/** Memory grows by at least this much, so that growing is rare; it depends on nothing but the program. */
const leastGrowth = 16;

export class Instance implements CallingInstance {
  readonly build: PythonBuild;
  readonly exports: EngineExports;
  /** Which pages were written to since somebody cleared this, by the engine or through `room`: see `EngineExports.marks`. */
  readonly marks: Marks;
  /** Where the name of the last time zone that was asked for is written; the program's image keeps room for it. */
  zoneNamePointer: Pointer = 0;
  #user: InstanceUser | undefined;
  #bytes: Buffer;
  #view: DataView;

  constructor(build: PythonBuild, sources: FileSources) {
    this.build = build;
    const known: WasmImports = { env: {}, wasi_snapshot_preview1: {} };
    const { env, wasi } = systemCalls(this, sources);
    Object.assign(known['env'] as object, env, timeCalls(this), this.#own());
    Object.assign(known['wasi_snapshot_preview1'] as object, wasi, clockCalls(this));
    const instance = new wasm.Instance(build.module, denyingOthers(known));
    this.exports = instance.exports as EngineExports;
    this.exports.fuel_hook.set(
      0,
      tableFunction(() => this.answers.spent()),
    );
    this.marks = new Marks(this.exports.marks.buffer, pageShift);
    this.#bytes = Buffer.from(this.exports.memory.buffer);
    this.#view = new DataView(this.exports.memory.buffer);
  }

  /** Who answers the engine's calls; `undefined` between slices, and then the engine must not run. */
  set user(user: InstanceUser | undefined) {
    this.#user = user;
  }

  get answers(): InstanceUser {
    if (this.#user === undefined) throw new Error('the engine ran while nobody used it');
    return this.#user;
  }

  /** The whole memory, for reading. Ask again after every call into the engine: growing makes a new one. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.exports.memory.buffer);
    return this.#bytes;
  }

  get view(): DataView {
    // A view of memory that has grown since cannot even be asked for its length.
    if (this.#view.buffer.byteLength === 0) this.#view = new DataView(this.exports.memory.buffer);
    return this.#view;
  }

  room(pointer: Pointer, length: number): Buffer {
    // The engine's addresses are unsigned, and come as signed numbers.
    const start = pointer >>> 0;
    this.marks.add(start, length);
    return this.bytes.subarray(start, start + length);
  }

  /** The text at an address, up to its closing zero. */
  text(pointer: Pointer): string {
    const { bytes } = this;
    return bytes.toString('utf8', pointer, bytes.indexOf(0, pointer));
  }

  /** Where a call's pieces of memory are: address and length of each. */
  pieces(list: Pointer, count: number): [Pointer, number][] {
    const { view } = this;
    if (count === 1) return [[view.getUint32(list, true), view.getUint32(list + 4, true)]];
    return Array.from({ length: count }, (_, index) => [
      view.getUint32(list + 8 * index, true),
      view.getUint32(list + 8 * index + 4, true),
    ]);
  }

  /** Writes the name of a time zone where C code can find it. */
  zoneName(name: string): Pointer {
    if (this.zoneNamePointer !== 0) this.room(this.zoneNamePointer, zoneNameBytes).write(`${name}\0`, 'latin1');
    return this.zoneNamePointer;
  }

  #own(): WasmImports[string] {
    const stop = (reason: 'exit' | 'trap') => (): never => {
      throw new PythonStoppedError(reason);
    };
    return {
      // C code calls functions of other types than it declares; a call from outside puts up with that.
      _PyEM_TrampolineCall_JS: (index: number, first: number, second: number, third: number): number => {
        const called = this.exports.__indirect_function_table.get(index);
        if (called === null) throw new PythonStoppedError('trap');
        return called(first, second, third);
      },
      emscripten_get_heap_max: (): number => Math.min(this.answers.memoryLimit, 65_535 * wasmPageBytes),
      emscripten_resize_heap: (bytes: number): number => this.#grow(bytes >>> 0),
      _emscripten_get_progname: (pointer: Pointer, most: number): void => {
        this.room(pointer, Math.min(most, 7)).write('python\0', 'latin1');
      },
      exit: stop('exit'),
      _abort_js: stop('trap'),
      __assert_fail: stop('trap'),
      emscripten_runtime_keepalive_push: (): void => {},
      emscripten_runtime_keepalive_pop: (): void => {},
      _emscripten_runtime_keepalive_clear: (): void => {},
      _Py_emscripten_runtime: (): number => 0,
      _Py_CheckEmscriptenSignals_Helper: (): number => 0,
      fail_test: (): void => {},
      __hiwire_deduplicate_new: (): null => null,
    };
  }

  #grow(wanted: number): number {
    const { memory } = this.exports;
    const before = memory.buffer.byteLength / wasmPageBytes;
    const most = Math.floor(this.answers.memoryLimit / wasmPageBytes);
    const pages = Math.ceil(wanted / wasmPageBytes);
    if (pages > most) return 0;
    const after = Math.min(most, Math.max(pages, before + leastGrowth));
    try {
      if (after > before) memory.grow(after - before);
      return 1;
    } catch {
      return 0; // the machine has no more
    }
  }
}

/** Imports that nobody answers stop the program: no code of the interpreter needs them to run a program. */
function denyingOthers(known: WasmImports): WasmImports {
  return Object.fromEntries(
    Object.entries(known).map(([name, functions]) => [
      name,
      new Proxy(functions, {
        get: (target, key) =>
          Object.hasOwn(target, key)
            ? target[key as string]
            : (): never => {
                throw new PythonStoppedError('denied', new Error(String(key)));
              },
      }),
    ]),
  );
}
