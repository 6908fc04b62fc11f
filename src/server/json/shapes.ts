// The JSON of jobs, steps and futures for clients.
import type { Job } from '../../agents/door.ts';
import type { JobCall, PendingFuture } from '../../jobs/door.ts';
import type { Step, VariableDifference, WaitingFuture, WorkspaceCommit } from '../../workspace/door.ts';
import { jsonOf } from './values.ts';

type Shape = Readonly<Record<string, unknown>>;

export function jobShape(job: Job): Shape {
  const {
    id,
    role,
    status,
    outcome,
    error,
    paused,
    parent,
    hasChildren,
    labels,
    priority,
    version,
    schedule,
    created,
    updated,
  } = job;
  return {
    id,
    role,
    status,
    outcome,
    error: error && { name: error.name, message: error.message },
    paused,
    parent,
    hasChildren,
    labels,
    priority,
    ...(version === undefined ? {} : { version }),
    ...(schedule === undefined ? {} : { schedule: { name: schedule.name, due: schedule.due.toISOString() } }),
    created: created.toISOString(),
    updated: updated.toISOString(),
  };
}

/** A job with its waits; a finished job has none. */
export async function jobWithWaits(job: Job): Promise<Shape> {
  const waiting = job.status === 'DONE' ? [] : await job.waiting();
  return {
    ...jobShape(job),
    ...(job.status !== 'DONE' && (await job.awaitsVersion()) ? { awaitsVersion: true } : {}),
    waiting: waiting.map(futureShape),
    ...(await usageShape(job)),
  };
}

const maxWaitsInLists = 3;

/** A job for a list. A conversation of many turns is not read for it. */
export async function jobWithDetail(job: Job): Promise<Shape> {
  const waiting = job.status === 'SUSPENDED' ? await job.waiting() : [];
  return {
    ...jobShape(job),
    ...(waiting.length === 0 ? {} : { waits: waiting.slice(0, maxWaitsInLists).map(futureShape) }),
    ...(await usageShape(job)),
  };
}

/** What a job has used of models, if that is quickly said. */
async function usageShape(job: Job): Promise<Shape> {
  const usage = job.turns > 0 && job.turns <= 200 ? await job.usage() : undefined;
  if (usage === undefined || usage.turns.length === 0) return {};
  return {
    usage: {
      turns: usage.turns.length,
      inputTokens: usage.tokens.input,
      outputTokens: usage.tokens.output,
      ...(usage.turns.some(({ cost }) => cost !== undefined) ? { cost: usage.cost } : {}),
    },
  };
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

export function commitShape({ hash, parent, sequence, time, kind, step, storedBytes }: WorkspaceCommit): Shape {
  return { hash, parent, sequence, time: time.toISOString(), kind, step, storedBytes };
}

export function differenceShape(differences: readonly VariableDifference[]): readonly unknown[] {
  return differences.map((difference) => jsonOf({ ...difference }));
}
