// The TypeScript engine as the rest of Statek sees it: types only, to be read like documentation.
//
// An **image** is a whole program at rest: the pages of a QuickJS heap and a small header. A **machine** is an image brought to
// life in a WASM instance for one slice. The way of a slice:
//
//     const machine = pool.acquire(image, { host, limits });   // overwrite a pooled instance's memory with the image
//     machine.enter(SETTLE, futureId, '"payload"');            // or machine.evaluate(source, { deliver: … })
//     machine.runJobs();                                       // until nothing is left to do
//     const next = machine.capture();                          // the new image shares every page that did not change
//     machine.release();                                       // the instance keeps it, in case the next slice comes here
//
// If the slice must not stand, `release()` without `capture()` is the whole abort. Everything here is synchronous.

/** What crosses between host and guest. Anything richer is encoded into it by the bridge. Bytes are copied. */
export type Data = undefined | null | boolean | number | string | Uint8Array;

/** What a guest threw, read without running guest code: getters and proxies do not fire, and nothing of the host is in it. */
export interface GuestError {
  readonly name: string;
  readonly message: string;
  /** Frames as the engine writes them, of guest code only; empty if there are none. */
  readonly stack: string;
}

/** How a call into the guest ended. */
export type Outcome =
  | {
      readonly status: 'returned';
      /** The value, or `undefined` if `type` says that it is no data. */
      readonly value: Data;
      readonly type: GuestType;
    }
  | { readonly status: 'threw'; readonly error: GuestError };

export type GuestType =
  | 'undefined'
  | 'null'
  | 'boolean'
  | 'number'
  | 'string'
  | 'bytes'
  | 'bigint'
  | 'symbol'
  | 'function'
  | 'object';

/**
 * The host's side of a machine. Its functions run inside the slice, on the guest's stack, and must not wait.
 * What they throw ends the slice and comes out of the call that entered the guest; only `GuestThrow` becomes a guest exception.
 */
export interface Host {
  /**
   * Guest code called the function that boot code was given: a number from 1 that says what for, and up to fifteen values.
   * Number 0 is answered by the engine: whether the one value is a proxy.
   */
  call(operation: number, values: readonly Data[]): Data;
  /** What `Date` shows, in milliseconds since 1970. */
  now(): number;
  /** What `performance.now()` shows, in milliseconds. `now()` if it is not given. */
  elapsed?(): number;
  /** Minutes to add to UTC for local time at that moment. UTC if it is not given. */
  zoneOffset?(seconds: number): number;
  /** Polled now and then while guest code runs; true stops the machine with reason `interrupt`. */
  interrupt?(): boolean;
  /** Asked often while guest code runs or has the host do something: true stops the machine with reason `time`, wherever it is. */
  isOver?(): boolean;
  /** What `import` finds. Nothing if it is not given. */
  readonly modules?: Modules;
}

export interface Modules {
  /** The full name of what `specifier` means inside module `from`, or undefined if there is no such module. */
  resolve(from: string, specifier: string): string | undefined;
  /** The module's source. */
  load(name: string): string | undefined;
}

/** Limits of a slice. All are hard; a machine that has met one is stopped for good, except for memory and stack. */
export interface Limits {
  /** Units of work; about 400 million to the second. See docs/decisions/0010-fuel.md. */
  readonly fuel: number;
  /** Work after which the machine is stopped in an orderly way, at the engine's own interrupt points; less than `fuel`. */
  readonly softFuel?: number;
  /** Bytes the guest may have allocated. Past it the guest gets an InternalError it can catch, and lives on. */
  readonly memoryBytes: number;
  /** Bytes of C stack. Past it the guest gets an error it can catch, and lives on. At most `maxStackBytes`. */
  readonly stackBytes: number;
  /** Characters a text may have that guest code hands to the host. Of a longer one so much is read that it can be refused. */
  readonly longestText?: number;
}

export interface EvaluateOptions {
  /** The file name in stack traces. */
  readonly name: string;
  /** Allow top-level `await`: the result is a promise for an object whose `value` is the completion value. */
  readonly async?: boolean;
  readonly strict?: boolean;
  /**
   * Hand the result to boot code's entry function as `entry(deliver, result)` instead of returning it; the outcome is the entry
   * function's. This is how a promise stays inside the guest: the host never holds a guest value.
   */
  readonly deliver?: Data;
}

/** A program brought to life. It belongs to whoever acquired it until `release`; after that every call refuses. */
export interface Machine extends Disposable {
  /** Evaluates source text in the guest's global scope. */
  evaluate(source: string, options: EvaluateOptions): Outcome;
  /** Calls the entry function that boot code returned. */
  enter(...values: Data[]): Outcome;
  /** Runs promise jobs until none is left; returns what jobs threw outside any promise. */
  runJobs(): GuestError[];
  /** Whether promise jobs wait to be run. */
  readonly hasJobs: boolean;
  /** Frees what is out of reach but refers to itself. Code that waits for that is left as jobs. */
  collectGarbage(): void;
  /** Promises rejected since the last call that nobody handles; of very many the first ones and a count. */
  takeUnhandledRejections(): GuestError[];

  /** Work left and work done since the machine was acquired or refuelled. */
  readonly fuelLeft: number;
  readonly fuelUsed: number;
  /** Takes work off the budget that the host did for the guest. */
  spend(units: number): void;
  /** Begins a new budget. */
  refuel(limits: Limits): void;
  /** Gives `Math.random` a new start: on create and on fork, so that two programs never share their dice. */
  reseed(seed: bigint): void;
  /** Dooms the slice: every later call throws `reason`, and guest code that is running ends at its next call to the host. */
  doom(reason: Error): void;
  /** Why the machine is stopped, if it is. */
  readonly stopped: Error | undefined;
  /** Bytes the guest may still allocate. */
  readonly memoryLeft: number;
  /** Bytes of WASM memory in use. */
  readonly memoryBytes: number;

  /** The program as it is now. Refused unless it is idle: no host frame on the stack, no guest value held by the host, no job left. */
  capture(): ProgramImage;
  /** Gives the instance back. What was not captured is gone. */
  release(): void;
}

/** Facts about an image that are not in its pages. Small, and plain JSON. */
export interface ImageHeader {
  readonly format: 1;
  /** sha256 of the engine's WASM. */
  readonly engine: string;
  /** sha256 of the boot code. */
  readonly boot: string;
  /** The C stack's pointer at rest; every byte below it is dead and zero. */
  readonly stackPointer: number;
  /**
   * Where the guest's entry function, the getter of `Error.prototype.stack` as it was at boot, the state of `Math.random` and
   * the count of allocated bytes are.
   */
  readonly entry: number;
  readonly stackGetter: number;
  readonly randomState: number;
  readonly memoryState: number;
}

export interface ChangedPage {
  readonly index: number;
  /** The page's bytes now. Never changed afterwards, and not to be changed by whoever reads them. */
  readonly bytes: Uint8Array;
}

/** A program at rest: immutable, and cheap to keep in numbers because images share the pages they have in common. */
export interface ProgramImage {
  readonly header: ImageHeader;
  readonly pageCount: number;
  readonly byteLength: number;
  page(index: number): Uint8Array;
  /** Pages that differ from `previous`, in order; with none, all that are not zero. Compares by identity first, then by content. */
  changedPages(previous?: ProgramImage): Generator<ChangedPage>;
  /** The whole as one run of bytes; `Image.fromBytes` reads it. */
  toBytes(): Uint8Array<ArrayBuffer>;
  /** sha256 over header and pages: equal for equal programs, wherever they were made. */
  hash(): string;
}
