// Commits on the caller's thread while that is quicker than waking the writer's: for a lone small commit, handing over takes
// longer than writing. What is quicker is measured. The caller's thread stands still for as long as a sync takes, so it commits
// only small groups, only while syncs are quick, and never waits for another process.
import type { Outcome, PlainTransaction } from '../../engine/plan.ts';
import type { DatabaseSettings } from '../database.ts';
import { Writer } from './writer.ts';

/** A group that is larger is worth a thread of its own. */
const maxBytes = 128 * 1024;
/** So many groups of one transaction in a row on the writer's thread: nobody else commits at the same time. */
const lonelyGroups = 4;
/** After so many commits here, the next ones go to the thread again, to see whether others commit meanwhile. */
const commitsBetweenProbes = 64;
const probes = 2;
/** What a commit here may take on average; longer syncs are left to the thread. */
const maxMilliseconds = 1.5;
/** The first ones prepare their statements. */
const warmUpCommits = 4;
/** One commit that took this long means that the disk is busy, and for how long it is not tried again. */
const slowMilliseconds = 8;
const restMilliseconds = 5000;
/** Checkpoints are the thread's work: it is asked for one after so many commits. */
const commitsBetweenCheckpoints = 1000;

export class CallerWriter {
  readonly #settings: DatabaseSettings;
  readonly #checkpoint: () => void;
  #writer: Writer | undefined;
  #lonely = 0;
  #sinceProbe = 0;
  #sinceCheckpoint = 0;
  #commits = 0;
  #average = 0;
  #restUntil = 0;

  /** `checkpoint` asks the writer's thread for a checkpoint. */
  constructor(settings: DatabaseSettings, checkpoint: () => void) {
    this.#settings = settings;
    this.#checkpoint = checkpoint;
  }

  /** Commits a group, if that is quicker here; undefined if it is left to the writer's thread. */
  commit(transactions: readonly PlainTransaction[]): readonly Outcome[] | undefined {
    if (!this.#isQuicker(transactions)) {
      this.#lonely = transactions.length === 1 ? this.#lonely + 1 : 0;
      return undefined;
    }
    this.#writer ??= new Writer(this.#settings, 'without checkpoints');
    const started = performance.now();
    const outcomes = this.#writer.commitIfFree(transactions);
    if (outcomes === undefined) {
      // Another process writes: waiting for it is the thread's work.
      this.#lonely = 0;
      return undefined;
    }
    this.#measured(performance.now() - started);
    return outcomes;
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  #isQuicker(transactions: readonly PlainTransaction[]): boolean {
    if (this.#lonely < lonelyGroups || transactions.length > 1 || sizeOf(transactions) > maxBytes) return false;
    return this.#restUntil === 0 || performance.now() >= this.#restUntil;
  }

  #measured(milliseconds: number): void {
    this.#commits++;
    if (this.#commits <= warmUpCommits) return;
    this.#average += (milliseconds - this.#average) / 16;
    if (milliseconds > slowMilliseconds || this.#average > maxMilliseconds) {
      this.#restUntil = performance.now() + restMilliseconds;
      this.#average = 0;
    }
    if (++this.#sinceProbe >= commitsBetweenProbes) {
      this.#sinceProbe = 0;
      this.#lonely = lonelyGroups - probes;
    }
    if (++this.#sinceCheckpoint >= commitsBetweenCheckpoints) {
      this.#sinceCheckpoint = 0;
      this.#checkpoint();
    }
  }
}

function sizeOf(transactions: readonly PlainTransaction[]): number {
  let bytes = 0;
  for (const { writes } of transactions) for (const { value } of writes) bytes += value?.length ?? 0;
  return bytes;
}
