// What is kept of agents: what was saved, by number and by name, and what is known of their failures.
import { recordCollection, workCollection, type Collection } from '../../store/door.ts';
import { reportMarks } from '../foundation/once.ts';

export type SavedKind = 'snapshot' | 'checkpoint';

/** A snapshot or checkpoint. Of a job it names a commit, and the rest is read there. */
export type SavedRow = {
  readonly id: string;
  readonly number: number;
  readonly time: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly commit?: string;
  readonly step?: number;
  readonly recoverable?: boolean;
  readonly contents?: {
    readonly state?: unknown;
    readonly memoryState?: unknown;
    readonly toolState?: unknown;
    readonly conversationHistory?: readonly unknown[];
  };
};

export type RecoveryRow = {
  readonly failures: number;
  readonly lastFailure?: { readonly time: number; readonly error: string };
  /** Since the last success. */
  readonly attempts: number;
  readonly lastAttempt?: number;
  readonly recoveries: number;
  /** How many of the failures are dealt with. */
  readonly recovered?: number;
};

/** [prefix, agent, kind, number] */
export const savedRows = recordCollection<SavedRow>('state_agent_saved');
/** [prefix, agent, kind, id] */
export const savedNames = recordCollection<{ readonly number: number }>('state_agent_saved_names', { small: true });
/** [prefix, agent] */
export const recoveryRows = recordCollection<RecoveryRow>('state_agent_recoveries');
/** Agents that may be recovered, by one process at a time: [prefix, agent]. */
export const recoveryWork = workCollection<{ readonly agentId: string }>('state_agent_recovery_work');

export const agentStateCollections: readonly Collection[] = [
  savedRows,
  savedNames,
  recoveryRows,
  recoveryWork,
  reportMarks,
];
