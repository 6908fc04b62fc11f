// Durations, counted in buckets that grow by two percent each: a percentile is exact to one percent, two histograms are merged by
// adding them up, and a million durations take no more room than a thousand.

/** Counts by bucket, as pairs in one list: bucket, count, bucket, count … in the order of buckets. */
export type Histogram = readonly number[];

const growth = Math.log(1.02);

/** What takes less than a millisecond is in the first bucket. */
function bucketOf(milliseconds: number): number {
  return milliseconds < 1 ? 0 : 1 + Math.floor(Math.log(milliseconds) / growth);
}

function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : Math.exp((bucket - 0.5) * growth);
}

/** A histogram that is being counted. */
export class DurationCounts {
  readonly #counts = new Map<number, number>();

  constructor(histogram: Histogram = []) {
    this.merge(histogram);
  }

  add(milliseconds: number, count = 1): void {
    this.#increase(bucketOf(milliseconds), count);
  }

  merge(histogram: Histogram): void {
    for (let at = 0; at < histogram.length; at += 2)
      this.#increase(histogram[at] as number, histogram[at + 1] as number);
  }

  histogram(): Histogram {
    return this.#sorted().flat();
  }

  /** The duration that this part of all, from 0 to 1, did not exceed; undefined if there are none. */
  percentile(part: number): number | undefined {
    const sorted = this.#sorted();
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    let left = Math.max(1, Math.ceil(part * total));
    for (const [bucket, count] of sorted) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return undefined;
  }

  #increase(bucket: number, count: number): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
  }

  #sorted(): [number, number][] {
    return [...this.#counts].toSorted(([a], [b]) => a - b);
  }
}
