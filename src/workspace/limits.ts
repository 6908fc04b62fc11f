// What a workspace may use. Every limit has a default that ordinary code never meets, and can be set per workspace.
import { refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';

/**
 * What the program of a workspace may use. A slice that reaches a limit is dropped, and its step fails with `LimitError`.
 */
export interface WorkspaceLimits {
  /** CPU time of one slice, in milliseconds: past it the slice is stopped wherever it is. The smaller of this and the next counts. */
  readonly softCpuMilliseconds: number;
  /** Time on the clock of one slice, in milliseconds, whatever the machine does beside it; but never less than two seconds. */
  readonly hardCpuMilliseconds: number;
  /** Memory the program may have allocated. */
  readonly heapBytes: number;
  /** Depth of calls. */
  readonly stackBytes: number;
  /** The source of one step. */
  readonly sourceBytes: number;
  /** What one step may print; the rest is counted and left out. */
  readonly consoleBytes: number;
  /** One value that crosses between the application and guest code, in either direction. */
  readonly valueBytes: number;
  /** All that one slice may hand to the application: arguments, values assigned, requests. */
  readonly handedBytes: number;
  /** Futures a program waits for at once. */
  readonly futures: number;
  /** Slices of one step. */
  readonly slicesPerStep: number;
}

export const defaultLimits: WorkspaceLimits = {
  softCpuMilliseconds: 1000,
  hardCpuMilliseconds: 4000,
  heapBytes: 128 * 2 ** 20,
  stackBytes: 256 * 1024,
  sourceBytes: 1024 * 1024,
  consoleBytes: 256 * 1024,
  valueBytes: 8 * 1024 * 1024,
  handedBytes: 64 * 2 ** 20,
  futures: 1000,
  slicesPerStep: 100_000,
};

/** The least and the most that each may be. */
export const limitBounds: Record<keyof WorkspaceLimits, readonly [number, number]> = {
  softCpuMilliseconds: [1, 3_600_000],
  hardCpuMilliseconds: [1, 3_600_000],
  heapBytes: [2 ** 20, 3 * 2 ** 30],
  stackBytes: [16 * 1024, 320 * 1024],
  sourceBytes: [1, 64 * 2 ** 20],
  consoleBytes: [1, 64 * 2 ** 20],
  valueBytes: [1024, 64 * 2 ** 20],
  handedBytes: [1024, 2 ** 30],
  futures: [1, 1_000_000],
  slicesPerStep: [1, Number.MAX_SAFE_INTEGER],
};

export function limitsWith(given: Partial<WorkspaceLimits>): WorkspaceLimits {
  refuseUnknownOptions('limits', given, limitBounds);
  const limits = { ...defaultLimits, ...given };
  for (const [name, [least, most]] of Object.entries(limitBounds))
    wholeNumberOption('limits', name, limits[name as keyof WorkspaceLimits], least, most);
  return limits;
}
