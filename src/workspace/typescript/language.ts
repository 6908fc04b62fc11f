// TypeScript as a language of the workspace: cells compiled here, run by the engine, errors told in the author's terms.
import { StatekError } from '../../base/error.ts';
import { LimitError } from '../errors.ts';
import type {
  Boot,
  CompiledStep,
  ImageDifference,
  Language,
  ProgramHost,
  RunningProgram,
  ShownSizes,
  StoredImage,
} from '../language.ts';
import type { WorkspaceLimits } from '../limits.ts';
import type { ImagePages } from '../../history/door.ts';
import { pageBytes } from '../wasm/memory-pages.ts';
import { sharedBoot, type SharedBoot } from '../wasm/shared-boot.ts';
import { operationOf, plainOperationOf, type Plain } from '../bridge/operations.ts';
import type { CodePlace, StepError } from '../rows.ts';
import { callAround } from './cell/call-around.ts';
import type { CompiledCell } from './cell/cell.ts';
import { CompiledCells } from './cell/compiled-cells.ts';
import { codeFrame } from './cell/frame.ts';
import { authorStack } from './cell/stack.ts';
import { makeBootImage } from './engine/boot.ts';
import { loadBuild } from './engine/build.ts';
import type { Data, ImageHeader, Machine, Outcome } from './engine/engine.ts';
import { EngineStoppedError, GuestThrow, type StopReason } from './engine/errors.ts';
import { Image, refuseUnlessWhole } from './engine/image.ts';
import { MachinePool } from './engine/pool.ts';
import { guestSource } from './guest-source.ts';
import { receivedMessage, type WireMessage } from '../wire/wire.ts';

// The engine's measure of work: code that does nothing but count does this much in a millisecond of a quick machine, so that the
// clock stops a slice before the count does; and this much takes as long as a unit of the host's work, which is ten nanoseconds.
const fuelPerMillisecond = 2_000_000;
const fuelPerUnit = 4;

// A program that filled its memory to the last byte could not even run the code that frees some.
const maxReserve = 512 * 1024;

// Slices run one at a time, and programs differ in few pages: making an instance equal to the next program costs less than
// keeping one for each.
const maxInstances = 8;

class TypeScriptImage implements StoredImage {
  readonly image: Image;
  /** Captured from a program, which alone has it. Images that were loaded are used for others, too. */
  readonly isCaptured: boolean;

  constructor(image: Image, isCaptured = false) {
    this.image = image;
    this.isCaptured = isCaptured;
  }

  get pageCount(): number {
    return this.image.pageCount;
  }

  get headerBytes(): Uint8Array {
    return Buffer.from(JSON.stringify(this.image.header));
  }

  get memoryBytes(): number {
    return this.image.ownPages * pageBytes;
  }

  changedSince(earlier: StoredImage): ImageDifference | undefined {
    return earlier instanceof TypeScriptImage ? this.image.changedSince(earlier.image) : undefined;
  }

  page(index: number): Uint8Array {
    return this.image.page(index);
  }
}

class TypeScriptStep implements CompiledStep {
  readonly source: string;
  readonly cell: CompiledCell;

  constructor(source: string, cell: CompiledCell) {
    this.source = source;
    this.cell = cell;
  }
}

const usualBoot = sharedBoot((pages) => {
  const made = makeBootImage(loadBuild(), guestSource());
  // In one piece, which makes it quick to compare others with it.
  const bytes = made.toBytes();
  return { image: new TypeScriptImage(Image.fromPages(made.header, pages.of(bytes), 0)), bytes };
});

export interface TypeScriptOptions {
  /** Instances that may be alive at once. */
  readonly instances: number;
  readonly memoryBytes: number;
  /** Modules the application registered, by specifier. */
  readonly modules: ReadonlyMap<string, string>;
}

export class TypeScriptLanguage implements Language {
  readonly name = 'typescript';
  readonly isCostlyToRepeat = false;
  readonly #pool: MachinePool;
  readonly #cells = new CompiledCells();
  readonly #modules: ReadonlyMap<string, string>;
  readonly #boot: SharedBoot = usualBoot();

  constructor({ instances, memoryBytes, modules }: TypeScriptOptions) {
    this.#pool = new MachinePool({ instances: Math.min(instances, maxInstances), memoryBytes });
    this.#modules = modules;
  }

  boot(): Boot {
    return this.#boot.get();
  }

  imageFrom(image: ImagePages): StoredImage {
    refuseUnlessWhole(image.pageCount * pageBytes);
    const header = JSON.parse(Buffer.from(image.header).toString()) as ImageHeader;
    return new TypeScriptImage(Image.fromPages(header, this.#boot.pages.ofImage(image), image.changed.size));
  }

  retire(image: StoredImage, successor: StoredImage | undefined): void {
    const { image: before, isCaptured } = image as TypeScriptImage;
    if (isCaptured) this.#pool.retire(before, (successor as TypeScriptImage | undefined)?.image);
  }

  compile(source: string, step: number, limits: WorkspaceLimits): CompiledStep {
    const modules = new Set(this.#modules.keys());
    return new TypeScriptStep(
      source,
      this.#cells.get(source, { name: cellName(step), modules, maxBytes: limits.sourceBytes }),
    );
  }

  start(image: StoredImage, host: ProgramHost, limits: WorkspaceLimits, seed?: bigint): RunningProgram {
    const machine = this.#pool.acquire((image as TypeScriptImage).image, {
      limits: {
        softFuel: Math.min(limits.softCpuMilliseconds, limits.hardCpuMilliseconds) * fuelPerMillisecond,
        fuel: limits.hardCpuMilliseconds * fuelPerMillisecond,
        memoryBytes: limits.heapBytes,
        stackBytes: limits.stackBytes,
        longestText: limits.valueBytes,
      },
      ...(seed === undefined ? {} : { seed }),
      host: {
        now: () => host.now(),
        isOver: () => host.isOver(),
        zoneOffset: (seconds) => host.zoneOffset(seconds),
        call: (number, values) => answer(host, number, values),
        modules: {
          resolve: (_from, specifier) => (this.#modules.has(specifier) ? specifier : undefined),
          load: (name) => this.#modules.get(name),
        },
      },
    });
    return new TypeScriptProgram(machine, Math.min(maxReserve, limits.heapBytes / 8));
  }

  authorPlace({ step, line, column }: CodePlace, source: string): CodePlace | undefined {
    const position = this.#recompile(source, cellName(step))?.originalPosition(line, column);
    return position && { step, ...callAround(source, position) };
  }

  authorError(error: Error, sourceOf: (step: number) => string | undefined): StepError {
    const frames = authorStack(error.stack ?? '', (name) => {
      const step = stepOf(name);
      const source = step === undefined ? undefined : sourceOf(step);
      return source === undefined ? undefined : this.#recompile(source, name);
    });
    const [first] = frames;
    const code: unknown = (error as { code?: unknown }).code;
    return {
      name: error.name,
      message: error.message,
      ...(typeof code === 'string' ? { code } : {}),
      ...(first === undefined
        ? {}
        : {
            line: first.line,
            column: first.column,
            frame: codeFrame(sourceOf(stepOf(first.cell) ?? 0) ?? '', first.line, first.column),
            stack: frames
              .map(
                ({ function: name, cell, line, column }) =>
                  `    at ${name === undefined ? '' : `${name} `}(${cell}:${line}:${column})`,
              )
              .join('\n'),
          }),
    };
  }

  close(): void {
    this.#pool.clear();
  }

  // Positions of earlier steps are needed only when an error comes from their functions, which is rare.
  #recompile(source: string, name: string): CompiledCell | undefined {
    try {
      return this.#cells.get(source, { name, modules: new Set(this.#modules.keys()) });
    } catch {
      return undefined;
    }
  }
}

class TypeScriptProgram implements RunningProgram {
  readonly #machine: Machine;
  readonly #reserve: number;

  constructor(machine: Machine, reserve: number) {
    this.#machine = machine;
    this.#reserve = reserve;
  }

  define(name: string, message: WireMessage): void {
    this.#enter('define', name, message);
  }

  begin(step: number, compiled: CompiledStep): void {
    const { cell } = compiled as TypeScriptStep;
    this.#stopped(() => {
      const outcome = this.#machine.evaluate(cell.code, {
        name: cellName(step),
        async: true,
        strict: true,
        deliver: `step ${step}`,
      });
      if (outcome.status === 'threw') throw new StepDidNotBegin(outcome.error.name, outcome.error.message);
    });
  }

  settle(future: number, failed: boolean, message: WireMessage): void {
    this.#enter('settle', future, failed, message);
  }

  forget(future: number): void {
    this.#enter('forget', future);
  }

  callBack(id: number, parameters: WireMessage): WireMessage {
    const outcome = this.#machine.enter('callBack', id, parameters);
    if (outcome.status === 'threw') throw guestError(outcome);
    return receivedMessage(String(outcome.value));
  }

  finish(): readonly string[] {
    return this.#stopped(() => {
      const thrown = this.#machine.runJobs();
      return [...thrown, ...this.#machine.takeUnhandledRejections()].map(({ name, message }) =>
        name === '' ? message : `${name}: ${message}`,
      );
    });
  }

  get isIdle(): boolean {
    return this.#stopped(() => !this.#machine.hasJobs);
  }

  get hasRoom(): boolean {
    return this.#machine.memoryLeft >= this.#reserve;
  }

  collectGarbage(): void {
    this.#stopped(() => this.#machine.collectGarbage());
  }

  spend(units: number): void {
    this.#machine.spend(units * fuelPerUnit);
  }

  heldTokens(): readonly string[] {
    return JSON.parse(String(this.#enter('held'))) as string[];
  }

  variables(sizes: ShownSizes): WireMessage {
    return receivedMessage(String(this.#enter('variables', JSON.stringify(sizes))));
  }

  capture(): StoredImage {
    return this.#stopped(() => new TypeScriptImage(this.#machine.capture() as Image, true));
  }

  release(): void {
    this.#machine.release();
  }

  #enter(...values: Data[]): Data {
    return this.#stopped(() => {
      const outcome = this.#machine.enter(...values);
      if (outcome.status === 'threw') throw noRoom(outcome);
      return outcome.value;
    });
  }

  #stopped<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw error instanceof EngineStoppedError ? limitError(error) : error;
    }
  }
}

/** The engine refused a cell that the compiler let through. */
export class StepDidNotBegin extends StatekError {
  readonly code = 'STEP_REFUSED';

  constructor(name: string, message: string) {
    super(`${name}: ${message}`);
  }
}

function answer(host: ProgramHost, number: number, values: readonly Data[]): Data {
  const plain = plainOperationOf(number);
  if (plain !== undefined) return host.answerPlain(plain, values as readonly Plain[]);
  const operation = operationOf(number);
  const [text] = values;
  if (operation === undefined || typeof text !== 'string')
    throw new GuestThrow('TypeError', 'There is no such request.');
  return host.answer(operation, text);
}

const limitNames: Record<StopReason, string> = {
  fuel: 'CPU time',
  time: 'CPU time',
  interrupt: 'CPU time',
  stack: 'stack',
  memory: 'memory',
  trap: 'engine',
};

function limitError(error: EngineStoppedError): LimitError {
  const what = limitNames[error.reason];
  return new LimitError(
    `The code was stopped by its limit (${what}), and what this slice did is undone. ${error.message}`,
    { limit: what, reason: error.reason },
    error,
  );
}

/** Boot code fails only where the program has left it neither memory nor stack. */
function noRoom({ error }: Extract<Outcome, { status: 'threw' }>): LimitError {
  return new LimitError(
    `The program has left itself no room to go on (${error.name}: ${error.message}), and what this slice did is undone.`,
    { limit: 'memory', reason: 'memory' },
  );
}

function guestError(outcome: Extract<Outcome, { status: 'threw' }>): Error {
  const error = new Error(outcome.error.message);
  error.name = outcome.error.name;
  return error;
}

function cellName(step: number): string {
  return `step ${step}`;
}

function stepOf(name: string): number | undefined {
  const match = /^step (\d+)$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
