// How the Python engine stops in the middle of things.
import { StatekError } from '../../../base/error.ts';

export type StopReason = 'fuel' | 'time' | 'stack' | 'memory' | 'exit' | 'denied' | 'trap';

const explanations: Record<StopReason, string> = {
  fuel: 'the code used up its work budget',
  time: 'the code used up its time',
  stack: 'native recursion went deeper than the stack allows',
  memory: 'the engine could not get the memory it needs to go on',
  exit: 'the code tried to end the process',
  denied: 'the code asked for something that does not exist in a workspace',
  trap: 'the interpreter itself failed',
};

/** The guest was stopped in the middle. Its slice is lost; the last image is as it was. */
export class PythonStoppedError extends StatekError {
  readonly code = 'PYTHON_STOPPED';
  readonly reason: StopReason;

  constructor(reason: StopReason, cause?: unknown) {
    super(`The program was stopped: ${explanations[reason]}.`, { reason }, cause);
    this.reason = reason;
  }
}
