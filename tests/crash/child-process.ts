// Starts a load in a process of its own and kills it at a moment drawn at random.
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildTask } from './load-child.ts';
import type { Random } from './random.ts';

export const childProgram = fileURLToPath(new URL('./load-child.ts', import.meta.url));

export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #heard = new EventEmitter();
  /** How many marks it has made: one when it started, one for every answer. */
  #said = 0;
  #complaints = '';

  /** In `cache` Node keeps compiled modules, unless the tests have a place for all of them: starting is several times cheaper. */
  constructor(cache: string) {
    this.#child = spawn(process.execPath, [childProgram], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE: cache, ...process.env },
    });
    this.#exited = once(this.#child, 'close');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text));
    this.#child.stdout?.on('data', (said: Buffer) => {
      this.#said += said.length;
      this.#heard.emit('said');
    });
    void this.#exited.then(() => this.#heard.emit('said'));
  }

  /** Gives it its task, for which it waits. */
  start(task: ChildTask): void {
    this.#child.stdin?.end(JSON.stringify(task));
  }

  /** Resolves at a moment drawn at random: while it starts, a while after it started, or after so many answers. */
  async moment(random: Random, longestMilliseconds: number): Promise<void> {
    const choice = random.fraction();
    if (choice < 0.12) return pass(random.between(0, 150));
    if (choice < 0.4) {
      await this.#hasSaid(1);
      // The square makes early moments, when the first writes happen, as likely as the many later ones.
      return pass(random.fraction() ** 2 * longestMilliseconds);
    }
    await this.#hasSaid(1 + random.between(1, 60));
    return pass(random.fraction() * 4);
  }

  async #hasSaid(marks: number): Promise<void> {
    while (this.#said < marks && this.#child.exitCode === null && this.#child.signalCode === null)
      await once(this.#heard, 'said');
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
