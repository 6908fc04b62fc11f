// Errors of the agents layer.
import { StatekError } from '../base/error.ts';

/** An agent, its settings or its tools cannot be used as they are. */
export class AgentSettingsError extends StatekError {
  readonly code = 'AGENT_SETTINGS';
}

/** A tool was called with something it does not take. */
export class ToolInputError extends StatekError {
  readonly code = 'TOOL_INPUT';
}

/** A tool returned something else than it says. */
export class ToolOutputError extends StatekError {
  readonly code = 'TOOL_OUTPUT';
}

/** What is given to a task, or comes out of it, is not what its schema says. */
export class TaskInputError extends StatekError {
  readonly code = 'TASK_INPUT';
}

/** A task ended without a result. */
export class TaskFailedError extends StatekError {
  readonly code = 'TASK_FAILED';
}

/** A job that is bound to no memory was to remember something. */
export class MemoryUnboundError extends StatekError {
  readonly code = 'MEMORY_UNBOUND';
}
