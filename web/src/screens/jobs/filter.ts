// Which jobs are listed: read from the address, and checked again when a job has changed.
import type { Job, Outcome, Status } from '../../api/types.ts';

export interface Filter {
  readonly status?: Status | undefined;
  readonly outcome?: Outcome | undefined;
  readonly role?: string | undefined;
  readonly label?: string | undefined;
  readonly parent?: string | undefined;
  readonly text?: string | undefined;
}

const names = ['status', 'outcome', 'role', 'label', 'parent', 'text'] as const;

export function filterOf(query: URLSearchParams): Filter {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

export function matches(job: Job, { status, outcome, role, label, parent, text }: Filter): boolean {
  return (
    (status === undefined || job.status === status) &&
    (outcome === undefined || job.outcome === outcome) &&
    (role === undefined || job.role === role) &&
    (label === undefined || job.labels.includes(label)) &&
    (parent === undefined || job.parent === parent) &&
    (text === undefined ||
      [job.id, job.role, job.error?.message ?? '', ...job.labels].some((part) =>
        part.toLowerCase().includes(text.toLowerCase()),
      ))
  );
}

const kindsOfStatus: Readonly<Record<Status, readonly string[]>> = {
  READY: ['retry'],
  WARMING_UP: ['started', 'slice'],
  STARTED: ['started', 'slice', 'reopened', 'called'],
  SUSPENDED: ['suspended'],
  DONE: ['done'],
};

/** Whether an event of this kind may make a job match that did not; new jobs are looked for in any case. */
export function mayBringIn({ status, outcome }: Filter, kind: string): boolean {
  if (outcome !== undefined) return kind === 'done';
  return status !== undefined && kindsOfStatus[status].includes(kind);
}
