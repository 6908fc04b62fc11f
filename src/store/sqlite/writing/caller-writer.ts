// Commits on the caller's thread while that is measurably faster than waking the writer thread: for a single small commit,
// the handover takes longer than the write. A sync blocks the caller's thread, so it commits only small groups, only while
// syncs are fast, and never waits for another process.
import type { Outcome, PlainTransaction } from '../../engine/plan.ts';
import type { DatabaseSettings } from '../database.ts';
import { Writer } from './writer.ts';

/** Larger groups go to the writer thread. */
const maxBytes = 128 * 1024;
/** After this many single-transaction groups in a row, there are no concurrent commits. */
const minSingleGroups = 4;
/**
 * After this many commits here, the next ones go to the writer thread, to detect concurrent commits: at first often, because
 * each of them takes several times as long, and less and less often while there are none.
 */
const commitsBetweenProbes = 64;
const maxCommitsBetweenProbes = 1024;
const probes = 2;
/** The highest acceptable average of a commit; slower syncs are left to the writer thread. */
const maxAverageMilliseconds = 1.5;
/** Not measured, because they prepare the statements. */
const warmUpCommits = 4;
/** One commit this slow means that the disk is busy; then the caller's thread is not used for a while. */
const slowMilliseconds = 8;
const cooldownMilliseconds = 5000;
/** How many commits until the writer thread is asked for a checkpoint. */
const commitsBetweenCheckpoints = 1000;

export class CallerWriter {
  readonly #settings: DatabaseSettings;
  readonly #checkpoint: () => void;
  #writer: Writer | undefined;
  #singleGroups = 0;
  #sinceProbe = 0;
  #untilProbe = commitsBetweenProbes;
  #sinceCheckpoint = 0;
  #commits = 0;
  #average = 0;
  #coolsDownUntil = 0;

  /** `checkpoint` asks the writer thread for a checkpoint. */
  constructor(settings: DatabaseSettings, checkpoint: () => void) {
    this.#settings = settings;
    this.#checkpoint = checkpoint;
  }

  /** Commits a group if that is faster here; undefined to leave it to the writer thread. */
  commit(transactions: readonly PlainTransaction[]): readonly Outcome[] | undefined {
    if (!this.#isFaster(transactions)) {
      this.#singleGroups = transactions.length === 1 ? this.#singleGroups + 1 : 0;
      if (transactions.length > 1) this.#untilProbe = commitsBetweenProbes;
      return undefined;
    }
    this.#writer ??= new Writer(this.#settings, 'without checkpoints');
    const started = performance.now();
    const outcomes = this.#writer.commitIfFree(transactions);
    if (outcomes === undefined) {
      // Another process is writing; the writer thread does the waiting.
      this.#singleGroups = 0;
      return undefined;
    }
    this.#recordDuration(performance.now() - started);
    return outcomes;
  }

  close(): void {
    this.#writer?.close();
    this.#writer = undefined;
  }

  #isFaster(transactions: readonly PlainTransaction[]): boolean {
    if (this.#singleGroups < minSingleGroups || transactions.length > 1 || sizeOf(transactions) > maxBytes)
      return false;
    return this.#coolsDownUntil === 0 || performance.now() >= this.#coolsDownUntil;
  }

  #recordDuration(milliseconds: number): void {
    this.#commits++;
    if (this.#commits <= warmUpCommits) return;
    this.#average += (milliseconds - this.#average) / 16;
    if (milliseconds > slowMilliseconds || this.#average > maxAverageMilliseconds) {
      this.#coolsDownUntil = performance.now() + cooldownMilliseconds;
      this.#average = 0;
    }
    if (++this.#sinceProbe >= this.#untilProbe) {
      this.#sinceProbe = 0;
      this.#untilProbe = Math.min(2 * this.#untilProbe, maxCommitsBetweenProbes);
      this.#singleGroups = minSingleGroups - probes;
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
