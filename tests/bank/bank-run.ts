// Runs the bank: workspaces are dealt out to processes a few transfers at a time, processes are killed with -9 at random
// and started again, and in the end everything is compared with everything.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { Random } from '../crash/random.ts';
import { Account, accountCount, Bank, bankClasses } from './accounts.ts';
import type { ChildMessage, Task } from './bank-child.ts';
import { compareBank, type Findings } from './compare.ts';
import { openBankStore, type BankPlace } from './place.ts';

export interface BankOptions {
  readonly transfers: number;
  readonly workspaces: number;
  readonly processes: number;
  readonly seed: number;
  /** How many tasks are done between two kills, in the mean. */
  readonly tasksPerKill: number;
  /** How many revisions are looked at, at most. */
  readonly mostRevisions: number;
  readonly progress: (done: number, words: string) => void;
}

export interface BankReport extends Findings {
  readonly kills: number;
  readonly retries: number;
  readonly undoneSteps: number;
  /** Tasks that ended without being done, and why; they were given out again. */
  readonly undone: readonly string[];
}

interface Slot {
  child: ChildProcess | undefined;
  readonly tasks: Map<string, Task>;
}

const tasksAtOnce = 4;
const transfersPerTask = 8;

export async function runBank(place: BankPlace, options: BankOptions): Promise<BankReport> {
  const from = await openAccounts(place);
  const run = new BankRun(place, options);
  try {
    await run.untilDone();
  } finally {
    await run.stop();
  }
  await place.settled();
  const store = await openBankStore(place.description);
  const kit = await Statek.open({ store, classes: bankClasses });
  try {
    const findings = await compareBank(kit, {
      from,
      workspaces: run.names,
      acknowledged: run.acknowledged,
      mostRevisions: options.mostRevisions,
      progress: options.progress,
    });
    return { ...findings, ...run.counts, undone: run.undone };
  } finally {
    await kit.close();
    await store.close();
  }
}

/** Returns the first revision at which all accounts are there. */
async function openAccounts({ description }: BankPlace): Promise<number> {
  const store = await openBankStore(description);
  const kit = await Statek.open({ store, classes: bankClasses });
  await kit.transaction(() => {
    const { accounts } = new Bank();
    for (let number = 0; number < accountCount; number++) accounts.push(new Account(number));
  });
  const revision = await store.revision();
  await kit.close();
  await store.close();
  return revision;
}

class BankRun {
  readonly names: readonly string[];
  /** What each workspace was heard to have done: the next number, and how many transfers were done. */
  readonly acknowledged = new Map<string, { next: number; done: number }>();
  readonly counts = { kills: 0, retries: 0, undoneSteps: 0 };
  readonly undone: string[] = [];
  readonly #place: BankPlace;
  readonly #options: BankOptions;
  readonly #random: Random;
  readonly #slots: Slot[];
  readonly #queue: Task[];
  readonly #lastHad = new Map<string, ChildProcess | undefined>();
  readonly #perWorkspace: number;
  /** Where Node keeps compiled modules, which makes starting much cheaper. */
  readonly #cache = mkdtempSync(join(tmpdir(), 'statek-bank-cache-'));
  #ended = false;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(place: BankPlace, options: BankOptions) {
    this.#place = place;
    this.#options = options;
    this.#random = new Random(options.seed);
    this.names = Array.from({ length: options.workspaces }, (_, index) => `teller ${index + 1}`);
    this.#perWorkspace = Math.ceil(options.transfers / options.workspaces);
    this.#queue = this.names.map((workspace) => ({
      workspace,
      seed: this.#random.seed(),
      upTo: Math.min(transfersPerTask, this.#perWorkspace),
    }));
    this.#slots = Array.from({ length: options.processes }, () => ({ child: undefined, tasks: new Map() }));
  }

  async untilDone(): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    for (const slot of this.#slots) this.#start(slot);
    await done;
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await Promise.all(
      this.#slots.map(async ({ child }) => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }),
    );
    rmSync(this.#cache, { recursive: true, force: true });
  }

  #start(slot: Slot): void {
    const child = fork(
      join(import.meta.dirname, 'bank-child.ts'),
      [JSON.stringify(this.#place.description), String(this.#random.seed())],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { NODE_COMPILE_CACHE: this.#cache, ...process.env },
      },
    );
    slot.child = child;
    child.on('message', (message: ChildMessage) => this.#heard(slot, message));
    child.once('exit', (code) => {
      if (this.#ended) return;
      if (code !== null) {
        this.#reject(new Error(`A process of the bank ended by itself, with code ${code}.`));
        return;
      }
      // Whoever is free next goes on with what the dead process was doing.
      this.#queue.push(...slot.tasks.values());
      slot.tasks.clear();
      this.#start(slot);
    });
  }

  #heard(slot: Slot, message: ChildMessage): void {
    switch (message.kind) {
      case 'counted':
        this.counts.retries += message.retries;
        this.counts.undoneSteps += message.undoneSteps;
        return;
      case 'done': {
        const { workspace, next, done } = message;
        this.acknowledged.set(workspace, { next, done });
        const task = slot.tasks.get(workspace) as Task;
        slot.tasks.delete(workspace);
        const upTo = Math.min(next - 1 + transfersPerTask, this.#perWorkspace);
        if (next <= this.#perWorkspace) this.#queue.push({ ...task, upTo });
        break;
      }
      case 'undone': {
        this.undone.push(`${message.workspace}: ${message.why}`);
        this.#queue.push(slot.tasks.get(message.workspace) as Task);
        slot.tasks.delete(message.workspace);
        break;
      }
      case 'ready':
    }
    if (this.#random.chance(1 / this.#options.tasksPerKill)) this.#killSoon();
    this.#dealOut(slot);
    this.#showProgress();
    if (this.#queue.length === 0 && this.#slots.every(({ tasks }) => tasks.size === 0)) this.#resolve();
    // A lease may run out where a process gets no time; more than that is something else.
    if (this.undone.length > 100 + this.counts.kills * 10)
      this.#reject(new Error(`Too much was left undone, lastly: ${this.undone.at(-1) ?? ''}`));
  }

  #dealOut(slot: Slot): void {
    while (slot.tasks.size < tasksAtOnce) {
      // Whoever had a workspace last has it in memory; others get it when that one is busy, or dead.
      const known = this.#queue.findIndex(({ workspace }) => this.#lastHad.get(workspace) === slot.child);
      const [task] = this.#queue.splice(Math.max(0, known), 1);
      if (task === undefined) return;
      this.#lastHad.set(task.workspace, slot.child);
      slot.tasks.set(task.workspace, task);
      slot.child?.send(task, () => undefined);
    }
  }

  // Any of them, one that is just starting too: the moment is drawn, and has to do with nothing.
  #killSoon(): void {
    setTimeout(
      () => {
        const { child } = this.#random.pick(this.#slots);
        if (!this.#ended && child?.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
          this.counts.kills++;
      },
      this.#random.between(0, 60),
    );
  }

  #showProgress(): void {
    let done = 0;
    for (const { next } of this.acknowledged.values()) done += next - 1;
    this.#options.progress(done, `${this.counts.kills} kills, ${this.counts.retries} retries`);
  }
}
