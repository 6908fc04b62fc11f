// The processes of the cluster: started, killed one after the other, and replaced.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './place.ts';

export interface ProcessState {
  readonly pid: number;
  readonly jobs: number;
  readonly isWorking: boolean;
  readonly kills: number;
}

interface Slot {
  child: ChildProcess;
  jobs: number | undefined;
  kills: number;
}

export class Processes {
  readonly #arguments: readonly string[];
  readonly #slots: Slot[] = [];
  #next = 0;

  static async start(count: number, place: Place, ...parameters: readonly string[]): Promise<Processes> {
    const processes = new Processes([JSON.stringify(place), ...parameters]);
    for (let index = 0; index < count; index++) processes.#slots.push(processes.#begin({ kills: 0 }));
    await Promise.all(processes.#slots.map(({ child }) => once(child, 'message')));
    return processes;
  }

  private constructor(parameters: readonly string[]) {
    this.#arguments = parameters;
  }

  states(): ProcessState[] {
    return this.#slots.map(({ child, jobs, kills }) => ({
      pid: child.pid ?? 0,
      jobs: jobs ?? 0,
      isWorking: jobs !== undefined,
      kills,
    }));
  }

  /** Kills the next one that works with -9 and starts another in its place; returns its pid. */
  kill(): number | undefined {
    for (let tried = 0; tried < this.#slots.length; tried++) {
      const index = this.#next++ % this.#slots.length;
      const slot = this.#slots[index];
      if (slot?.jobs === undefined || slot.jobs === 0) continue;
      slot.child.kill('SIGKILL');
      this.#slots[index] = this.#begin({ kills: slot.kills + 1 });
      return slot.child.pid;
    }
    return undefined;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#slots.map(async ({ child, jobs }) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        // One that has only just been started need not become ready first.
        if (jobs === undefined) child.kill('SIGKILL');
        else child.send('stop');
        await once(child, 'exit');
      }),
    );
  }

  #begin({ kills }: { readonly kills: number }): Slot {
    // Compiled code is kept for the next process, which starts the sooner.
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'statek-compiled'),
    };
    const child = fork(join(import.meta.dirname, 'worker-child.ts'), this.#arguments, { env });
    const slot: Slot = { child, jobs: undefined, kills };
    child.on('message', ({ jobs }: { jobs: number }) => (slot.jobs = jobs));
    return slot;
  }
}
