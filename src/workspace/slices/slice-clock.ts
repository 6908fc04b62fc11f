// What a slice takes of the thread it runs on. Counted work bounds what guest code does, not how long that takes: this does.
import { performance } from 'node:perf_hooks';
import type { WorkspaceLimits } from '../limits.ts';

/** Below this the machine's load would decide about a slice more than its code does. */
const leastWallMilliseconds = 2000;

/**
 * Once all of the time has passed on the clock, this part of it in CPU time is enough; a tenth later, less is. The engine's own
 * threads take a processor away for a moment now and then, and on a machine that is a little busy others do: this keeps the time on
 * the clock close to the limit, too.
 */
const enough = 0.9;
const enoughLate = 0.75;
const late = 1.1;

/** Milliseconds; each can be replaced by a test. */
export interface Clocks {
  wall(): number;
  /** CPU time of this thread. */
  cpu(): number;
}

/**
 * A thread's CPU time is never more than what has passed on the clock. So the clock, which is quick to read, is read each time, and
 * CPU time only once the clock allows that the slice has used it up: a slice that waited for a processor is not stopped for that.
 */
export class SliceClock {
  readonly #clocks: Clocks;
  readonly #cpuMilliseconds: number;
  readonly #wallEnd: number;
  /** From this moment on less CPU time is enough. */
  readonly #lateFrom: number;
  readonly #cpuBegan: number;
  /** Before this moment the slice cannot be over. */
  #next: number;
  #endedOnWall = false;

  constructor(
    { softCpuMilliseconds, hardCpuMilliseconds }: Pick<WorkspaceLimits, 'softCpuMilliseconds' | 'hardCpuMilliseconds'>,
    clocks: Clocks = machineClocks,
  ) {
    this.#clocks = clocks;
    const cpuMilliseconds = Math.min(softCpuMilliseconds, hardCpuMilliseconds);
    const began = clocks.wall();
    this.#cpuBegan = clocks.cpu();
    this.#cpuMilliseconds = cpuMilliseconds;
    this.#lateFrom = began + cpuMilliseconds * late;
    this.#wallEnd = began + Math.max(hardCpuMilliseconds, leastWallMilliseconds);
    this.#next = began + cpuMilliseconds;
  }

  /** It was the time on the clock that was used up, and not the CPU time. */
  get endedOnWall(): boolean {
    return this.#endedOnWall;
  }

  /** Whether the time is used up, or will be after so many milliseconds more. */
  isOver(after = 0): boolean {
    const then = this.#clocks.wall() + after;
    if (then < this.#next) return false;
    if (then >= this.#wallEnd) return (this.#endedOnWall = true);
    const isLate = then >= this.#lateFrom;
    const left = this.#cpuMilliseconds * (isLate ? enoughLate : enough) - (this.#clocks.cpu() - this.#cpuBegan);
    if (left <= after) return true;
    this.#next = Math.min(then - after + left, isLate ? this.#wallEnd : this.#lateFrom);
    return false;
  }
}

const machineClocks: Clocks = { wall: () => performance.now(), cpu: cpuClock() };

/** Before Node 23.9 only the CPU time of the whole process can be had. It is never less, so the bound holds there too. */
function cpuClock(): () => number {
  const ofProcess = (): number => milliseconds(process.cpuUsage());
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  if (threadCpuUsage === undefined) return ofProcess;
  const ofThread = (): number => milliseconds(threadCpuUsage.call(process));
  try {
    ofThread();
    return ofThread;
  } catch {
    return ofProcess; // a system that does not tell
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
