// Runs the program of a slice on one input until it is idle, and collects what it did. Nothing is stored here and nothing
// leaves; that happens when the result is committed. If this throws, the slice never was.
import type { ObjectGraph } from '../../objects/door.ts';
import { Bridge, type SliceRequests } from '../bridge/bridge.ts';
import type { Plain } from '../bridge/operations.ts';
import { LimitError, NotDurableError, ReadOnlyError } from '../errors.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import { pathsTo } from './held-paths.ts';
import type { CompiledStep, Language, ProgramHost, RunningProgram, StoredImage } from '../language.ts';
import { defaultLimits, type WorkspaceLimits } from '../limits.ts';
import { cutText } from '../wire/render.ts';
import type { Requested } from '../owners.ts';
import type {
  Asked,
  CalledTools,
  ConsoleLine,
  CountedCalls,
  FutureRow,
  Owner,
  RecordedCall,
  SliceCall,
} from '../rows.ts';
import { zoneOffsets } from '../variables/time-zone.ts';
import { SliceClock } from './slice-clock.ts';
import { SliceConsole } from './slice-console.ts';
import { WireSizeError } from '../wire/errors.ts';
import { receivedMessage, type WireMessage } from '../wire/wire.ts';

export type SliceInput =
  | { readonly kind: 'step'; readonly number: number; readonly compiled: CompiledStep }
  | {
      readonly kind: 'settle';
      readonly outcomes: readonly { readonly future: number; readonly failed: boolean; readonly value: WireMessage }[];
    }
  | {
      readonly kind: 'define';
      readonly variables: readonly { readonly name: string; readonly message: WireMessage }[];
    };

export interface ExecutionContext {
  readonly workspace: string;
  /** On whose behalf it runs, if that is not clear from the workspace. */
  readonly owner?: Owner | undefined;
  /** The step whose code runs. */
  readonly step: number;
  readonly image: StoredImage;
  readonly language: Language;
  readonly handles: HandleTable;
  /** Durable objects; what is done to them belongs to the transaction that runs. */
  readonly graph: ObjectGraph;
  /** The role whose code runs. */
  readonly role: string | undefined;
  readonly limits: WorkspaceLimits;
  readonly timeZone: string;
  readonly nextFuture: number;
  readonly waiting: number;
  /** Bytes the step has printed in earlier slices. */
  readonly printed: number;
  /** Futures nobody waits for any more. */
  readonly forget: readonly number[];
  readonly seed?: bigint | undefined;
  /** The program is one of the past: of the application it may use only what has a past too, and wait for nothing. */
  readonly isPast?: boolean;
  now(): number;
  /** A kind of future that a layer above has added. */
  request?(kind: string, parameters: Readonly<Record<string, unknown>>): Requested | undefined;
}

export interface EndedStep {
  readonly number: number;
  readonly failed: boolean;
  /** The value or error. */
  readonly message: WireMessage;
  /** The value as its author is shown it, where the language itself says so. */
  readonly shown?: string;
}

export interface SliceResult {
  readonly image: StoredImage;
  readonly lines: readonly ConsoleLine[];
  readonly futures: readonly FutureRow[];
  /** The number of the future that ends the program's work: it never settles. */
  readonly end: number | undefined;
  readonly ended: readonly EndedStep[];
  /** Ids of the durable objects the program holds. */
  readonly held: readonly string[];
  /** Calls of synchronous tools, in order, and how many more there were. */
  readonly called: CalledTools;
  /** What the step has printed so far, this slice included; every line counts for one more than its text. */
  readonly printed: number;
}

export function execute(context: ExecutionContext, input: SliceInput): SliceResult {
  // A workspace that was made before there was some limit has none of its own.
  return new Execution({ ...context, limits: { ...defaultLimits, ...context.limits } }).run(input);
}

// What answering a request takes apart from its length, in units of ten nanoseconds.
const unitsPerRequest = 120;
/** What a value that is no text counts for. */
const bytesPerPlain = 8;
const maxSignalLength = 256;
const maxLabelLength = 200;
const maxShownLength = 20_000;
/** Guest code can name its functions as it likes, so only so much of a stack is read. */
const maxStackLength = 8000;
const placePattern = /\(step (\d{1,9}):(\d{1,9}):(\d{1,9})\)$/m;
/** So many calls of synchronous tools are journalled in one slice, with so much of what crossed. */
const maxCalls = 100;
const maxNotedLength = 4000;

/** How many objects an error tells of. */
const maxTold = 3;
/** As much of the variables as it takes to find something in them. */
const everything = { items: 10_000, depth: 50, text: 100, nodes: 100_000, characters: 4_000_000 };

class Execution implements ProgramHost {
  readonly #context: ExecutionContext;
  readonly #bridge: Bridge;
  readonly #console: SliceConsole;
  readonly #futures: FutureRow[] = [];
  readonly #ended: EndedStep[] = [];
  readonly #called: SliceCall[] = [];
  /** The future that ends the program's work, if it asked for that. */
  #end: number | undefined;
  /** Calls that the journal has no room for. */
  #uncounted = 0;
  readonly #others = new Map<string, CountedCalls>();
  #program: RunningProgram | undefined;
  #clock: SliceClock | undefined;
  /** Bytes that may still be handed to the application. */
  #left: number;

  constructor(context: ExecutionContext) {
    this.#context = context;
    this.#left = context.limits.handedBytes;
    this.#console = new SliceConsole(context.step, context.limits.consoleBytes, context.printed, context.role);
    this.#bridge = new Bridge(
      context.handles,
      {
        print: (level, values) => this.#console.print(level, values),
        startCall: (...call) => this.#startCall(...call),
        called: (token, call) => this.#noteCall(token, call),
        now: () => this.#context.now(),
        startFuture: (kind, parameters) => this.#startFuture(kind, parameters),
        spend: (units) => (this.#program as RunningProgram).spend(units),
        refuseIfOver: (after) => this.#refuseIfOver(after),
        callBack: (id, parameters) => (this.#program as RunningProgram).callBack(id, parameters),
      },
      {
        workspace: context.owner?.id ?? context.workspace,
        maxValueBytes: context.limits.valueBytes,
        graph: context.graph,
        role: context.role,
        refuseOthers:
          context.isPast === true
            ? (token) => {
                if (!HandleTable.hasPast(token)) throw refusedInThePast();
              }
            : undefined,
      },
    );
  }

  run(input: SliceInput): SliceResult {
    const { language, image, limits, seed, forget } = this.#context;
    const program = language.start(image, this, limits, seed);
    this.#program = program;
    // What it took to load the program is not the program's doing.
    this.#clock = new SliceClock(limits);
    try {
      for (const future of forget) program.forget(future);
      this.#give(program, input);
      const tokens = this.#bringToRest(program);
      this.#refuseTransient(program, tokens);
      const { doom } = this.#context.graph.transactionNow();
      if (doom !== undefined) throw doom;
      return {
        image: program.capture(),
        called: { calls: this.#called, more: this.#uncounted, others: [...this.#others.values()] },
        held: tokens.flatMap((token) => HandleTable.durableIdOf(token) ?? []),
        lines: this.#console.lines(),
        futures: this.#futures,
        end: this.#end,
        ended: this.#ended,
        printed: this.#console.printed,
      };
    } catch (error) {
      throw this.#clock.endedOnWall && error instanceof LimitError ? tooLong(limits.hardCpuMilliseconds, error) : error;
    } finally {
      program.release();
    }
  }

  now(): number {
    return this.#context.now();
  }

  isOver(): boolean {
    return this.#clock?.isOver() === true;
  }

  #refuseIfOver(after?: number): void {
    if (this.#clock?.isOver(after) === true) throw noTime();
  }

  zoneOffset(seconds: number): number {
    return zoneOffsets(this.#context.timeZone)(seconds);
  }

  answer(...[operation, text]: Parameters<ProgramHost['answer']>): string {
    // What is printed is counted, and cut, by itself.
    if (operation !== 'print') this.#hand(text.length);
    if (operation === 'place') return this.#notePlace(text);
    if (operation !== 'stepEnded') {
      if (this.#context.isPast === true && operation === 'future') throw refusedInThePast();
      const answer = this.#bridge.answer(operation, text);
      // The engine counts what guest code does; what is done here for it counts too, or asking would cost nothing.
      (this.#program as RunningProgram).spend(unitsPerRequest + text.length + answer.length);
      return answer;
    }
    const end = text.indexOf('\n');
    const { valueBytes } = this.#context.limits;
    const number = Number(text.slice(0, end));
    if (text.length - end <= valueBytes) {
      const [message = '', ...shown] = text.slice(end + 2).split('\n');
      this.#ended.push({
        number,
        failed: text[end + 1] === '!',
        message: receivedMessage(message),
        ...(shown.length === 0 ? {} : { shown: cutText(shown.join('\n'), maxShownLength) }),
      });
    } else {
      const error = new WireSizeError(
        `What the step ${text[end + 1] === '!' ? 'threw' : 'returns'} is too large: more than the ${valueBytes} bytes that are allowed. Keep it in a variable and return a part of it.`,
      );
      this.#ended.push({ number, failed: true, message: this.#bridge.encode(error) });
    }
    return '=[["u"]]';
  }

  answerPlain(...[operation, values]: Parameters<ProgramHost['answerPlain']>): Plain {
    let size = 0;
    for (const value of values) size += typeof value === 'string' ? value.length : bytesPerPlain;
    this.#hand(size);
    const answer = this.#bridge.answerPlain(operation, values);
    (this.#program as RunningProgram).spend(unitsPerRequest + size + (typeof answer === 'string' ? answer.length : 0));
    return answer;
  }

  /** Where a future of this slice was asked for: the innermost frame that is code of a step. */
  #notePlace(text: string): string {
    const end = text.indexOf('\n');
    const index = Number(text.slice(0, end)) - this.#context.nextFuture;
    const future = this.#futures[index];
    const [, step, line, column] = placePattern.exec(text.slice(end + 1, end + maxStackLength)) ?? [];
    if (future !== undefined && step !== undefined)
      this.#futures[index] = { ...future, place: { step: Number(step), line: Number(line), column: Number(column) } };
    return '=[["u"]]';
  }

  /** Guest code gave the host something that may have to be kept until the slice ends, or for longer. */
  #hand(bytes: number): void {
    this.#left -= bytes;
    if (this.#left >= 0) return;
    const allowed = this.#context.limits.handedBytes;
    throw new LimitError(
      `The code handed more than ${allowed} bytes to the application in one slice, and what this slice did is undone. Hand over less at once, and wait for something in between.`,
      { limit: 'handed bytes' },
    );
  }

  /** What cannot be found again in another process must not be held when the slice ends. */
  #refuseTransient(program: RunningProgram, heldTokens: readonly string[]): void {
    const { handles } = this.#context;
    const held = heldTokens.filter((token) => !handles.isDurable(token));
    if (held.length === 0) return;
    const paths = pathsTo(new Set(held), program.variables(everything));
    const objects = held.map((token) => handles.describe(token));
    const told = held.slice(0, maxTold).map((token, index) => {
      const path = paths.get(token);
      return path === undefined
        ? `A closure or code that waits still holds ${objects[index]}`
        : `The variable ${path} still holds ${objects[index]}`;
    });
    const more = held.length > told.length ? ` (and ${held.length - told.length} more are held)` : '';
    throw new NotDurableError(
      `${told.join('; ')}${more}. It cannot be found again after a restart. Keep its data instead, or register it as a service with Statek.open({ services }).`,
      { objects: objects.slice(0, maxTold), paths: held.slice(0, maxTold).map((token) => paths.get(token)) },
    );
  }

  /** Runs until nothing is left to do; returns the tokens of the handles that are held then. */
  #bringToRest(program: RunningProgram): readonly string[] {
    const isFull = (): boolean => !program.hasRoom;
    for (;;) {
      for (const text of program.finish()) this.#console.uncaught(text);
      let held = program.heldTokens();
      if (held.some((token) => !this.#context.handles.isDurable(token))) {
        // Perhaps only garbage holds it.
        program.collectGarbage();
        if (program.isIdle) held = program.heldTokens();
      }
      if (isFull()) {
        program.collectGarbage();
        if (program.isIdle && isFull()) throw noRoom(this.#context.limits.heapBytes);
      }
      if (program.isIdle) return held;
    }
  }

  #give(program: RunningProgram, input: SliceInput): void {
    switch (input.kind) {
      case 'step':
        program.begin(input.number, input.compiled);
        break;
      case 'settle':
        for (const { future, failed, value } of input.outcomes) program.settle(future, failed, value);
        break;
      case 'define':
        for (const { name, message } of input.variables) program.define(name, message);
        break;
    }
  }

  #startCall(call: RecordedCall, needsApproval: boolean): number {
    if (this.#context.isPast === true) throw refusedInThePast();
    const { token, method } = call;
    const target = this.#context.handles.describe(token);
    return this.#add({
      kind: 'call',
      label: method === '' ? `${target}(…)` : `${target}.${method}(…)`,
      call,
      ...(needsApproval ? { approval: 'needed' as const } : {}),
    });
  }

  #noteCall(token: string, { parameters, failed, value, began }: Parameters<SliceRequests['called']>[1]): void {
    const name = this.#context.handles.describe(token);
    // What the system's own code calls is nobody's tool.
    if (/(?:^|\.)_/.test(name)) return;
    if (this.#called.length >= maxCalls) {
      this.#uncounted++;
      const key = `${name} ${String(failed)}`;
      const { count = 0, milliseconds = 0 } = this.#others.get(key) ?? {};
      this.#others.set(key, {
        label: `${name}(…)`,
        failed,
        count: count + 1,
        milliseconds: milliseconds + Math.max(0, this.#context.now() - began),
      });
      return;
    }
    const time = this.#context.now();
    this.#called.push({
      label: `${name}(…)`,
      parameters: shortText(parameters()),
      outcome: { failed, value: shortText(value) },
      time,
      ...(time > began ? { milliseconds: time - began } : {}),
      before: this.#context.nextFuture + this.#futures.length,
    });
  }

  #startFuture(kind: string, parameters: unknown): number {
    if (typeof parameters !== 'object' || parameters === null) throw new TypeError('A request has no parameters.');
    const given = parameters as Record<string, unknown>;
    const now = this.#context.now();
    switch (kind) {
      case 'sleep': {
        const due = moment(now + Number(given['milliseconds']));
        return this.#add({ kind, label: `sleep until ${due.toISOString()}`, due: due.getTime() });
      }
      case 'until': {
        const due = moment(Number(given['time']));
        return this.#add({ kind, label: `until ${due.toISOString()}`, due: due.getTime() });
      }
      case 'signal': {
        const signal = textOf(given['name']);
        if (Buffer.byteLength(signal) > maxSignalLength)
          throw new RangeError(`The name of a signal has at most ${maxSignalLength} bytes.`);
        return this.#add({ kind, label: `signal '${signal}'`, signal, ...this.#expiry(given) });
      }
      case 'ask':
      case 'approve': {
        const text = textOf(given['question']);
        return this.#add({
          kind,
          label: `${kind} '${cutText(text, maxLabelLength)}'`,
          // Python says None for details that were not given.
          question: { text, details: this.#bridge.encode(given['details'] ?? undefined) },
          ...this.#expiry(given),
        });
      }
      default: {
        const requested = this.#context.request?.(kind, given);
        if (requested === undefined) throw new TypeError(`Only the program of a job can do this ('${kind}').`);
        const { ends, ...asked } = requested;
        const number = this.#add({ ...asked, ...this.#expiry(given) });
        if (ends === true) this.#end = number;
        return number;
      }
    }
  }

  #expiry({ timeout }: Readonly<Record<string, unknown>>): { expires?: number } {
    if (timeout === undefined) return {};
    if (typeof timeout !== 'number' || !(timeout >= 0)) throw new TypeError('A timeout is a number of milliseconds.');
    return { expires: moment(this.#context.now() + timeout).getTime() };
  }

  #add(asked: Asked & { readonly label: string }): number {
    const { workspace, owner, step, nextFuture, waiting, limits } = this.#context;
    if (waiting + this.#futures.length >= limits.futures) {
      throw new LimitError(`The program waits for ${limits.futures} things at once, which is the limit.`, {
        limit: 'futures',
      });
    }
    const number = nextFuture + this.#futures.length;
    this.#futures.push({
      workspace,
      number,
      step,
      ...(owner === undefined ? {} : { owner }),
      state: 'waiting',
      sharedWith: [],
      created: this.#context.now(),
      ...asked,
    });
    return number;
  }
}

// What the application's objects are today is not what they were then, and nothing may start from the past.
function refusedInThePast(): ReadOnlyError {
  return new ReadOnlyError(
    "Code that looks at the past cannot use the application's objects or wait for anything. Fork the workspace at that commit instead.",
  );
}

function noTime(): LimitError {
  return new LimitError(
    'The code was stopped by its limit (CPU time), and what this slice did is undone. It used up its time while the application did something for it.',
    { limit: 'CPU time', reason: 'time' },
  );
}

function tooLong(milliseconds: number, cause: LimitError): LimitError {
  return new LimitError(
    `The code was stopped by its limit (time on the clock), and what this slice did is undone. It took longer than ${milliseconds} ms without using up its CPU time: the application's functions waited, or the machine is too busy.`,
    { limit: 'time', reason: 'time' },
    cause,
  );
}

function noRoom(bytes: number): LimitError {
  return new LimitError(
    `The program holds all of the ${bytes} bytes of memory it may have, and what this slice did is undone. Keep less in variables.`,
    { limit: 'memory', reason: 'memory' },
  );
}

function moment(time: number): Date {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new RangeError('There is no such time: it is too far away.');
  return date;
}

/** A long text is not kept; how long it was is. */
function shortText(text: WireMessage): SliceCall['parameters'] {
  return text.length <= maxNotedLength ? text : { characters: text.length };
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('A text is missing.');
  return value;
}
