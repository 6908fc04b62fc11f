// One turn of a driver: it is asked what to do next, and its answer becomes a change of the job. Nothing is done yet.
import { encodeJson, type Write } from '../../store/door.ts';
import { InvalidOptionError } from '../../base/options.ts';
import type { KnownJob } from '../changes/job-changes.ts';
import type { NextAction, Turn, TurnEvent } from '../driver.ts';
import { begunUnder } from '../changes/adopting.ts';
import { ending, jobErrorOf, type PlannedChange } from '../changes/ending.ts';
import { reopening, unreadMessages } from '../changes/inbox.ts';
import { jobCallRows, type JobAction, type JobCallRow, type JobError, type JobRow, type JobUpdate } from '../rows.ts';
import { scheduleOf } from '../scheduled.ts';
import { givenVariables } from './job-workspace.ts';
import type { JobSystem } from '../system.ts';
import { loadText, offloadText, type FutureReference } from '../../workspace/door.ts';

/** `token` is the lease under which whatever the driver calls is going to be made. */
export async function advance(
  system: JobSystem,
  { row }: KnownJob,
  event: TurnEvent,
  token: number,
  waiting: readonly FutureReference[] = [],
): Promise<PlannedChange> {
  const messages = await unreadMessages(system, row);
  const now = system.clock.now();
  const turn: Turn = {
    job: {
      id: row.id,
      role: row.role,
      parent: row.parent?.job,
      labels: row.labels,
      created: new Date(row.created),
      deadline: row.timers.deadline === undefined ? undefined : new Date(row.timers.deadline),
      attempt: row.failures + (row.restarts ?? 0) + 1,
      schedule: scheduleOf(row),
      restarted: row.restarted,
    },
    input: system.shared.decode(await loadText(system.store, row.id, row.input)),
    vars: row.state === null ? await givenVariables(system, row) : {},
    state: row.state,
    event,
    messages,
    turn: row.turns + 1,
    now: new Date(now),
  };
  try {
    const next = actionOf(row, system.driver(row.role).next(turn));
    const planned = begun(system, row, await plannedFor(system, row, next, token, waiting));
    const read = messages.at(-1)?.number;
    if (read === undefined) return planned;
    // What a job tells itself, such as that its work is hard, is nothing to start again for.
    const isAddressed = messages.some(({ from }) => from !== row.id);
    if (next.keepMessages === true) return isAddressed ? startedAgain(system, row, planned) : planned;
    return { ...planned, change: { ...planned.change, messages: { ...row.messages, read } } };
  } catch (error) {
    return ending(system, row, { outcome: 'failed', error: jobErrorOf(error) }, waiting);
  }
}

function begun(system: JobSystem, row: JobRow, planned: PlannedChange): PlannedChange {
  return { ...planned, change: { ...begunUnder(system, row), ...planned.change } };
}

/** What was said before the end and is not read yet starts the job again, as if it had been said right after the end. */
function startedAgain(system: JobSystem, row: JobRow, planned: PlannedChange): PlannedChange {
  const { status, outcome } = planned.change;
  if (status !== 'DONE' || outcome !== 'completed' || system.driver(row.role).reopens !== true) return planned;
  return {
    ...planned,
    change: { ...planned.change, ...reopening(row, system.clock.now()) },
    events: [...planned.events, { kind: 'reopened' }],
  };
}

/** A driver may be written in JavaScript, and return anything. */
function actionOf(row: JobRow, next: unknown): NextAction {
  if (typeof next !== 'object' || next === null) throw notAnAction(row);
  return next as NextAction;
}

async function plannedFor(
  system: JobSystem,
  row: JobRow,
  next: NextAction,
  token: number,
  waiting: readonly FutureReference[],
): Promise<PlannedChange> {
  const now = system.clock.now();
  const { wake: _wake, start: _start, ...others } = row.timers;
  const timers = next.limit === undefined ? others : { ...others, limit: next.limit.getTime() };
  const writes: Write[] = [...(next.writes ?? [])];
  const common = {
    turns: row.turns + 1,
    timers,
    crashes: 0,
    mishaps: 0,
    limited: undefined,
    ...(next.state === undefined ? {} : { state: next.state }),
  };
  const started = row.status === 'READY' ? [{ kind: 'started' as const }] : [];
  const going = (action: JobAction, change: JobUpdate = {}, events: PlannedChange['events'] = []): PlannedChange => ({
    change: { ...common, status: 'STARTED', action, ...change },
    events: [...started, ...events],
    also: { checks: [], writes },
  });
  if (next.state !== undefined) encodeJson(next.state, `what the driver '${row.role}' keeps`);
  if ('run' in next) {
    const { run: source, allOrNothing, warmup } = next;
    if (typeof source !== 'string') throw notAnAction(row);
    const action: JobAction = {
      kind: 'run',
      source,
      ...(allOrNothing === true ? { allOrNothing } : {}),
      ...(warmup === true ? { warmup } : {}),
    };
    return going(action, warmup === true ? { status: 'WARMING_UP' } : {});
  }
  if ('call' in next) {
    const number = row.nextCall;
    const input = offloadText(row.id, system.shared.encode(next.input, `The input of '${next.call}'`));
    const value: JobCallRow = {
      number,
      name: next.call,
      input: input.text,
      attempts: [{ started: now }],
      created: now,
    };
    writes.push({ kind: 'put', collection: jobCallRows, key: [row.id, number], value }, ...input.writes);
    return going({ kind: 'call', number, name: next.call, token }, { nextCall: number + 1 }, [
      { kind: 'call', data: { name: next.call, number } },
    ]);
  }
  if ('wait' in next) {
    const until = next.wait instanceof Date ? next.wait.getTime() : undefined;
    if (next.wait !== 'message' && (until === undefined || Number.isNaN(until))) throw notAnAction(row);
    const action: JobAction = { kind: 'wait', ...(until === undefined ? {} : { until }) };
    // Nothing is left to do, so the job leaves the queue with the same commit; a message that comes meanwhile wins.
    if (next.keepMessages === true) return going(action);
    const wake = until === undefined ? {} : { wake: until };
    return going(action, { status: 'SUSPENDED', at: null, timers: { ...timers, ...wake } }, [{ kind: 'suspended' }]);
  }
  if ('finish' in next) {
    const result = system.shared.encode(next.finish, 'The result of the job');
    return ended(await ending(system, row, { outcome: 'completed', result }, waiting), next, started, writes);
  }
  if ('fail' in next) {
    const error: JobError = typeof next.fail === 'string' ? { name: 'Error', message: next.fail } : { ...next.fail };
    return ended(
      await ending(system, row, { outcome: next.outcome ?? 'failed', error }, waiting),
      next,
      started,
      writes,
    );
  }
  throw notAnAction(row);
}

function ended(
  { change, events, also }: PlannedChange,
  { state }: NextAction,
  started: PlannedChange['events'],
  writes: readonly Write[],
): PlannedChange {
  return {
    change: state === undefined || change.status === 'READY' ? change : { ...change, state },
    events: [...started, ...events],
    also: { checks: also.checks, writes: [...also.writes, ...writes] },
  };
}

function notAnAction({ role }: JobRow): InvalidOptionError {
  return new InvalidOptionError(
    `The driver '${role}' did not say what to do: next() returns { run }, { call }, { wait }, { finish } or { fail }.`,
    { role },
  );
}
