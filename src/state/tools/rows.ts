// What the manager of tools keeps, beside the log of calls that the workspace layer writes.
import { recordCollection, workCollection, type Collection } from '../../store/door.ts';
import { callCacheRows, callLogRows, type LoadItem, type LoggedCall } from '../../workspace/door.ts';
import { reportMarks } from '../foundation/once.ts';
import type { SummaryRow } from './summary.ts';

/** An execution that was reported: what was said of it. Its status follows from that. */
export type ExecutionRow = {
  readonly executionId: string;
  readonly toolName: string;
  readonly parameters?: unknown;
  readonly role: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly created: number;
  readonly started?: number;
  /** How often it was started, if more than once. */
  readonly attempts?: number;
  readonly cached?: true;
  readonly end?: {
    readonly outcome: 'completed' | 'failed' | 'cancelled';
    readonly time: number;
    readonly durationMs: number;
    readonly result?: unknown;
    readonly error?: string;
  };
};

/** A call of the kit that is over, or an execution that was reported: its own row tells the rest. */
export type IndexRow = LoggedCall | { readonly id: string; readonly reported: true; readonly role: string };

export type CacheRow = {
  readonly toolName: string;
  readonly parametersHash: string;
  readonly result: unknown;
  readonly created: number;
  readonly ttl: number;
  readonly version?: string;
  readonly scope?: string;
};

export type RetryRow = {
  readonly executionId: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly lastError?: string;
  /** When it is tried again; absent if it is not. */
  readonly due?: number;
  readonly backoffFactor: number;
};

/** [prefix, execution] */
export const executionRows = recordCollection<ExecutionRow>('state_tool_executions');
/** [prefix, 'all', when it began, execution] and [prefix, 'tool', tool, when it began, execution] */
export const indexRows = recordCollection<IndexRow>('state_tool_index', { small: true });
/** [prefix, 'ever' | 'day' | 'hour', tool, beginning of the day or hour, role] */
export const summaryRows = recordCollection<SummaryRow>('state_tool_summaries');
/** How often the log was folded: [prefix]. Whoever folds checks it, so that every call is counted once. */
export const foldRows = recordCollection<{ readonly folds: number }>('state_tool_folds');
/** [prefix, tool, hash of version, scope and parameters] */
export const cacheRows = recordCollection<CacheRow>('state_tool_cache');
/** Results that are being fetched: like the key of the cache. */
export const loadRows = workCollection<LoadItem>('state_tool_loads');
/** [prefix, execution] */
export const retryRows = recordCollection<RetryRow>('state_tool_retries');
/** Retries by the time they are due, for workers: [prefix, due, execution]. */
export const retryWork = workCollection<{ readonly executionId: string }>('state_tool_retry_work');

export const toolCollections: readonly Collection[] = [
  executionRows,
  indexRows,
  summaryRows,
  foldRows,
  cacheRows,
  loadRows,
  retryRows,
  retryWork,
  reportMarks,
  callLogRows,
  callCacheRows,
];
