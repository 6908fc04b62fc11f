// Who may do what. The command line, the HTTP server and the MCP server share these words, and everything a caller does goes
// through `KitAccess`, which checks them where a command is made.
import { StatekError } from '../../base/error.ts';

/**
 * `read` looks; `answer` decides and answers what jobs wait for, and talks to them; `control` submits, cancels, forks and so on;
 * `admin` deletes, and sees and changes what belongs to no job.
 */
export type Right = 'read' | 'answer' | 'control' | 'admin';

export const rights = ['read', 'answer', 'control', 'admin'] as const satisfies readonly Right[];

/** Who is calling, and what they may do. */
export interface Caller {
  /** Recorded with every decision. */
  readonly name: string;
  readonly rights: readonly Right[];
  /** Only jobs with one of these labels; default: all jobs, and what belongs to none. */
  readonly labels?: readonly string[] | undefined;
  /** What this caller may use instead of what the server allows everybody. */
  readonly limits?: CallerLimits | undefined;
}

/** How much one caller may use; default: the options of the server. */
export interface CallerLimits {
  readonly requestsPerSecond?: number | undefined;
  /** Streams that are open at once. */
  readonly maxStreams?: number | undefined;
  /** The largest body of a request, in bytes. */
  readonly maxBodyBytes?: number | undefined;
}

/** The caller may not do this. */
export class ForbiddenError extends StatekError {
  readonly code = 'FORBIDDEN';
}

/** May do everything, as the owner of the machine may. */
export function ownerOf(name: string): Caller {
  return { name, rights };
}

export function requireRight(caller: Caller, right: Right): void {
  if (caller.rights.includes(right)) return;
  throw new ForbiddenError(`${caller.name} does not have the right '${right}'.`, { right });
}

/** Whether a caller may see a job with these labels. */
export function sees({ labels }: Caller, ofJob: readonly string[]): boolean {
  return labels === undefined || labels.some((label) => ofJob.includes(label));
}
