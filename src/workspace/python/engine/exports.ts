// What the engine's WASM offers to the host, and the part of `WebAssembly` this engine needs beside the common one.
import type { WasmGlobal, WasmMemory, WasmTable } from '../../wasm/wasm.ts';

/** An address in the engine's memory. */
export type Pointer = number;

export interface EngineExports {
  readonly memory: WasmMemory;
  readonly __stack_pointer: WasmGlobal;
  readonly __indirect_function_table: { get(index: number): ((...values: number[]) => number) | null };
  readonly malloc: (bytes: number) => Pointer;
  readonly free: (pointer: Pointer) => void;
  readonly emscripten_stack_init: () => void;
  readonly emscripten_stack_get_base: () => Pointer;
  readonly emscripten_stack_get_end: () => Pointer;
  readonly __wasm_call_ctors: () => void;
  readonly __main_argc_argv: (count: number, values: Pointer) => number;
  readonly mallinfo: (result: Pointer) => void;

  readonly PyRun_SimpleString: (source: Pointer) => number;
  readonly PyObject_CallNoArgs: (callable: Pointer) => Pointer;
  readonly Py_DecRef: (object: Pointer) => void;
  readonly PyErr_Clear: () => void;
  readonly PyEval_SaveThread: () => Pointer;
  readonly PyEval_RestoreThread: (thread: Pointer) => void;
  readonly PyThreadState_Get: () => Pointer;
  readonly PyThreadState_GetInterpreter: (thread: Pointer) => Pointer;
  readonly PyThreadState_New: (interpreter: Pointer) => Pointer;
  readonly PyUnstable_ThreadState_SetStackProtection: (thread: Pointer, start: Pointer, bytes: number) => number;

  readonly asyncify_get_state: () => number;
  readonly asyncify_start_unwind: (data: Pointer) => void;
  readonly asyncify_stop_unwind: () => void;
  readonly asyncify_start_rewind: (data: Pointer) => void;
  readonly asyncify_stop_rewind: () => void;

  readonly fuel_get: () => number;
  readonly fuel_set: (units: number) => void;
  /** Its one entry is called when the counter has sunk below zero. */
  readonly fuel_hook: WasmTable;
  readonly memory_limit_set: (pages: number) => void;
  /** A byte for each page of 4 KiB: not 0 if the engine may have written to the page or to the one after it. */
  readonly marks: WasmMemory;
}

/** Exports of the original file that are kept; the rest are those that building adds. */
export const keptExports = [
  'memory',
  '__stack_pointer',
  '__indirect_function_table',
  'malloc',
  'free',
  'emscripten_stack_init',
  'emscripten_stack_get_base',
  'emscripten_stack_get_end',
  '__wasm_call_ctors',
  '__main_argc_argv',
  'mallinfo',
  'PyRun_SimpleString',
  'PyObject_CallNoArgs',
  'Py_DecRef',
  'PyErr_Clear',
  'PyEval_SaveThread',
  'PyEval_RestoreThread',
  'PyThreadState_Get',
  'PyThreadState_GetInterpreter',
  'PyThreadState_New',
  'PyUnstable_ThreadState_SetStackProtection',
] as const;
