// The functions of engine.wasm that the host calls. Pointers are byte offsets in its memory; a `Box` points to a guest value
// that the engine keeps alive until the box is freed.

import type { WasmGlobal, WasmMemory, WasmTable } from '../../wasm/wasm.ts';

export type Pointer = number;
export type Box = number;

export interface EngineExports {
  readonly memory: WasmMemory;
  /** One byte for each block of 512 bytes: 1 if the block, or the one after it, may have been written to. */
  readonly marks?: WasmMemory;
  readonly __stack_pointer: WasmGlobal;
  fuel_get(): number;
  fuel_set(units: number): void;
  /** Its one entry is called when the counter has sunk below zero. */
  readonly fuel_hook?: WasmTable;
  memory_limit_set(pages: number): void;

  _initialize(): void;
  qjs_init(): number;
  qjs_get_context_ptr(): Pointer;
  qjs_set_interrupt_handler(on: number): void;
  qjs_set_promise_rejection_handler(on: number): void;
  qjs_set_module_loader(on: number): void;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_run_gc(): void;

  wasm_malloc(bytes: number): Pointer;
  wasm_free(pointer: Pointer): void;

  qjs_eval(code: Pointer, length: number, name: Pointer, flags: number): Box;
  qjs_call(callee: Box, self: Box, count: number, values: Pointer): Box;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;

  qjs_new_string(text: Pointer, length: number): Box;
  qjs_new_number(value: number): Box;
  qjs_new_uint8_array(bytes: Pointer, length: number): Box;
  qjs_new_error(): Box;
  qjs_new_host_function(name: Pointer, nameLength: number, parameterCount: number): Box;
  qjs_get_undefined(): Box;
  qjs_get_null(): Box;
  qjs_get_true(): Box;
  qjs_get_false(): Box;
  qjs_free_value(box: Box): void;

  qjs_get_float64(box: Box): number;
  qjs_get_string_len(box: Box, length: Pointer): Pointer;
  qjs_free_cstring(text: Pointer): void;
  qjs_is_function(box: Box): number;
  qjs_is_proxy(box: Box): number;
  qjs_is_error(box: Box): number;
  qjs_get_value_ptr(box: Box): Pointer;
  qjs_get_typed_array_buffer(box: Box, offset: Pointer, length: Pointer, elementSize: Pointer): Box;
  qjs_get_array_buffer(box: Box, length: Pointer): Pointer;
  qjs_get_own_property_descriptor(box: Box, key: Box): Box;
  qjs_has_own_property(box: Box, name: Pointer): number;
  qjs_get_prop_string(box: Box, name: Pointer): Box;
  qjs_define_prop_string(box: Box, name: Pointer, value: Box, flags: number): number;
  qjs_get_prototype_of(box: Box): Box;
  qjs_get_exception(): Box;
  qjs_throw(box: Box): Box;
}

/** Kinds of guest value, as the upper half of a boxed value holds them; anything else there is part of a floating-point number. */
export const tag = {
  bigInt: -9,
  symbol: -8,
  string: -7,
  rope: -6,
  object: -1,
  integer: 0,
  boolean: 1,
  null: 2,
  undefined: 3,
  exception: 6,
  shortBigInt: 7,
} as const;

export const lowestTag = -9;
export const highestTag = 8;

export const evaluateFlag = { strict: 1 << 3, backtraceBarrier: 1 << 6, async: 1 << 7 } as const;

/** A property that is writable and configurable but not listed, as those of errors are. */
export const hiddenProperty = 0b011;
