// The log of calls that are over: one row with each commit that ends some, so that nothing is counted twice or missed. Whoever
// keeps statistics folds the rows into its own and removes them; writers never touch the same row, so they never conflict.
import { recordCollection, type RecordCollection, type Write } from '../../store/door.ts';

/** How a call has ended; `unknown`: nobody knows whether it had its effect. */
export type LoggedOutcome = 'completed' | 'failed' | 'cancelled' | 'unknown';

/** A call that is over. A type and not an interface: it is JSON. */
export type LoggedCall = {
  /** Where the journal has the rest of it. */
  readonly id: string;
  readonly tool: string;
  /** The job or workspace it was made for. */
  readonly job: string;
  readonly role: string;
  readonly started: number;
  readonly ended: number;
  readonly outcome: LoggedOutcome;
  readonly cached?: true;
  readonly attempts?: number;
  readonly error?: string;
  /** So many calls that the journal only counts; they took the time together. */
  readonly count?: number;
  /** It was reported, and who reported it has listed it already. */
  readonly reported?: true;
};

/** [scope, when the last of them ended, id]. Calls of a kit have the scope ''. */
export const callLogRows: RecordCollection<readonly LoggedCall[]> = recordCollection<readonly LoggedCall[]>('call_log');

/** The scope of calls that programs and agents of a kit make. */
export const kitScope = '';

export function logWrite(scope: string, time: number, id: string, calls: readonly LoggedCall[]): Write[] {
  if (calls.length === 0) return [];
  return [{ kind: 'put', collection: callLogRows, key: [scope, time, id], value: calls }];
}

/** The name of a tool from the label of its call: a tool is a service of each agent that has it, `agent.tool`. */
export function toolName(label: string, isMethod: boolean): string {
  const name = label.endsWith('(…)') ? label.slice(0, -'(…)'.length) : label;
  return isMethod ? name : name.slice(name.lastIndexOf('.') + 1);
}

const maxError = 500;

/** How a call has ended, from the message of its outcome. */
export function endOf(failed: boolean, value: string): Pick<LoggedCall, 'outcome' | 'error'> {
  if (!failed) return { outcome: 'completed' };
  const [reference, ...nodes] = JSON.parse(value) as [unknown, ...(readonly unknown[])[]];
  const node = Array.isArray(reference) ? nodes[Number(reference[0])] : undefined;
  const [kind, name, message] = node ?? [];
  if (kind !== 'E') return { outcome: 'failed' };
  return {
    outcome: node?.includes('OUTCOME_UNKNOWN') === true ? 'unknown' : 'failed',
    error: `${String(name)}: ${String(message)}`.slice(0, maxError),
  };
}
