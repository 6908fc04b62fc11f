// What is counted of executions: of one tool, for one role, in an hour, a day or ever. Summaries are added up like their histograms.
import type { LoggedCall } from '../../workspace/door.ts';
import { DurationCounts, type Histogram } from './histogram.ts';
import type { ToolStats } from './records.ts';

/** A summary as it is stored. */
export type SummaryRow = {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unknown: number;
  readonly cached: number;
  /** Executions with a duration, and what they took together. */
  readonly timed: number;
  readonly milliseconds: number;
  readonly shortest: number;
  readonly longest: number;
  readonly durations: Histogram;
};

export class Summary {
  readonly #counts = { completed: 0, failed: 0, cancelled: 0, unknown: 0 };
  #cached = 0;
  #timed = 0;
  #milliseconds = 0;
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;
  readonly #durations = new DurationCounts();

  add({ outcome, cached, started, ended, count = 1 }: LoggedCall): void {
    this.#counts[outcome] += count;
    if (cached === true) {
      this.#cached += count;
      return;
    }
    const milliseconds = Math.max(0, ended - started) / count;
    this.#timed += count;
    this.#milliseconds += milliseconds * count;
    this.#shortest = Math.min(this.#shortest, milliseconds);
    this.#longest = Math.max(this.#longest, milliseconds);
    this.#durations.add(milliseconds, count);
  }

  merge(row: SummaryRow): void {
    this.#counts.completed += row.completed;
    this.#counts.failed += row.failed;
    this.#counts.cancelled += row.cancelled;
    this.#counts.unknown += row.unknown;
    this.#cached += row.cached;
    this.#timed += row.timed;
    this.#milliseconds += row.milliseconds;
    if (row.timed > 0) this.#shortest = Math.min(this.#shortest, row.shortest);
    this.#longest = Math.max(this.#longest, row.longest);
    this.#durations.merge(row.durations);
  }

  row(): SummaryRow {
    return {
      ...this.#counts,
      cached: this.#cached,
      timed: this.#timed,
      milliseconds: this.#milliseconds,
      shortest: this.#timed === 0 ? 0 : this.#shortest,
      longest: this.#longest,
      durations: this.#durations.histogram(),
    };
  }

  stats(of: Pick<ToolStats, 'toolName' | 'role' | 'from' | 'until'>): ToolStats {
    const { completed, failed, cancelled, unknown } = this.#counts;
    const total = completed + failed + cancelled + unknown;
    const part = (count: number): number => (total === 0 ? 0 : count / total);
    const timed = <Value>(value: Value): Value | undefined => (this.#timed === 0 ? undefined : value);
    // The middle of a bucket may lie outside of what was measured.
    const within = (value = 0): number => Math.min(this.#longest, Math.max(this.#shortest, value));
    const percentile = (one: number): number | undefined => timed(within(this.#durations.percentile(one)));
    return {
      ...of,
      totalExecutions: total,
      ...this.#counts,
      cacheHits: this.#cached,
      successRate: part(completed),
      errorRate: part(failed + unknown),
      cacheHitRate: part(this.#cached),
      avgDurationMs: timed(this.#milliseconds / this.#timed),
      minDurationMs: timed(this.#shortest),
      maxDurationMs: timed(this.#longest),
      p50DurationMs: percentile(0.5),
      p95DurationMs: percentile(0.95),
      p99DurationMs: percentile(0.99),
    };
  }
}
