// Small things a runner says: the plainest changes of a job, and where a job was when something happened to it.
import { emptyPart, type TransactionPart } from '../../store/transaction-part.ts';
import { jobErrorOf, type PlannedChange } from '../changes/ending.ts';
import { CrashLoopError, SetAsideError } from '../errors.ts';
import { jobCallRows, type JobCallRow, type JobError, type JobRow, type JobUpdate } from '../rows.ts';

export interface RunnerOptions {
  /** How often processes may die of a job in a row. */
  readonly maxCrashes: number;
  /** Runs something while no other job that is under suspicion runs. */
  alone(action: () => Promise<void>): Promise<void>;
}

/** What was recorded of the call the job is to make. */
export function recordedCall({ action }: JobRow, writes: TransactionPart['writes']): JobCallRow | undefined {
  if (action?.kind !== 'call') return undefined;
  const write = writes.find(({ collection, key }) => collection.name === jobCallRows.name && key[1] === action.number);
  return write?.kind === 'put' ? (write.value as JobCallRow) : undefined;
}

export function planOf(change: JobUpdate): PlannedChange {
  return { change, events: [], also: emptyPart };
}

function doing({ action }: JobRow): string {
  switch (action?.kind) {
    case 'run':
      return action.step === undefined ? 'at the beginning of a step' : `in step ${action.step}`;
    case 'call':
      return `in the call of '${action.name}'`;
    default:
      return 'while its driver decided';
  }
}

/** The process died too often while it worked on the job. */
export function crashLoop(row: JobRow): JobError {
  return jobErrorOf(
    new CrashLoopError(
      `The process died ${row.crashes + 1} times while it worked on the job '${row.id}' (${doing(row)}), so it is not tried again. Look for code that ends the process or takes all of its memory.`,
      { id: row.id, crashes: row.crashes + 1 },
    ),
  );
}

/** The job could not be worked on too often. */
export function setAside(row: JobRow, why: string): JobError {
  return jobErrorOf(
    new SetAsideError(`The job '${row.id}' was set aside after ${row.mishaps + 1} tries to go on with it: ${why}`),
  );
}
