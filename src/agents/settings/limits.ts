// The limits of a job: what they are called in code, in prompt files and in the environment, and what they are unless set.
import { defaultLimits } from '../../workspace/door.ts';

/** `Infinity` is unlimited. Counted since the job was started or reopened, without its warmup. */
export interface JobLimits {
  readonly turns: number;
  readonly errors: number;
  readonly errorsInARow: number;
  /** Tokens of all requests, in and out. */
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** Wall clock. */
  readonly seconds: number;
  /** CPU time of one slice. */
  readonly sliceMilliseconds: number;
  readonly heapBytes: number;
  /** What one step may print. */
  readonly consoleBytes: number;
}

export type LimitName = keyof JobLimits;

export const defaultJobLimits: JobLimits = {
  turns: 50,
  errors: Number.POSITIVE_INFINITY,
  errorsInARow: 5,
  tokens: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
  seconds: Number.POSITIVE_INFINITY,
  sliceMilliseconds: defaultLimits.softCpuMilliseconds,
  heapBytes: defaultLimits.heapBytes,
  consoleBytes: defaultLimits.consoleBytes,
};

export const limitNames = Object.keys(defaultJobLimits) as readonly LimitName[];

/** `errorsInARow` → `MAX_ERRORS_IN_A_ROW`: the key in a prompt file; with `STATEK_` before it, the variable. */
export function limitKey(name: LimitName): string {
  return `MAX_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** What a limit may be, in words. */
export function limitRule(name: LimitName): string {
  return name === 'cost' ? "an amount in US dollars or 'unlimited'" : "a whole number from 1 or 'unlimited'";
}

/** Reads a limit, as text or number; undefined if it cannot be one. */
export function readLimit(name: LimitName, value: unknown): number | undefined {
  if (typeof value === 'string') {
    const text = value.trim().replaceAll('_', '');
    if (text.toLowerCase() === 'unlimited') return Number.POSITIVE_INFINITY;
    return /^\d+(\.\d+)?$/.test(text) ? readLimit(name, Number(text)) : undefined;
  }
  if (typeof value !== 'number' || Number.isNaN(value)) return undefined;
  if (value === Number.POSITIVE_INFINITY) return value;
  if (name === 'cost') return value > 0 ? value : undefined;
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}
