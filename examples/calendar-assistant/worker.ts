// Starts the process that works, and ends it: as one should, or with -9.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { WorldOptions } from './world.ts';

export class Worker {
  readonly #child: ChildProcess;
  readonly started: number = Date.now();
  /** How it has ended: a signal, or a code. */
  end: string | undefined;
  killed: number | undefined;
  /** Whether a mail is out and it waits for the server's word. */
  isWaitingForMail = false;

  static async start(options: WorldOptions & { readonly slowMail: boolean }): Promise<Worker> {
    const { folder, language, model = '', slowMail } = options;
    const child = fork(join(import.meta.dirname, 'worker-child.ts'), [folder, language, model, slowMail ? 'slow' : '']);
    const worker = new Worker(child);
    await Promise.race([once(child, 'message'), once(child, 'exit').then(() => worker.check())]);
    return worker;
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => (this.isWaitingForMail ||= message === 'mail'));
    child.on('exit', (code, signal) => (this.end = signal ?? `exit ${code}`));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** It ends when it is told to, and not before. */
  check(): void {
    if (this.end !== undefined) throw new Error(`The process that works has ended by itself: ${this.end}.`);
  }

  async kill(): Promise<void> {
    this.killed = Date.now();
    this.#child.kill('SIGKILL');
    if (this.end === undefined) await once(this.#child, 'exit');
  }

  async stop(): Promise<void> {
    if (this.end !== undefined) return;
    this.#child.send('stop');
    await once(this.#child, 'exit');
  }
}
