// What a benchmark reports: one figure each, named for programs and described for people.

export interface Measurement {
  /** The name in the JSON line. */
  readonly figure: string;
  readonly value: number | string | boolean;
  readonly unit: string;
  /** What was done, in words. */
  readonly what: string;
  readonly goal?: { readonly text: string; readonly met: boolean };
}

/** The value below which the given share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Rounds to three significant digits, which is more than a shared machine can promise. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

export async function milliseconds(action: () => unknown): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

/** The CPU time of this thread: what work without waiting costs, whatever else the machine does meanwhile. */
export async function cpuMilliseconds(action: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Tells on a terminal what is being measured, and nothing otherwise. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `… ${text}`}`);
}
