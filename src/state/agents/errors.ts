// Errors of recovering agents.
import { StatekError } from '../../base/error.ts';

/** An agent cannot be recovered, or not now. The message says why, and what to do. */
export class AgentRecoveryError extends StatekError {
  readonly code = 'AGENT_RECOVERY';
}
