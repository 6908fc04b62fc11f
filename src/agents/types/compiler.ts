// The TypeScript compiler, kept between checks. It is a process of its own behind a thread of its own, so that it can be
// stopped when code was written to keep it busy.
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { CompilerAnswer, CompilerQuestion, Diagnostic } from './compiler-messages.ts';

export interface CompilerLimits {
  /** Of processor time, where the system tells: on a busy machine a check may take long without working long. */
  readonly cpuMilliseconds: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The compiler was stopped, because it took more than it may. */
export class CompilerStopped extends Error {}

export class Compiler {
  readonly #limits: CompilerLimits;
  readonly #thread: Worker;
  readonly #projects = new Set<string>();
  #process: number | undefined;
  #ended: { resolve(found: readonly Diagnostic[]): void; reject(error: Error): void } | undefined;
  isStopped = false;

  constructor(limits: CompilerLimits) {
    this.#limits = limits;
    this.#thread = new Worker(new URL('./compiler-thread.ts', import.meta.url));
    this.#thread.on('message', (answer: CompilerAnswer) => {
      if ('found' in answer) this.#ended?.resolve(answer.found);
      else this.#process = answer.process ?? this.#process;
    });
    this.#thread.on('error', (error) => this.#stop(error instanceof Error ? error : new Error(String(error))));
    this.#thread.unref();
  }

  get projectCount(): number {
    return this.#projects.size;
  }

  /** What is wrong with one file of a project. One check at a time. */
  async check(project: string, files: ReadonlyMap<string, string>, file: string): Promise<readonly Diagnostic[]> {
    this.#projects.add(project);
    this.#thread.ref();
    const tooLong = (): void => this.#stop(new CompilerStopped('it took too long'));
    const timer = setTimeout(tooLong, this.#limits.milliseconds);
    const before = cpuMillisecondsOf(this.#process);
    const look = setInterval(() => {
      if (cpuMillisecondsOf(this.#process) - before > this.#limits.cpuMilliseconds) tooLong();
      if (memoryOf(this.#process) > this.#limits.bytes) this.#stop(new CompilerStopped('it took too much memory'));
    }, 20);
    try {
      return await new Promise<readonly Diagnostic[]>((resolve, reject) => {
        this.#ended = { resolve, reject };
        this.#thread.postMessage({ project, files, file } satisfies CompilerQuestion);
      });
    } finally {
      clearTimeout(timer);
      clearInterval(look);
      this.#thread.unref();
    }
  }

  async close(): Promise<void> {
    this.#stop(new CompilerStopped('it was closed'));
    await this.#thread.terminate();
  }

  #stop(why: Error): void {
    if (!this.isStopped) {
      this.isStopped = true;
      if (this.#process !== undefined) end(this.#process);
      void this.#thread.terminate();
    }
    this.#ended?.reject(why);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** A hundred ticks are a second, whatever the kernel itself counts in. */
const millisecondsPerTick = 10;

/** The processor time a process has used, where the system tells. */
function cpuMillisecondsOf(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    // The name of the program, in parentheses, may have spaces in it; what follows has not.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
    return (Number(user) + Number(system)) * millisecondsPerTick;
  } catch {
    return 0;
  }
}

/** What a process holds in memory, where the system tells. */
function memoryOf(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}
