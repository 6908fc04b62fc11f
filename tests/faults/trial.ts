// A fault trial: jobs that call and pause for ever, one fault, and the calls of each second before, during and after it.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Statek, tool } from '../../src/index.ts';
import { openStoreAt } from '../chaos/place.ts';
import { pulse } from './pulse.ts';
import type { Order } from './worker-child.ts';

export interface TrialOptions {
  readonly place: string;
  readonly leaseMilliseconds: number;
  readonly workers: number;
  /** Processes have a clock that can be moved. */
  readonly movesClock: boolean;
  /** Seconds before the fault, and the last ones after it that are compared with them. */
  readonly seconds: number;
  readonly fault: (workers: Workers) => Promise<void>;
  second(line: string): void;
}

export interface TrialReport {
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  /** Milliseconds from the end of the fault to the next call. */
  readonly silence: number;
  /** The longest that any job made no call from the beginning of the fault on, in milliseconds. */
  readonly longestPause: number;
  readonly problems: readonly string[];
}

const jobs = 6;

/** This part of the old speed counts as all of it. */
export const fullSpeed = 0.8;

/** So many times it is looked whether the old speed is back. */
const windows = 5;

export async function trial(options: TrialOptions): Promise<TrialReport> {
  const { place, seconds, leaseMilliseconds } = options;
  await submit(place);
  const workers = new Workers(options);
  const counted: number[] = [];
  let phase = 'before';
  const timer = setInterval(() => {
    counted.push(workers.takeCalls());
    options.second(`${phase.padEnd(6)} ${String(counted.at(-1)).padStart(5)} calls`);
  }, 1000);
  const pass = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  try {
    await workers.start();
    await workers.nextCall();
    // Compiling, first loads and the first leases are no measure.
    await pass(3000);
    counted.length = 0;
    await pass(seconds * 1000);
    const before = sum(counted.slice(-seconds));
    phase = 'fault';
    workers.forgetPauses();
    await options.fault(workers);
    phase = 'after';
    const ended = performance.now();
    await Promise.race([workers.nextCall(), pass(60_000)]);
    const silence = Math.round(performance.now() - ended);
    await pass(leaseMilliseconds);
    phase = 'again';
    let after = 0;
    // Other programs of the machine slow a window down, too. Work that the fault has slowed down for good is slow in all of them.
    for (let window = 0; window < windows && after < before * fullSpeed; window++) {
      counted.length = 0;
      await pass(seconds * 1000 + 500);
      after = Math.max(after, sum(counted.slice(0, seconds)));
    }
    return {
      before,
      after,
      ratio: after / before,
      silence,
      longestPause: workers.longestPause(),
      problems: workers.problems,
    };
  } finally {
    clearInterval(timer);
    await workers.stop();
  }
}

async function submit(place: string): Promise<void> {
  const store = await openStoreAt(place);
  const ping = tool({ name: 'ping', idempotent: true, execute: async () => 0 });
  const kit = await Statek.open({ store, drivers: [pulse], services: { ping } });
  try {
    await kit.submitAll(
      pulse,
      Array.from({ length: jobs }, () => ({ vars: { ping } })),
    );
  } finally {
    await kit.close();
    await store.close();
  }
}

type WorkersOptions = Pick<TrialOptions, 'place' | 'leaseMilliseconds' | 'workers' | 'movesClock'>;

/** The worker processes of a trial. One that ends by itself is a problem. */
export class Workers {
  readonly problems: string[] = [];
  readonly #options: WorkersOptions;
  readonly #children: ChildProcess[] = [];
  readonly #lastCalls = new Map<string, number>();
  #longestPause = 0;
  #calls = 0;
  #waiting = new Set<() => void>();
  #stopped = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    for (let index = 0; index < this.#options.workers; index++) await this.add();
  }

  async add(): Promise<ChildProcess> {
    const { place, leaseMilliseconds, movesClock } = this.#options;
    const child = fork(
      join(import.meta.dirname, 'worker-child.ts'),
      [place, String(leaseMilliseconds), String(movesClock)],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    );
    this.#children.push(child);
    child.on('exit', (code, signal) => {
      this.#children.splice(this.#children.indexOf(child), 1);
      if (!this.#stopped && signal !== 'SIGKILL') this.problems.push(`a process ended by itself: ${code ?? signal}`);
    });
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message) => {
        if (message === 'started') resolve();
        else this.#called((message as { job: string }).job);
      });
      child.once('exit', () => reject(new Error('A worker ended before it had started.')));
    });
    return child;
  }

  order(order: Order): void {
    for (const child of this.#children) child.send(order);
  }

  /** One of them, to be stopped or killed. */
  first(): ChildProcess {
    return this.#children[0] as ChildProcess;
  }

  takeCalls(): number {
    const calls = this.#calls;
    this.#calls = 0;
    return calls;
  }

  nextCall(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(
      [...this.#children].map(
        (child) =>
          new Promise((resolve) => {
            child.once('exit', resolve);
            child.kill('SIGKILL');
          }),
      ),
    );
  }

  forgetPauses(): void {
    this.#longestPause = 0;
  }

  longestPause(): number {
    for (const job of this.#lastCalls.keys()) this.#noted(job);
    return Math.round(this.#longestPause);
  }

  #noted(job: string): void {
    const now = performance.now();
    this.#longestPause = Math.max(this.#longestPause, now - (this.#lastCalls.get(job) ?? now));
    this.#lastCalls.set(job, now);
  }

  #called(job: string): void {
    this.#calls++;
    this.#noted(job);
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
