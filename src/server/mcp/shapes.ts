// The JSON of jobs, steps and futures for MCP clients.
import type { Job } from '../../agents/door.ts';
import type { JobCall, PendingFuture } from '../../jobs/door.ts';
import type { Step, VariableDifference, WaitingFuture, WorkspaceCommit } from '../../workspace/door.ts';
import { jsonOf } from './values.ts';

type Shape = Readonly<Record<string, unknown>>;

export function jobShape(job: Job): Shape {
  const { id, role, status, outcome, error, paused, parent, labels, priority, created, updated } = job;
  return {
    id,
    agent: role,
    status,
    outcome,
    error: error && { name: error.name, message: error.message },
    paused,
    parent,
    labels,
    priority,
    created: created.toISOString(),
    updated: updated.toISOString(),
  };
}

/** A job with its waits; a finished job has none. */
export async function jobWithWaits(job: Job): Promise<Shape> {
  const waiting = job.status === 'DONE' ? [] : await job.waiting();
  return { ...jobShape(job), waiting: waiting.map(futureShape) };
}

export function futureShape(future: PendingFuture | WaitingFuture): Shape {
  return jsonOf(future) as Shape;
}

/** A call of the journal, without its arguments and result, which may be large. */
export function callShape({
  id,
  by,
  name,
  state,
  attempts,
  created,
  ended,
  duration,
  cached,
  decision,
}: JobCall): Shape {
  return jsonOf({ id, by, name, state, attempts, created, ended, duration, cached, decision }) as Shape;
}

export function stepShape({ number, status, value, console, error, commit, waiting }: Step): Shape {
  return {
    number,
    status,
    value: jsonOf(value),
    console,
    error: error && jsonOf({ ...error }),
    commit,
    waiting: waiting.map(futureShape),
  };
}

export function commitShape({ hash, parent, sequence, time, kind, step }: WorkspaceCommit): Shape {
  return { hash, parent, sequence, time: time.toISOString(), kind, step };
}

export function differenceShape(differences: readonly VariableDifference[]): readonly unknown[] {
  return differences.map((difference) => jsonOf({ ...difference }));
}
