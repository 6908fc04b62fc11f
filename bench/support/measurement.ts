// A figure reported by a benchmark, with a name for programs and a description for people.

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

/** Rounds to three significant digits, which is more than the noise allows. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

export async function milliseconds(action: () => unknown): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}

/** The CPU time of this thread: the cost of work without waiting, independent of other load. */
export async function cpuMilliseconds(action: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The CPU time of all threads of this process. */
export async function processCpuMilliseconds(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Prints what is being measured, on a terminal only. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `… ${text}`}`);
}
