// One WASM instance with imports that reach nothing by themselves: every one is answered by whoever uses the instance just now.
// There are no files, no environment, no clock and no randomness but what that user gives.
import { Marks } from '../../wasm/marks.ts';
import { tableFunction, wasm } from '../../wasm/wasm.ts';
import type { WasmImports } from '../../wasm/wasm.ts';
import type { EngineBuild } from './build.ts';
import type { Box, EngineExports, Pointer } from './exports.ts';

/** Answers the engine's calls. One object at a time stands behind an instance. */
export interface InstanceUser {
  hostCall(count: number, values: Pointer): Box;
  interrupt(): boolean;
  /** The counter of work has sunk below zero; the guest traps unless it is raised. */
  spent(): void;
  promiseRejected(promise: Box, reason: Box, handled: boolean): void;
  resolveModule(from: Pointer, specifier: Pointer): Pointer;
  loadModule(name: Pointer, length: Pointer): Pointer;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that only goes forward. */
  elapsed(): number;
  /** Seconds to add to UTC. */
  zoneOffset(seconds: number): number;
  fillRandom(bytes: Uint8Array): void;
}

/** The engine marks blocks of 512 bytes. */
const blockShift = 9;

const success = 0;
const badDescriptor = 8;
const notThere = 52;
const realtimeClock = 0;
const monotonicClock = 1;

export class Instance {
  readonly build: EngineBuild;
  readonly exports: EngineExports;
  /** What was written to since they were cleared, by the engine or through `room`: see `EngineExports.marks`. */
  readonly marks: Marks;
  #user: InstanceUser | undefined;
  #bytes: Buffer;
  #words: Int32Array;

  constructor(build: EngineBuild) {
    this.build = build;
    const instance = new wasm.Instance(build.module, {
      env: this.#hostImports(),
      wasi_snapshot_preview1: this.#wasi(),
    });
    this.exports = instance.exports as EngineExports;
    // The engine as it comes, which benchmarks compare with, has neither marks nor this table.
    this.marks = new Marks(this.exports.marks?.buffer ?? new ArrayBuffer(0), blockShift);
    this.exports.fuel_hook?.set(
      0,
      tableFunction(() => this.#answers().spent()),
    );
    this.#bytes = Buffer.from(this.exports.memory.buffer);
    this.#words = new Int32Array(this.exports.memory.buffer);
  }

  /** Who answers the engine's calls; `undefined` between slices, and then the engine must not run. */
  set user(user: InstanceUser | undefined) {
    this.#user = user;
  }

  /** The whole memory, for reading. Ask again after every call into the engine: growing makes a new one. */
  get bytes(): Buffer {
    if (this.#bytes.length === 0) this.#bytes = Buffer.from(this.exports.memory.buffer); // growing empties the old view
    return this.#bytes;
  }

  /** The memory as signed 32-bit words, for reading. */
  get words(): Int32Array {
    if (this.#words.length === 0) this.#words = new Int32Array(this.exports.memory.buffer);
    return this.#words;
  }

  word(pointer: Pointer): number {
    return this.words[pointer >>> 2] ?? 0;
  }

  /** A part of the memory, for writing. */
  room(pointer: Pointer, length: number): Buffer {
    this.marks.add(pointer >>> 0, length);
    return this.bytes.subarray(pointer >>> 0, (pointer >>> 0) + length);
  }

  setWord(pointer: Pointer, value: number): void {
    this.marks.add(pointer >>> 0, 4);
    this.words[pointer >>> 2] = value;
  }

  #answers(): InstanceUser {
    if (this.#user === undefined) throw new Error('the engine ran while nobody used it');
    return this.#user;
  }

  #hostImports(): WasmImports[string] {
    return {
      host_call: (_name: Pointer, _nameLength: number, _self: Box, count: number, values: Pointer): Box =>
        this.#answers().hostCall(count, values),
      host_interrupt: (): number => (this.#answers().interrupt() ? 1 : 0),
      host_promise_rejection: (promise: Box, reason: Box, handled: number): void =>
        this.#answers().promiseRejected(promise, reason, handled !== 0),
      host_module_normalize: (from: Pointer, specifier: Pointer): Pointer =>
        this.#answers().resolveModule(from, specifier),
      host_module_load: (name: Pointer, length: Pointer): Pointer => this.#answers().loadModule(name, length),
      host_get_timezone_offset: (high: number, low: number): number =>
        this.#answers().zoneOffset(high * 2 ** 32 + (low >>> 0)),
    };
  }

  #wasi(): WasmImports[string] {
    return {
      clock_time_get: (clock: number, _precision: bigint, result: Pointer): number => {
        if (clock !== realtimeClock && clock !== monotonicClock) return notThere;
        const milliseconds = clock === realtimeClock ? this.#answers().now() : this.#answers().elapsed();
        this.room(result, 8).writeBigInt64LE(BigInt(Math.round(milliseconds * 1e6)));
        return success;
      },
      random_get: (pointer: Pointer, length: number): number => {
        this.#answers().fillRandom(this.room(pointer, length));
        return success;
      },
      fd_close: (): number => badDescriptor,
      fd_fdstat_get: (): number => badDescriptor,
      fd_seek: (): number => badDescriptor,
      fd_write: (): number => badDescriptor,
    };
  }
}
