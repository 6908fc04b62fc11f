// Python as a language of the workspace: steps run by the engine, which waits at any plain call, and errors told in the author's
// terms.
import { LimitError } from '../errors.ts';
import type {
  Boot,
  CompiledStep,
  Language,
  ProgramHost,
  RunningProgram,
  ShownSizes,
  StoredImage,
} from '../language.ts';
import type { WorkspaceLimits } from '../limits.ts';
import { operationOf } from '../bridge/operations.ts';
import type { CodePlace, StepError } from '../rows.ts';
import { WireSizeError } from '../wire/errors.ts';
import { authorError, inCharacters } from './author-error.ts';
import { prepareBuild, readShipped, readShippedLater, shippedBuild } from './engine/build.ts';
import { PythonStoppedError, type StopReason } from './engine/errors.ts';
import { PythonImage, type PythonHeader } from './engine/image.ts';
import type { PythonMachine } from './engine/machine.ts';
import { PythonPool, type PythonPoolOptions } from './engine/pool.ts';
import { zoneNames } from './engine/zone-file.ts';
import { moduleAnswer } from './modules.ts';
import type { ImagePages } from '../../history/door.ts';
import { refuseUnlessWhole } from '../typescript/engine/image.ts';
import { pageBytes } from '../wasm/memory-pages.ts';
import { sharedBoot, type SharedBoot } from '../wasm/shared-boot.ts';
import { receivedMessage, type WireMessage } from '../wire/wire.ts';

// The engine's measure of work: code that does nothing but count does this much in a millisecond of a quick machine, so that the
// clock stops a slice before the count does; and this much takes as long as a unit of the host's work, which is ten nanoseconds.
const fuelPerMillisecond = 2_000_000;
const fuelPerUnit = 1;

// A program that filled its memory to the last byte could not even run the code that frees some.
const maxReserve = 1024 * 1024;

// The interpreter's own frames are larger than those of the other engine, and so is what it takes for the same depth of calls. Up
// to this, every kind of recursion we know but two ends in a RecursionError; the host's own stack ends not far behind.
const stackFactor = 2.5;

/** Requests that the engine itself answers; guest/channel.py has the same numbers. */
const moduleRequest = 100;
const zonesRequest = 101;

const shippedBoot = sharedBoot((pages, loaded) => {
  const { image } = shippedBuild();
  const bytes = loaded ?? readShipped(image);
  return { image: PythonImage.fromPages(image.header, pages.of(bytes), 0), bytes };
});

export interface PythonOptions extends PythonPoolOptions {
  /** Modules the application registered, by the path of their file. */
  readonly modules: ReadonlyMap<string, string>;
}

export class PythonLanguage implements Language {
  readonly name = 'python';
  readonly isCostlyToRepeat = true;
  readonly #pool: PythonPool;
  readonly #modules: ReadonlyMap<string, string>;
  readonly #boot: SharedBoot = shippedBoot();
  #preparedBuild: Promise<void> | undefined;
  #preparedBoot: Promise<void> | undefined;

  constructor({ instances, memoryBytes, modules }: PythonOptions) {
    this.#pool = new PythonPool({ instances, memoryBytes });
    this.#modules = modules;
  }

  async prepare(programs: 'stored programs' | 'new programs'): Promise<void> {
    this.#preparedBuild ??= prepareBuild(shippedBuild().wasm.sha256);
    // A stored program brings the boot image it started from along.
    if (programs === 'new programs') this.#preparedBoot ??= this.#loadBoot();
    await Promise.all([this.#preparedBuild, this.#preparedBoot]);
  }

  async #loadBoot(): Promise<void> {
    if (!this.#boot.isMade) this.#boot.get(await readShippedLater(shippedBuild().image));
  }

  boot(): Boot {
    return this.#boot.get();
  }

  imageFrom(image: ImagePages): StoredImage {
    refuseUnlessWhole(image.pageCount * pageBytes);
    const header = JSON.parse(Buffer.from(image.header).toString()) as PythonHeader;
    return PythonImage.fromPages(header, this.#boot.pages.ofImage(image), image.changed.size);
  }

  compile(source: string, _step: number, limits: WorkspaceLimits): CompiledStep {
    const bytes = Buffer.byteLength(source);
    if (bytes <= limits.sourceBytes) return { source };
    throw new WireSizeError(`The step has ${bytes} bytes of source; ${limits.sourceBytes} are allowed.`, { bytes });
  }

  start(image: StoredImage, host: ProgramHost, limits: WorkspaceLimits, seed?: bigint): RunningProgram {
    const python = image as PythonImage;
    const program = new PythonProgram(limits);
    program.machine = this.#pool.acquire(
      python,
      {
        answer: (number, text) => this.#answer(host, number, text),
        output: (descriptor, text) => print(host, descriptor, text),
        now: () => host.now(),
        isOver: () => host.isOver(),
        zoneOffset: (seconds) => host.zoneOffset(seconds),
      },
      {
        fuel: Math.min(limits.softCpuMilliseconds, limits.hardCpuMilliseconds) * fuelPerMillisecond,
        memoryBytes: shippedBuild(python.header.engine).image.bytes + limits.heapBytes,
        stackBytes: limits.stackBytes * stackFactor,
        longestText: limits.valueBytes,
      },
    );
    if (seed !== undefined) program.reseed(seed);
    return program;
  }

  authorPlace(place: CodePlace, source: string): CodePlace {
    return inCharacters(place, () => source);
  }

  authorError(error: Error, sourceOf: (step: number) => string | undefined): StepError {
    return authorError(error, sourceOf);
  }

  close(): void {
    this.#pool.clear();
  }

  #answer(host: ProgramHost, number: number, text: string): string {
    if (number === moduleRequest) return moduleAnswer(this.#modules, text);
    if (number === zonesRequest) return `=${JSON.stringify([[0], ['A', ...zoneNames()]])}`;
    const operation = operationOf(number);
    return operation === undefined
      ? `!${JSON.stringify([[0], ['E', 'TypeError', 'There is no such request.', '']])}`
      : host.answer(operation, text);
  }
}

class PythonProgram implements RunningProgram {
  machine!: PythonMachine;
  readonly #limits: WorkspaceLimits;
  #hasSettled = false;

  constructor(limits: WorkspaceLimits) {
    this.#limits = limits;
  }

  define(name: string, message: WireMessage): void {
    this.#control(`define\n${name}\n${message}`);
  }

  begin(step: number, compiled: CompiledStep): void {
    this.#stopped(() => this.machine.begin(step, compiled.source));
  }

  settle(future: number, failed: boolean, message: WireMessage): void {
    this.#control(`settle\n${future}\n${failed ? 1 : 0}\n${message}`);
    this.#hasSettled = true;
  }

  forget(future: number): void {
    this.#control(`forget\n${future}`);
  }

  callBack(id: number, parameters: WireMessage): WireMessage {
    const answer = this.machine.callBack(`${id}\n${parameters}`);
    if (answer.startsWith('=')) return receivedMessage(answer.slice(1));
    throw guestError(answer.slice(1));
  }

  finish(): readonly string[] {
    if (this.#hasSettled && this.machine.isSuspended) this.#stopped(() => this.machine.resume());
    this.#hasSettled = false;
    return [];
  }

  readonly isIdle = true;

  get hasRoom(): boolean {
    const left = this.#stopped(() => this.machine.memoryLeft);
    return left >= Math.min(maxReserve, this.#limits.heapBytes / 8);
  }

  collectGarbage(): void {
    this.#control('collect');
  }

  spend(units: number): void {
    this.machine.spend(units * fuelPerUnit);
  }

  heldTokens(): readonly string[] {
    return JSON.parse(this.#control('held')) as string[];
  }

  variables(sizes: ShownSizes): WireMessage {
    return receivedMessage(this.#control(`variables\n${JSON.stringify(sizes)}`));
  }

  reseed(seed: bigint): void {
    this.#control(`reseed\n${seed}`);
  }

  capture(): StoredImage {
    return this.machine.capture();
  }

  release(): void {
    this.machine.release();
  }

  #control(request: string): string {
    const answer = this.#stopped(() => this.machine.control(request));
    if (answer.startsWith('=')) return answer.slice(1);
    const { name, message } = guestError(answer.slice(1));
    throw new LimitError(
      `The program has left itself no room to go on (${name}: ${message}), and what this slice did is undone.`,
      { limit: 'memory', reason: 'memory' },
    );
  }

  #stopped<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (error) {
      throw error instanceof PythonStoppedError ? limitError(error) : error;
    }
  }
}

const limitNames: Record<StopReason, string> = {
  fuel: 'CPU time',
  time: 'CPU time',
  stack: 'stack',
  memory: 'memory',
  exit: 'engine',
  denied: 'engine',
  trap: 'engine',
};

function limitError(error: PythonStoppedError): LimitError {
  const limit = limitNames[error.reason];
  return new LimitError(
    `The code was stopped by its limit (${limit}), and what this slice did is undone. ${error.message}`,
    { limit, reason: error.reason },
    error,
  );
}

function print(host: ProgramHost, descriptor: number, text: string): void {
  const line = JSON.stringify([[0], ['A', text.replace(/\n$/, '')]]);
  host.answer('print', `${descriptor === 2 ? 'error' : 'log'}\n${line}`);
}

/** What a guest function threw, by name and message; the rest of it is the guest's own. */
function guestError(message: string): Error {
  let name: unknown;
  let text: unknown;
  try {
    const [, node] = JSON.parse(message) as [unknown, unknown[]];
    [, name, text] = node;
  } catch {
    // Guest code can write what it likes; then there is nothing to tell.
  }
  const error = new Error(typeof text === 'string' ? text.slice(0, 20_000) : 'It failed.');
  error.name = typeof name === 'string' ? name.slice(0, 100) : 'Error';
  return error;
}
