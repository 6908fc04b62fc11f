// Keeps a number of worker processes running: starts them, starts those again that die, replaces them one by one, and ends
// with them. Each has a slot, which outlives its processes.
import { fork, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import {
  maxStoppingMilliseconds,
  supervisedVariable,
  type SupervisedMessage,
  type SupervisorMessage,
} from './supervised.ts';

export interface SupervisorOptions {
  readonly processes: number;
  /** The program of the workers and its arguments. */
  readonly program: string;
  readonly words: readonly string[];
  readonly folder: string;
  /** The heap limit of each process; default: Node's own. */
  readonly maxHeapMegabytes?: number | undefined;
  readonly graceMilliseconds: number;
  /** Whether a worker that exits with 0 is done, as with `--until-idle`. */
  readonly endsWhenDone: boolean;
  /** The pause after a first death, which doubles with each further one; default: 200. */
  readonly minDelayMilliseconds?: number | undefined;
  /** Called with each line that a worker prints on standard output. */
  onLine(text: string): void;
  onEvent(event: SupervisorEvent): void;
}

export type SupervisorEvent =
  | { readonly kind: 'process.started'; readonly slot: number; readonly pid: number }
  | { readonly kind: 'process.working'; readonly slot: number; readonly pid: number }
  | {
      readonly kind: 'process.ended';
      readonly slot: number;
      readonly pid: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      /** When the next process of the slot is started, if it was not meant to end. */
      readonly restartMilliseconds?: number;
    }
  | { readonly kind: 'replacing' }
  | { readonly kind: 'replaced'; readonly isComplete: boolean };

interface Running {
  readonly slot: number;
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves to true when it works, to false if it ended before. */
  readonly working: Promise<boolean>;
  readonly ended: Promise<void>;
  isExpectedToEnd: boolean;
}

/** A replacement that does not work by then is given up. */
const maxStartMilliseconds = 60_000;
const defaultDelayMilliseconds = 200;
const maxDelayMilliseconds = 30_000;
/** Deaths in a row, each soon after the start, after which a slot is given up. */
const maxEarlyDeaths = 8;
/** A process that worked for so long did not die of what it is. */
const stableMilliseconds = 60_000;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<number, Running>();
  readonly #earlyDeaths = new Map<number, number>();
  readonly #delays = new Set<NodeJS.Timeout>();
  readonly #killAll = (): void => {
    for (const { child } of this.#all) child.kill('SIGKILL');
  };
  /** Includes those that are being replaced. */
  readonly #all = new Set<Running>();
  #open: number;
  #isStopping = false;
  #isReplacing = false;
  #finish: (code: number) => void = () => undefined;
  /** Resolves to the exit code when no process is left. */
  readonly ended: Promise<number>;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#open = options.processes;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // Whatever this process ends of, short of SIGKILL; after that, the workers notice themselves.
    process.once('exit', this.#killAll);
    for (let slot = 1; slot <= options.processes; slot++) this.#fill(slot);
  }

  /** Lets every worker finish what it does; those that take too long are killed. */
  async stop(code = 0): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const delay of this.#delays) clearTimeout(delay);
    await Promise.all([...this.#all].map((running) => this.#end(running)));
    this.#finishWith(code);
  }

  /** Replaces one process after another. Each is stopped when the next one works; if that fails, the others stay. */
  async replaceAll(): Promise<void> {
    if (this.#isReplacing || this.#endsSoon()) return;
    this.#isReplacing = true;
    this.#options.onEvent({ kind: 'replacing' });
    let isComplete = true;
    for (const [slot, previous] of [...this.#running]) {
      if (this.#endsSoon()) break;
      const next = this.#start(slot);
      const late = setTimeout(() => next.child.kill('SIGKILL'), maxStartMilliseconds);
      const works = await next.working;
      clearTimeout(late);
      isComplete = works && next.child.exitCode === null && next.child.signalCode === null;
      if (!isComplete) break;
      this.#running.set(slot, next);
      await this.#end(previous);
    }
    this.#isReplacing = false;
    this.#options.onEvent({ kind: 'replaced', isComplete });
  }

  #endsSoon(): boolean {
    return this.#isStopping;
  }

  #fill(slot: number): void {
    this.#running.set(slot, this.#start(slot));
  }

  #start(slot: number): Running {
    const { program, words, folder, maxHeapMegabytes, onEvent, onLine } = this.#options;
    const child = fork(program, [...words], {
      cwd: folder,
      env: { ...process.env, [supervisedVariable]: '1' },
      execArgv: [
        ...process.execArgv,
        ...(maxHeapMegabytes === undefined ? [] : [`--max-old-space-size=${maxHeapMegabytes}`]),
      ],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const pid = child.pid ?? 0;
    const started = performance.now();
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', onLine);
    const working = new Promise<boolean>((resolve) => {
      child.on('message', (message: unknown) => {
        // The application may send messages, too.
        if (message !== ('working' satisfies SupervisedMessage)) return;
        onEvent({ kind: 'process.working', slot, pid });
        resolve(true);
      });
      child.once('close', () => resolve(false));
    });
    child.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const running: Running = { slot, child, pid, working, ended, isExpectedToEnd: false };
    this.#all.add(running);
    onEvent({ kind: 'process.started', slot, pid });
    child.once('close', (code, signal) => this.#onEnd(running, code, signal, performance.now() - started));
    return running;
  }

  #onEnd(running: Running, code: number | null, signal: NodeJS.Signals | null, lived: number): void {
    const { slot, pid } = running;
    const event = { kind: 'process.ended', slot, pid, code, signal } as const;
    this.#all.delete(running);
    const isCurrent = this.#running.get(slot) === running;
    if (isCurrent) this.#running.delete(slot);
    if (this.#isStopping || running.isExpectedToEnd || !isCurrent) {
      this.#options.onEvent(event);
      return;
    }
    if (this.#options.endsWhenDone && code === 0) {
      this.#options.onEvent(event);
      if (--this.#open === 0) this.#finishWith(0);
      return;
    }
    const deaths = lived >= stableMilliseconds ? 1 : (this.#earlyDeaths.get(slot) ?? 0) + 1;
    this.#earlyDeaths.set(slot, deaths);
    if (deaths >= maxEarlyDeaths) {
      this.#options.onEvent(event);
      void this.stop(code === null || code === 0 ? 1 : code);
      return;
    }
    const { minDelayMilliseconds = defaultDelayMilliseconds } = this.#options;
    const restartMilliseconds = Math.min(minDelayMilliseconds * 2 ** (deaths - 1), maxDelayMilliseconds);
    this.#options.onEvent({ ...event, restartMilliseconds });
    const delay = setTimeout(() => {
      this.#delays.delete(delay);
      // Replacing all of them may have filled it meanwhile.
      if (!this.#running.has(slot)) this.#fill(slot);
    }, restartMilliseconds);
    this.#delays.add(delay);
  }

  async #end(running: Running): Promise<void> {
    const { child, ended } = running;
    running.isExpectedToEnd = true;
    if (child.connected) child.send('stop' satisfies SupervisorMessage, () => undefined);
    const late = setTimeout(() => child.kill('SIGKILL'), this.#options.graceMilliseconds + maxStoppingMilliseconds);
    await ended;
    clearTimeout(late);
  }

  #finishWith(code: number): void {
    process.removeListener('exit', this.#killAll);
    this.#finish(code);
  }
}
