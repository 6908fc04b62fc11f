// One round: a store is backed up while processes write to it and are killed, the processes that back it up and restore it are
// killed in the middle, and what is restored in the end is one revision of the store, with everything before it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectBackup, openStore, type ChangeSet, type Store } from '../../src/store.ts';
import { accounts, audit, ballast, openBank, transfers } from './bank.ts';
import type { Work } from './child.ts';

export interface RoundOptions {
  /** Where the store is, and where it is restored; both are empty. */
  readonly source: string;
  readonly target: string;
  readonly folder: string;
  readonly megabytes: number;
  /** Milliseconds from 0 to this. */
  readonly delay: (most: number) => number;
}

export interface RoundReport {
  readonly problems: readonly string[];
  readonly killedWriters: number;
  readonly killedBackups: number;
  readonly killedRestores: number;
  readonly revision: number;
}

const writerCount = 2;
const mostMilliseconds = 400;

export async function backupRound(options: RoundOptions): Promise<RoundReport> {
  const round = new Round(options);
  try {
    return await round.run();
  } finally {
    await round.end();
  }
}

class Round {
  readonly #options: RoundOptions;
  readonly #children = new Set<ChildProcess>();
  readonly #problems: string[] = [];
  readonly #killed = { write: 0, backup: 0, restore: 0 };

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  async run(): Promise<RoundReport> {
    const { source, target, folder, megabytes } = this.#options;
    const store = await openStore(source);
    try {
      await openBank(store, megabytes);
      const writers = await Promise.all(Array.from({ length: writerCount }, () => this.#writer()));
      const [full, more] = [join(folder, 'full.backup'), join(folder, 'more.backup')];
      await this.#backup({ work: 'backup', location: source, file: full }, writers);
      await this.#someMore(writers);
      await this.#backup({ work: 'backup', location: source, file: more, since: full }, writers);
      await this.#someMore(writers);
      for (const writer of writers) await this.#kill(writer);

      await this.#restore({ work: 'restore', location: target, files: [full, more] });
      const restored = await openStore(target);
      try {
        const { revision } = await inspectBackup(more);
        this.#problems.push(...(await audit(restored)));
        this.#problems.push(...(await differences(store, restored, revision)));
        this.#problems.push(...(await audit(store)).map((text) => `the first store: ${text}`));
        const { write, backup, restore } = this.#killed;
        return {
          problems: this.#problems,
          killedWriters: write,
          killedBackups: backup,
          killedRestores: restore,
          revision,
        };
      } finally {
        await restored.close();
      }
    } finally {
      await store.close();
    }
  }

  async end(): Promise<void> {
    for (const child of this.#children) await this.#kill(child);
  }

  /** Killed in the middle, then done again. A writer is killed meanwhile. */
  async #backup(work: Work & { readonly work: 'backup' }, writers: ChildProcess[]): Promise<void> {
    const first = await this.#begun(work);
    await sleep(this.#options.delay(mostMilliseconds));
    const wasRunning = await this.#kill(first);
    if (wasRunning) this.#killed.backup++;
    if (existsSync(work.file)) {
      // It was just complete; then it is whole.
      await inspectBackup(work.file);
      return;
    }
    if (!wasRunning) this.#problems.push(`The backup ${work.file} ended without a file.`);
    const second = await this.#begun(work);
    await sleep(this.#options.delay(mostMilliseconds / 4));
    await this.#kill(writers.shift() as ChildProcess);
    this.#killed.write++;
    writers.push(await this.#writer());
    await this.#ended(second, work);
  }

  async #restore(work: Work & { readonly work: 'restore' }): Promise<void> {
    const first = await this.#begun(work);
    await sleep(this.#options.delay(mostMilliseconds));
    if (await this.#kill(first)) this.#killed.restore++;
    const target = await openStore(work.location);
    const revision = await target.revision();
    await target.close();
    // All of it is there, or nothing; then it can be done again.
    if (revision > 0) return;
    await this.#ended(await this.#begun(work), work);
  }

  async #someMore(writers: readonly ChildProcess[]): Promise<void> {
    await Promise.all(writers.map((writer) => once(writer, 'message')));
  }

  async #writer(): Promise<ChildProcess> {
    const writer = await this.#begun({ work: 'write', location: this.#options.source });
    await once(writer, 'message');
    return writer;
  }

  async #begun(work: Work): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, 'child.ts'), [JSON.stringify(work)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#children.add(child);
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
    if (message !== 'begun') throw new Error(`${work.work} ended before it began.`);
    return child;
  }

  async #ended(child: ChildProcess, { work }: Work): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    this.#children.delete(child);
    if (child.exitCode !== 0) this.#problems.push(`${work} ended with ${child.exitCode ?? child.signalCode}`);
  }

  /** Whether it was still running. */
  async #kill(child: ChildProcess): Promise<boolean> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    const [code] = (await exited) as [number | null];
    return code === null;
  }
}

/** What was restored against the first store, which has gone on since. */
async function differences(store: Store, restored: Store, revision: number): Promise<string[]> {
  const problems: string[] = [];
  for (const one of [store, restored]) await one.declare(accounts, transfers, ballast);
  if ((await restored.revision()) !== revision)
    problems.push(`it is at revision ${await restored.revision()}, and the backup at ${revision}`);
  for (const at of [1, Math.floor(revision / 2), revision]) {
    const [expected, found] = await Promise.all(
      [store, restored].map(async (one) => JSON.stringify((await one.scan(accounts, {}, { at })).entries)),
    );
    if (expected !== found) problems.push(`the accounts differ at revision ${at}`);
  }
  const [expected, found] = await Promise.all([store, restored].map((one) => changesUpTo(one, revision)));
  for (const [index, change] of (expected ?? []).entries())
    if (change !== found?.[index]) {
      problems.push(`the change ${change} is ${found?.[index] ?? 'missing'}`);
      break;
    }
  return problems;
}

async function changesUpTo(store: Store, revision: number): Promise<string[]> {
  const found: string[] = [];
  const sets: AsyncIterable<ChangeSet> = store.follow({ since: 0 });
  for await (const set of sets) {
    found.push(JSON.stringify(set));
    if (set.revision >= revision) break;
  }
  return found;
}
