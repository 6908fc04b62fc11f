// One slice: runs the program on one input until it is idle, and collects what it did. Nothing is stored here and nothing
// leaves; that happens when the result is committed. If this throws, the slice never was.
import { Bridge } from './bridge.ts';
import { LimitError } from './errors.ts';
import type { HandleTable } from './handle-table.ts';
import type { CompiledStep, Language, ProgramHost, RunningProgram, StoredImage } from './language.ts';
import type { WorkspaceLimits } from './limits.ts';
import { renderLine } from './render.ts';
import type { ConsoleLine, FutureRow } from './rows.ts';

export type SliceInput =
  | { readonly kind: 'step'; readonly number: number; readonly compiled: CompiledStep }
  | {
      readonly kind: 'settle';
      readonly outcomes: readonly { readonly future: number; readonly failed: boolean; readonly value: string }[];
    }
  | { readonly kind: 'define'; readonly variables: readonly { readonly name: string; readonly message: string }[] };

export interface SliceContext {
  readonly workspace: string;
  /** The step whose code runs. */
  readonly step: number;
  readonly image: StoredImage;
  readonly language: Language;
  readonly handles: HandleTable;
  readonly limits: WorkspaceLimits;
  readonly nextFuture: number;
  readonly waiting: number;
  /** Bytes the step has printed in earlier slices. */
  readonly printed: number;
  /** Futures nobody waits for any more. */
  readonly forget: readonly number[];
  readonly seed?: bigint | undefined;
  now(): number;
}

export interface EndedStep {
  readonly number: number;
  readonly failed: boolean;
  /** The value or error, as a message. */
  readonly message: string;
}

export interface SliceResult {
  readonly image: StoredImage;
  readonly lines: readonly ConsoleLine[];
  readonly futures: readonly FutureRow[];
  readonly ended: readonly EndedStep[];
  readonly heldTokens: readonly string[];
}

export function runSlice(context: SliceContext, input: SliceInput): SliceResult {
  return new Slice(context).run(input);
}

class Slice implements ProgramHost {
  readonly #context: SliceContext;
  readonly #bridge: Bridge;
  readonly #lines: ConsoleLine[] = [];
  readonly #futures: FutureRow[] = [];
  readonly #ended: EndedStep[] = [];
  #program: RunningProgram | undefined;
  #printed: number;
  #cut = 0;
  #indent = '';

  constructor(context: SliceContext) {
    this.#context = context;
    this.#printed = context.printed;
    this.#bridge = new Bridge(
      context.handles,
      {
        print: (level, values) => this.#print(level, values),
        startCall: (token, method, parameters) => this.#startCall(token, method, parameters),
        startFuture: (kind, parameters) => this.#startFuture(kind, parameters),
        callBack: (id, parameters) => (this.#program as RunningProgram).callBack(id, parameters),
      },
      { maxValueBytes: context.limits.valueBytes },
    );
  }

  run(input: SliceInput): SliceResult {
    const { language, image, limits, seed, forget } = this.#context;
    const program = language.start(image, this, limits, seed);
    this.#program = program;
    try {
      for (const future of forget) program.forget(future);
      this.#give(program, input);
      for (const text of program.finish())
        this.#lines.push({ step: this.#context.step, level: 'error', text: `Nobody caught: ${text}` });
      const heldTokens = program.heldTokens();
      if (this.#cut > 0)
        this.#lines.push({
          step: this.#context.step,
          level: 'warn',
          text: `… ${this.#cut} more characters were printed and left out; a step may print ${limits.consoleBytes}.`,
        });
      return { image: program.capture(), lines: this.#lines, futures: this.#futures, ended: this.#ended, heldTokens };
    } finally {
      program.release();
    }
  }

  now(): number {
    return this.#context.now();
  }

  answer(...[operation, text]: Parameters<ProgramHost['answer']>): string {
    if (operation !== 'stepEnded') return this.#bridge.answer(operation, text);
    const end = text.indexOf('\n');
    this.#ended.push({
      number: Number(text.slice(0, end)),
      failed: text[end + 1] === '!',
      message: text.slice(end + 2),
    });
    return '=[["u"]]';
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

  #print(level: string, values: readonly unknown[]): void {
    if (level === 'groupEnd') {
      this.#indent = this.#indent.slice(2);
      return;
    }
    const text = renderLine(values).replaceAll(/^/gm, this.#indent);
    if (level === 'group') this.#indent += '  ';
    const room = Math.max(0, this.#context.limits.consoleBytes - this.#printed);
    this.#printed += text.length;
    if (text.length > room) this.#cut += text.length - room;
    if (room > 0)
      this.#lines.push({
        step: this.#context.step,
        level: level === 'group' ? 'log' : level,
        text: text.slice(0, room),
      });
  }

  #startCall(token: string, method: string, parameters: string): number {
    const target = this.#context.handles.describe(token);
    return this.#add({
      kind: 'call',
      label: method === '' ? `${target}(…)` : `${target}.${method}(…)`,
      call: { token, method, parameters },
    });
  }

  #startFuture(kind: string, parameters: unknown): number {
    const given = parameters as Record<string, unknown>;
    const now = this.#context.now();
    switch (kind) {
      case 'sleep': {
        const due = now + Number(given['milliseconds']);
        return this.#add({ kind, label: `sleep until ${moment(due)}`, due });
      }
      case 'until':
        return this.#add({ kind, label: `until ${moment(Number(given['time']))}`, due: Number(given['time']) });
      case 'signal':
        return this.#add({ kind, label: `signal '${String(given['name'])}'`, signal: String(given['name']) });
      case 'ask':
        return this.#add({
          kind,
          label: `ask '${String(given['question'])}'`,
          question: { text: String(given['question']), details: this.#bridge.encode(given['details']) },
        });
      default:
        throw new TypeError(`There is no future of kind '${kind}'.`);
    }
  }

  #add(future: Pick<FutureRow, 'kind' | 'label'> & Partial<FutureRow>): number {
    const { workspace, step, nextFuture, waiting, limits } = this.#context;
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
      state: 'waiting',
      sharedWith: [],
      created: this.#context.now(),
      ...future,
    });
    return number;
  }
}

function moment(time: number): string {
  return Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : String(time);
}
