// A machine: an instance in somebody's hands for one slice. It answers the engine's calls, keeps the limits, and once stopped
// never runs again.
import { wasm } from '../../wasm/wasm.ts';
import type { Data, EvaluateOptions, GuestError, Host, Limits, Machine, Outcome } from './engine.ts';
import { captureMemory, undoWrites } from './capture.ts';
import { EngineMisuseError, EngineStoppedError, GuestThrow, type StopReason } from './errors.ts';
import { evaluateFlag, tag } from './exports.ts';
import type { Box, Pointer } from './exports.ts';
import { describeThrown, throwInGuest } from './guest-error.ts';
import { newCopy, type CopyPage } from '../../wasm/memory-pages.ts';
import type { Image } from './image.ts';
import type { Instance, InstanceUser } from './instance.ts';
import { applyLimits } from './limits.ts';
import { loadModule, resolveModule } from './modules.ts';
import { Values } from './values.ts';

/** Of errors that nobody catches, so many are described; a program can throw millions of them. */
const maxDescribed = 20;
const undescribed: GuestError = { name: '', message: '', stack: '' };

/**
 * Work is handed out in portions, and each time one is used up the host looks at the clock: a unit takes a few nanoseconds in most
 * code and a hundred times as long in some native loops. So a portion is over within a tenth of a millisecond, or within ten.
 */
const portionUnits = 20_000;

/** More values than this in one call to the host are refused. */
const maxValues = 16;

function withCount(errors: GuestError[], more: number): GuestError[] {
  return more === 0 ? errors : [...errors, { name: '', message: `… and ${more} more errors`, stack: '' }];
}

export interface MachineParts {
  readonly instance: Instance;
  readonly base: Image;
  readonly host: Host;
  readonly limits: Limits;
  /** How changed pages are copied into an image; default: into new memory. */
  readonly copyPage?: CopyPage;
  /** Called once, when the machine is given back: the image the memory equals, if it still does, and whether it may be used again. */
  readonly onRelease: (resident: Image | undefined, reusable: boolean) => void;
}

export class LiveMachine implements Machine, InstanceUser {
  readonly #instance: Instance;
  readonly #host: Host;
  readonly #values: Values;
  readonly #copyPage: CopyPage;
  readonly #onRelease: MachineParts['onRelease'];
  #limits: Limits;
  #base: Image;
  /** Whether memory still equals the base image. */
  #clean = false;
  #released = false;
  #stopped: Error | undefined;
  #interrupted = false;
  /** Work the guest may still do beyond the portion that is in its counter. */
  #reserve = 0;
  /** How many calls into the guest are on the stack. */
  #depth = 0;
  /** Rejected promises without a handler, by address. An address seen twice means that the first promise is gone: it stays unhandled. */
  readonly #rejections = new Map<Pointer, GuestError>();
  #lostRejections: GuestError[] = [];
  #lostCount = 0;

  constructor({ instance, base, host, limits, copyPage = newCopy, onRelease }: MachineParts) {
    this.#instance = instance;
    this.#base = base;
    this.#host = host;
    this.#copyPage = copyPage;
    this.#onRelease = onRelease;
    this.#values = new Values(instance);
    this.#limits = limits;
    instance.user = this;
    instance.exports.fuel_set(Number.MAX_SAFE_INTEGER);
    applyLimits(instance, limits);
    this.#handOut(limits.fuel);
  }

  evaluate(source: string, options: EvaluateOptions): Outcome {
    const { exports } = this.#instance;
    let flags: number = evaluateFlag.backtraceBarrier;
    if (options.strict === true) flags |= evaluateFlag.strict;
    if (options.async === true) flags |= evaluateFlag.async;
    return this.#run(() => {
      const result = this.#values.own(
        this.#values.withText(options.name, (name) =>
          this.#values.withText(source, (code, length) => exports.qjs_eval(code, length, name, flags)),
        ),
      );
      if (!('deliver' in options) || this.#values.isException(result)) return this.#outcome(result);
      const outcome = this.#callEntry([this.#values.fromData(options.deliver), result]);
      return outcome;
    });
  }

  enter(...values: Data[]): Outcome {
    return this.#run(() => this.#callEntry(values.map((value) => this.#values.fromData(value))));
  }

  runJobs(): GuestError[] {
    const { exports } = this.#instance;
    return this.#run(() => {
      const errors: GuestError[] = [];
      let more = 0;
      while (!this.#interrupted && exports.qjs_is_job_pending() !== 0) {
        this.#refuseIfOver();
        if (exports.qjs_execute_pending_job() >= 0) continue;
        if (errors.length < maxDescribed) errors.push(this.#describeException());
        else {
          this.#values.dropException();
          more++;
        }
      }
      return withCount(errors, more);
    });
  }

  get hasJobs(): boolean {
    this.#refuseUnlessIdle('look for jobs');
    return this.#looked(() => this.#instance.exports.qjs_is_job_pending() !== 0);
  }

  collectGarbage(): void {
    this.#run(() => this.#instance.exports.qjs_run_gc());
  }

  spend(units: number): void {
    const { exports } = this.#instance;
    exports.fuel_set(exports.fuel_get() - units);
  }

  takeUnhandledRejections(): GuestError[] {
    const all = [...this.#lostRejections, ...this.#rejections.values()];
    const errors = all.filter((error) => error !== undescribed);
    const more = all.length - errors.length + this.#lostCount;
    this.#rejections.clear();
    this.#lostRejections = [];
    this.#lostCount = 0;
    return withCount(errors, more);
  }

  get fuelLeft(): number {
    return this.#reserve + this.#instance.exports.fuel_get();
  }

  get fuelUsed(): number {
    return this.#limits.fuel - this.fuelLeft;
  }

  get memoryLeft(): number {
    return this.#limits.memoryBytes - (this.#instance.word(this.#base.header.memoryState) >>> 0);
  }

  get memoryBytes(): number {
    return this.#instance.bytes.length;
  }

  get stopped(): Error | undefined {
    return this.#stopped;
  }

  refuel(limits: Limits): void {
    this.#refuseUnlessIdle('refuel');
    this.#clean = false;
    this.#instance.exports.fuel_set(Number.MAX_SAFE_INTEGER);
    applyLimits(this.#instance, limits);
    this.#limits = limits;
    this.#handOut(limits.fuel);
  }

  reseed(seed: bigint): void {
    this.#refuseUnlessIdle('reseed');
    this.#clean = false;
    // The generator would stand still at zero.
    this.#instance.room(this.#base.header.randomState, 8).writeBigUInt64LE(BigInt.asUintN(64, seed) || 1n);
  }

  doom(reason: Error): void {
    this.#stopped ??= reason;
  }

  capture(): Image {
    this.#refuseUnlessIdle('capture');
    const { exports } = this.#instance;
    if (this.#values.held !== 0) throw new EngineMisuseError(`The host still holds ${this.#values.held} guest values.`);
    if (this.#looked(() => exports.qjs_is_job_pending() !== 0))
      throw new EngineMisuseError('The program has jobs left to run.');
    const stackPointer = exports.__stack_pointer.value;
    if (stackPointer !== this.#base.header.stackPointer) {
      throw new EngineMisuseError('The C stack is not at rest.', {
        stackPointer,
        atBoot: this.#base.header.stackPointer,
      });
    }
    if (!this.#clean) {
      this.#base = captureMemory(this.#instance, this.#base, this.#copyPage);
      this.#instance.marks.clear(this.#instance.bytes.length);
      this.#clean = true;
    }
    return this.#base;
  }

  release(): void {
    if (this.#released) return;
    if (this.#depth > 0) throw new EngineMisuseError('A machine cannot be released while its guest runs.');
    this.#released = true;
    this.#instance.user = undefined;
    const reusable = this.#stopped === undefined;
    // Looking at a program and dropping a slice leave nothing behind.
    const isBase = reusable && (this.#clean || undoWrites(this.#instance, this.#base));
    this.#onRelease(isBase ? this.#base : undefined, reusable);
  }

  [Symbol.dispose](): void {
    this.release();
  }

  // What the engine asks.

  spent(): void {
    if (this.#stopped !== undefined) return; // and the guest traps
    const left = this.fuelLeft;
    if (left < 0) this.#stop('fuel');
    else if (this.#host.isOver?.() === true) this.#stop('time');
    else this.#handOut(left);
  }

  hostCall(count: number, pointers: Pointer): Box {
    this.#refuseIfOver();
    try {
      if (this.#asksForProxy(count, pointers)) return this.#answerProxy(pointers);
      const values = this.#readArguments(count, pointers);
      const operation = values?.shift();
      if (values === undefined || typeof operation !== 'number') {
        throw new GuestThrow('TypeError', 'a call to the host takes a number and up to fifteen plain values');
      }
      const result = this.#host.call(operation, values);
      this.#refuseIfOver();
      return this.#values.handOver(this.#values.fromData(result));
    } catch (error) {
      if (!(error instanceof GuestThrow) || this.#stopped !== undefined) throw error;
      throwInGuest(this.#instance.exports, this.#values, error.guestName, error.message);
      return 0;
    }
  }

  interrupt(): boolean {
    const { softFuel } = this.#limits;
    this.#interrupted ||=
      this.#stopped !== undefined ||
      (softFuel !== undefined && this.fuelUsed > softFuel) ||
      this.#host.interrupt?.() === true;
    return this.#interrupted;
  }

  promiseRejected(promise: Box, reason: Box, handled: boolean): void {
    this.#refuseIfOver();
    this.#values.own(promise);
    this.#values.own(reason);
    const identity = this.#instance.exports.qjs_get_value_ptr(promise);
    const earlier = this.#rejections.get(identity);
    this.#rejections.delete(identity);
    if (!handled) {
      if (earlier === undescribed) this.#lostCount++;
      else if (earlier !== undefined) this.#lostRejections.push(earlier);
      const isMany = this.#rejections.size + this.#lostRejections.length >= maxDescribed;
      this.#rejections.set(identity, isMany ? undescribed : this.#describe(reason));
    }
    this.#values.free(reason);
    this.#values.free(promise);
  }

  resolveModule(from: Pointer, specifier: Pointer): Pointer {
    return resolveModule(this.#instance.exports, this.#values, this.#host.modules, from, specifier);
  }

  loadModule(name: Pointer, length: Pointer): Pointer {
    return loadModule(this.#instance, this.#values, this.#host.modules, name, length);
  }

  now(): number {
    return this.#host.now();
  }

  elapsed(): number {
    return this.#host.elapsed?.() ?? this.#host.now();
  }

  zoneOffset(seconds: number): number {
    this.#refuseIfOver();
    return Math.trunc((this.#host.zoneOffset?.(seconds) ?? 0) * 60);
  }

  fillRandom(bytes: Uint8Array): void {
    bytes.fill(0); // the engine asks only while it boots
  }

  // Inside.

  /** Puts a portion of the work that is left into the guest's counter. */
  #handOut(units: number): void {
    const portion = Math.min(units, portionUnits);
    this.#reserve = units - portion;
    this.#instance.exports.fuel_set(portion);
  }

  /** The guest does nothing more: whatever it is doing traps at its next count. */
  #stop(reason: StopReason): void {
    this.#stopped ??= new EngineStoppedError(reason);
    if (this.fuelLeft >= 0) this.#instance.exports.fuel_set(-1);
  }

  #refuseIfOver(): void {
    if (this.#stopped === undefined && this.#host.isOver?.() === true) this.#stop('time');
    this.#refuseIfStopped();
  }

  /** Everything that runs guest code goes through here: whatever comes out other than a result stops the machine. */
  #run<T>(body: () => T): T {
    this.#refuseIfReleased();
    this.#refuseIfStopped();
    this.#clean = false;
    this.#depth++;
    try {
      const result = body();
      if (this.#interrupted) this.#stopped ??= new EngineStoppedError('interrupt');
      this.#refuseIfStopped();
      return result;
    } catch (error) {
      this.#stopped ??= this.#explain(error);
      throw this.#stopped;
    } finally {
      this.#depth--;
    }
  }

  /** Looks without running guest code; but looking is counted, too, and the time may be over in the middle of it. */
  #looked<T>(look: () => T): T {
    try {
      return look();
    } catch (error) {
      this.#stopped ??= this.#explain(error);
      throw this.#stopped;
    }
  }

  #explain(error: unknown): Error {
    if (error instanceof wasm.RuntimeError) return new EngineStoppedError('trap', error);
    if (error instanceof RangeError && error.message.includes('call stack'))
      return new EngineStoppedError('stack', error);
    return error instanceof Error ? error : new EngineStoppedError('trap', error);
  }

  #refuseIfReleased(): void {
    if (this.#released) throw new EngineMisuseError('This machine was released; acquire another.');
  }

  #refuseIfStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  #refuseUnlessIdle(what: string): void {
    this.#refuseIfReleased();
    this.#refuseIfStopped();
    if (this.#depth > 0)
      throw new EngineMisuseError(`Cannot ${what} while the guest runs: a host frame is on its stack.`);
  }

  #readArguments(count: number, pointers: Pointer): Data[] | undefined {
    if (count === 0 || count > maxValues) return undefined;
    if (pointers === 0) throw new EngineStoppedError('memory');
    const values: Data[] = [];
    for (let index = 0; index < count; index++) {
      const box = this.#instance.word(pointers + index * 4) >>> 0;
      if (box === 0) throw new EngineStoppedError('memory');
      const { type, value } = this.#values.toData(box, this.#limits.longestText);
      if (value === undefined && type !== 'undefined') return undefined;
      values.push(value);
    }
    return values;
  }

  // Operation 0 is the engine's own: whether a value is a proxy. Code of the language cannot tell, and whoever shows values
  // without running guest code must know.
  #asksForProxy(count: number, pointers: Pointer): boolean {
    if (count !== 2 || pointers === 0) return false;
    const box = this.#instance.word(pointers) >>> 0;
    return box !== 0 && this.#values.tag(box) === tag.integer && this.#instance.word(box) === 0;
  }

  #answerProxy(pointers: Pointer): Box {
    const { exports } = this.#instance;
    const box = this.#instance.word(pointers + 4) >>> 0;
    if (box === 0) throw new EngineStoppedError('memory');
    const isProxy = this.#values.tag(box) === tag.object && exports.qjs_is_proxy(box) !== 0;
    return this.#values.handOver(this.#values.fromData(isProxy));
  }

  /** Calls the entry function; frees the values. */
  #callEntry(boxes: Box[]): Outcome {
    const { exports } = this.#instance;
    const self = this.#values.fromData(undefined);
    const failed = boxes.some((box) => this.#values.isException(box));
    const result = failed
      ? undefined
      : this.#values.withMemory(boxes.length * 4, (pointers) => {
          for (const [index, box] of boxes.entries()) this.#instance.setWord(pointers + index * 4, box);
          return this.#values.own(exports.qjs_call(this.#base.header.entry, self, boxes.length, pointers));
        });
    for (const box of [self, ...boxes]) this.#values.free(box);
    if (result === undefined) return { status: 'threw', error: this.#describeException() };
    return this.#outcome(result);
  }

  /** Reads a result; frees it. */
  #outcome(result: Box): Outcome {
    const threw = this.#values.isException(result);
    const outcome: Outcome = threw
      ? { status: 'threw', error: this.#describeException() }
      : { status: 'returned', ...this.#values.toData(result, this.#depth > 1 ? this.#limits.longestText : undefined) };
    this.#values.free(result);
    return outcome;
  }

  #describeException(): GuestError {
    const thrown = this.#values.takeException();
    const error = this.#describe(thrown);
    this.#values.free(thrown);
    return error;
  }

  #describe(thrown: Box): GuestError {
    return describeThrown(this.#instance.exports, this.#values, thrown, this.#base.header.stackGetter);
  }
}
