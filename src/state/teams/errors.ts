// The one mistake that only teams have: acting on a task that somebody else owns.
import { StatekError } from '../../base/error.ts';

/** Another member owns the task, or nobody does. */
export class TaskOwnerError extends StatekError {
  readonly code = 'TEAM_TASK_OWNER';
}
