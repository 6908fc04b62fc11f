// Starts a load in a process of its own and kills it at a moment drawn at random.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ChildTask } from './load-child.ts';
import type { Random } from './random.ts';

export const childProgram = fileURLToPath(new URL('./load-child.ts', import.meta.url));

export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  /** Resolves when the load has started. */
  readonly #ready: Promise<unknown>;
  #complaints = '';

  /** In `cache` Node keeps compiled modules, which makes starting several times cheaper. */
  constructor(cache: string) {
    this.#child = spawn(process.execPath, [childProgram], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });
    this.#exited = once(this.#child, 'close');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text));
    this.#ready = once(createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }), 'line');
    this.#ready.catch(() => undefined);
  }

  /** Gives it its task, for which it waits. */
  start(task: ChildTask): void {
    this.#child.stdin?.end(JSON.stringify(task));
  }

  /** Resolves at a moment drawn at random, mostly while it works, sometimes while it starts. */
  async moment(random: Random, longestMilliseconds: number): Promise<void> {
    if (random.chance(0.12)) return pass(random.between(0, 150));
    await Promise.race([this.#ready, this.#exited]);
    // The square makes early moments, when the first writes happen, as likely as the many later ones.
    return pass(random.fraction() ** 2 * longestMilliseconds);
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    await this.#exited;
    if (this.#child.exitCode !== 0) throw new Error(`The load ended with ${this.#child.exitCode}: ${this.#complaints}`);
  }

  /** Kills it; the answer is what it had complained of before. */
  async kill(): Promise<string> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    return this.#complaints;
  }
}

// The moment of a kill is the one thing here that is a matter of time and of no event.
function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
