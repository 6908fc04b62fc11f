// Statuses change along a table; any other change is an error that names what is possible.
import { StateTransitionError } from './errors.ts';

/** For each status, the statuses that may follow it. */
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Status[]>>;

/** Throws unless `to` may follow `from`. A status may always be reported again. */
export function checkTransition<Status extends string>(
  what: string,
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): void {
  if (from === to || transitions[from].includes(to)) return;
  const possible = transitions[from].length === 0 ? 'nothing can follow' : `possible: ${transitions[from].join(', ')}`;
  throw new StateTransitionError(`${what} is ${from} and cannot become ${to}; ${possible}.`, { what, from, to });
}
