// A program brought to life in an instance for one slice. Steps run on a thread state and a part of the C stack of their own, so
// that a step can be put aside anywhere while the host still does things with the program's state on the other one.
import { randomFillSync } from 'node:crypto';
import { EngineMisuseError } from '../../typescript/engine/errors.ts';
import { readingOf } from '../../bridge/guest-text.ts';
import { wasm } from '../../wasm/wasm.ts';
import { captureMemory, undoWrites } from './capture.ts';
import { PythonStoppedError, type StopReason } from './errors.ts';
import type { Pointer } from './exports.ts';
import type { PythonHeader, PythonImage } from './image.ts';
import type { Instance } from './instance.ts';
import type { InstanceUser } from './instance-user.ts';

export interface MachineHost {
  /** A request of guest code: its number and text. */
  answer(operation: number, text: string): string;
  output(descriptor: number, text: string): void;
  now(): number;
  zoneOffset(seconds: number): number;
  /** Asked often while guest code runs or has the host do something: true stops the machine, wherever it is. */
  isOver(): boolean;
}

export interface MachineLimits {
  /** Units of work. */
  readonly fuel: number;
  /** Bytes the whole memory may have. */
  readonly memoryBytes: number;
  /** Bytes of C stack a step may use before Python raises RecursionError. */
  readonly stackBytes: number;
  /** Characters a text may have that guest code hands to the host. Of a longer one so much is read that it can be refused. */
  readonly longestText: number;
}

export interface MachineOptions {
  readonly instance: Instance;
  readonly base: PythonImage;
  readonly host: MachineHost;
  readonly limits: MachineLimits;
  /** `equals` is the image the memory equals, if it was captured last. */
  readonly onRelease: (equals: PythonImage | undefined, reusable: boolean) => void;
}

/**
 * Work is handed out in portions, and each time one is used up the host looks at the clock: a unit takes tens of nanoseconds in most
 * code and a hundred times as long in some native loops, such as those of hash functions.
 */
const portionUnits = 5000;

/** The number of the request that puts the program aside. */
const pause = 0;
const normal = 0;
const unwinding = 1;

export class PythonMachine implements InstanceUser {
  readonly memoryLimit: number;
  readonly #instance: Instance;
  readonly #base: PythonImage;
  readonly #host: MachineHost;
  readonly #onRelease: MachineOptions['onRelease'];
  readonly #fixed: PythonHeader;
  #stepThread: Pointer;
  #suspended: PythonHeader['suspended'];
  #elapsed: number;
  /** What was written last and not yet answered. */
  #request: string | undefined;
  /** What is being read, and how far. */
  #reply: Uint8Array | undefined;
  #position = 0;
  #thread: Pointer = 0;
  #depth = 0;
  #rewinding = false;
  #stopped: Error | undefined;
  #captured: PythonImage | undefined;
  #changed = false;
  #released = false;
  #stackBytes = 0;
  readonly #longestText: number;
  /** Work the guest may still do beyond the portion that is in its counter. */
  #reserve = 0;

  constructor({ instance, base, host, limits, onRelease }: MachineOptions) {
    this.#instance = instance;
    this.#base = base;
    this.#host = host;
    this.#onRelease = onRelease;
    this.memoryLimit = limits.memoryBytes;
    const { header } = base;
    this.#fixed = header;
    this.#stepThread = header.stepThread;
    this.#suspended = header.suspended;
    this.#elapsed = header.elapsed;
    instance.user = this;
    const { exports } = instance;
    this.#longestText = limits.longestText;
    this.#handOut(limits.fuel);
    exports.memory_limit_set(Math.min(65_536, Math.ceil(limits.memoryBytes / 65_536)));
    this.#protect(limits.stackBytes);
  }

  /** A step is put aside in the middle. */
  get isSuspended(): boolean {
    return this.#suspended !== null;
  }

  get memoryBytes(): number {
    return this.#instance.bytes.length;
  }

  /** Runs a step until it ends or is put aside. A step that was put aside before is given up. */
  begin(step: number, source: string): void {
    if (this.#suspended !== null) this.#abandon();
    this.#enter(this.#stepThread, this.#fixed.stepStack, () => {
      this.#give(`${step}\n${source}`);
      return this.#runStep();
    });
  }

  /** Takes up the step that was put aside. */
  resume(): void {
    const suspended = this.#suspended;
    if (suspended === null) throw new EngineMisuseError('No step is put aside.');
    this.#check();
    this.#changed = true;
    const { exports } = this.#instance;
    this.#guarded(() => {
      exports.__stack_pointer.value = suspended.outermost;
      this.#thread = this.#stepThread;
      this.#suspended = null;
      this.#rewinding = true;
      this.#give('');
      exports.asyncify_start_rewind(this.#fixed.aside);
      this.#finishStep(exports.PyObject_CallNoArgs(this.#fixed.runStep));
    });
  }

  /** Does something with the program's state; no step runs meanwhile. */
  control(request: string): string {
    return this.#enter(this.#fixed.mainThread, this.#fixed.mainStack, () => {
      this.#give(request);
      const { exports } = this.#instance;
      const result = exports.PyObject_CallNoArgs(this.#fixed.control);
      if (result === 0) {
        exports.PyErr_Clear();
        throw new PythonStoppedError('memory');
      }
      exports.Py_DecRef(result);
      return this.#takeRequest();
    });
  }

  /** Calls the function that calls guest functions back; only while guest code waits for an answer. */
  callBack(request: string): string {
    const { exports } = this.#instance;
    const thread = this.#thread;
    this.#depth++;
    try {
      exports.PyEval_RestoreThread(thread);
      this.#give(request);
      const result = exports.PyObject_CallNoArgs(this.#fixed.callBack);
      if (result === 0) {
        exports.PyErr_Clear();
        throw new PythonStoppedError('memory');
      }
      exports.Py_DecRef(result);
      exports.PyEval_SaveThread();
      return this.#takeRequest();
    } finally {
      this.#depth--;
    }
  }

  /** Takes work off the budget that the host did for the guest. */
  spend(units: number): void {
    this.#refuseIfOver();
    const { exports } = this.#instance;
    exports.fuel_set(exports.fuel_get() - units);
  }

  get fuelLeft(): number {
    return this.#reserve + this.#instance.exports.fuel_get();
  }

  /** Bytes that can still be allocated: what memory may grow by, and what is free inside it. */
  get memoryLeft(): number {
    const growth = this.memoryLimit - this.#instance.bytes.length;
    if (growth > 4 * 2 ** 20) return growth;
    const { exports } = this.#instance;
    const stack = exports.__stack_pointer.value;
    // Room for the result on the part of the stack where nothing runs now.
    const result = this.#fixed.mainStack - 4096;
    exports.__stack_pointer.value = result - 4096;
    // This is work of the guest, too: its time may be over in the middle of it.
    this.#guarded(() => exports.mallinfo(result));
    exports.__stack_pointer.value = stack;
    return growth + this.#instance.view.getUint32(result + 32, true);
  }

  capture(): PythonImage {
    this.#check();
    if (this.#thread !== 0) throw new EngineMisuseError('A program can be captured only while nothing runs.');
    const header: PythonHeader = {
      ...this.#fixed,
      stepThread: this.#stepThread,
      suspended: this.#suspended,
      elapsed: this.#elapsed,
    };
    this.#captured = captureMemory(this.#instance, header, this.#base);
    this.#changed = false;
    return this.#captured;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#instance.user = undefined;
    // All there is of a program is in memory, which the next one overwrites; only a stack caught on its way aside is not.
    const reusable = this.#instance.exports.asyncify_get_state() === normal;
    this.#onRelease(reusable ? this.#equals() : undefined, reusable);
  }

  /** The image that memory equals. Looking at a program and dropping a slice leave nothing behind. */
  #equals(): PythonImage | undefined {
    if (!this.#changed) return this.#captured ?? this.#base;
    return undoWrites(this.#instance, this.#base) ? this.#base : undefined;
  }

  // What the interpreter asks of the host.

  spent(): void {
    if (this.#stopped !== undefined) return; // and the guest traps
    const left = this.fuelLeft;
    if (left < 0) this.#stop('fuel');
    else if (this.#host.isOver()) this.#stop('time');
    else this.#handOut(left);
  }

  channelWrite(bytes: Uint8Array): void {
    this.#refuseIfOver();
    // What the host itself asks for is read whole.
    const isAsked = this.#thread === this.#fixed.mainThread;
    this.#request = textOf(bytes, isAsked ? Number.POSITIVE_INFINITY : this.#longestText);
  }

  channelRead(most: number): Uint8Array | undefined {
    if (this.#rewinding) {
      this.#rewinding = false;
      this.#instance.exports.asyncify_stop_rewind();
    }
    this.#refuseIfOver();
    let reply = this.#reply;
    if (reply === undefined) {
      const answer = this.#answer();
      if (answer === undefined) return this.#putAside();
      reply = this.#give(answer);
    }
    const part = reply.subarray(this.#position, this.#position + most);
    this.#position += part.length;
    if (part.length < most) this.#reply = undefined;
    return part;
  }

  output(descriptor: number, bytes: Uint8Array): void {
    this.#refuseIfOver();
    this.#host.output(descriptor, textOf(bytes, this.#longestText));
  }

  now(): number {
    return this.#host.now();
  }

  elapsed(): number {
    // It does not go back when the program moves to a machine whose clock is behind.
    this.#elapsed = Math.max(this.#elapsed, this.#host.now());
    return this.#elapsed;
  }

  zoneOffset(seconds: number): number {
    this.#refuseIfOver();
    return this.#host.zoneOffset(seconds);
  }

  fillRandom(bytes: Uint8Array): void {
    this.#refuseIfOver();
    randomFillSync(bytes);
  }

  /** Puts a portion of the work that is left into the guest's counter. */
  #handOut(units: number): void {
    const portion = Math.min(units, portionUnits);
    this.#reserve = units - portion;
    this.#instance.exports.fuel_set(portion);
  }

  /** The guest does nothing more: whatever it is doing traps at its next count. */
  #stop(reason: StopReason): void {
    this.#stopped ??= new PythonStoppedError(reason);
    if (this.fuelLeft >= 0) this.#instance.exports.fuel_set(-1);
  }

  #refuseIfOver(): void {
    if (this.#stopped === undefined && this.#host.isOver()) this.#stop('time');
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** The answer to the request that was written, or undefined if the program is to be put aside. */
  #answer(): string | undefined {
    const request = this.#takeRequest();
    const end = request.indexOf('\n');
    const operation = Number(request.slice(0, end));
    if (operation === pause) {
      if (this.#depth > 0) return '!a function that the application calls cannot wait for anything';
      if (this.#thread !== this.#stepThread) return '!nothing can be waited for here';
      return undefined;
    }
    try {
      return this.#host.answer(operation, request.slice(end + 1));
    } catch (error) {
      this.#stopped ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  #putAside(): undefined {
    const { exports } = this.#instance;
    const { aside, asideBytes } = this.#fixed;
    const room = this.#instance.room(aside, 8);
    room.writeUInt32LE(aside + 8);
    room.writeUInt32LE(aside + asideBytes, 4);
    // Frames of functions that count are given back on the way out, so the pointer at its deepest must be kept from here.
    this.#suspended = { deepest: exports.__stack_pointer.value, outermost: 0 };
    exports.asyncify_start_unwind(aside);
    return undefined;
  }

  #runStep(): void {
    this.#finishStep(this.#instance.exports.PyObject_CallNoArgs(this.#fixed.runStep));
  }

  #finishStep(result: Pointer): void {
    const { exports } = this.#instance;
    if (exports.asyncify_get_state() === unwinding) {
      exports.asyncify_stop_unwind();
      const { deepest } = this.#suspended as NonNullable<PythonHeader['suspended']>;
      this.#suspended = { deepest, outermost: exports.__stack_pointer.value };
      // The thread gave up the interpreter before it began to read.
      this.#thread = 0;
      return;
    }
    if (result === 0) {
      exports.PyErr_Clear();
      throw new PythonStoppedError('memory');
    }
    exports.Py_DecRef(result);
    exports.PyEval_SaveThread();
    this.#thread = 0;
  }

  /** Runs something on a thread state, from the beginning of its part of the stack. */
  #enter<Result>(thread: Pointer, stack: Pointer, action: () => Result): Result {
    this.#check();
    if (this.#thread !== 0) throw new EngineMisuseError('The program is running.');
    this.#changed = true;
    const { exports } = this.#instance;
    return this.#guarded(() => {
      exports.__stack_pointer.value = stack;
      this.#thread = thread;
      exports.PyEval_RestoreThread(thread);
      const result = action();
      if (this.#thread !== 0) {
        exports.PyEval_SaveThread();
        this.#thread = 0;
      }
      return result;
    });
  }

  /** The step that was put aside is left where it is and never taken up again; what it held stays held. */
  #abandon(): void {
    this.#enter(this.#fixed.mainThread, this.#fixed.mainStack, () => {
      this.#stepThread = this.#instance.exports.PyThreadState_New(this.#fixed.interpreter);
      if (this.#stepThread === 0) throw new PythonStoppedError('memory');
    });
    this.#suspended = null;
    this.#protect(this.#stackBytes);
  }

  #protect(stackBytes: number): void {
    this.#stackBytes = stackBytes;
    const { exports } = this.#instance;
    const { stackEnd, stepStack, mainStack } = this.#fixed;
    const ofStep = Math.min(stackBytes, stepStack - stackEnd);
    const ofMain = Math.min(stackBytes, mainStack - stepStack);
    exports.__stack_pointer.value = mainStack;
    exports.PyUnstable_ThreadState_SetStackProtection(this.#stepThread, stepStack - ofStep, ofStep);
    exports.PyUnstable_ThreadState_SetStackProtection(this.#fixed.mainThread, mainStack - ofMain, ofMain);
  }

  #guarded<Result>(action: () => Result): Result {
    try {
      const result = action();
      // Somebody between here and there may have swallowed what stopped the program.
      if (this.#stopped !== undefined) throw this.#stopped;
      return result;
    } catch (error) {
      this.#stopped ??= this.#reasonOf(error);
      throw this.#stopped;
    }
  }

  #reasonOf(error: unknown): Error {
    if (error instanceof PythonStoppedError) return error;
    if (error instanceof RangeError) return new PythonStoppedError('stack', error);
    if (error instanceof wasm.RuntimeError || isWasmException(error)) return new PythonStoppedError('trap', error);
    return error instanceof Error ? error : new Error(String(error));
  }

  #give(text: string): Uint8Array {
    this.#reply = Buffer.from(text);
    this.#position = 0;
    return this.#reply;
  }

  #takeRequest(): string {
    const request = this.#request;
    if (request === undefined) throw new PythonStoppedError('trap', new Error('the guest wrote nothing'));
    this.#request = undefined;
    return request;
  }

  #check(): void {
    if (this.#released) throw new EngineMisuseError('This machine was released.');
    if (this.#stopped !== undefined) throw this.#stopped;
  }
}

function textOf(given: Uint8Array, most: number): string {
  const { bytes, encoding } = readingOf(given.byteLength, most);
  return Buffer.from(given.buffer, given.byteOffset, bytes).toString(encoding);
}

function isWasmException(error: unknown): boolean {
  return Object.prototype.toString.call(error) === '[object WebAssembly.Exception]';
}
