// A change of a job as one transaction: its row, its place in the queue, its indexes and timers, and what is told of it.
// Nothing else writes these, so they always agree.
import type { Json } from '../../history/door.ts';
import type { Check, Key, Store, TransactionPart, Write } from '../../store/door.ts';
import {
  jobEventRows,
  jobIndexRows,
  jobRows,
  jobTimerRows,
  jobWorkRows,
  type JobEventKind,
  type JobEventRow,
  type JobRow,
  type JobUpdate,
  type JobTimers,
  type JobWork,
  type QueuePart,
} from '../rows.ts';
import { partFor, workKey } from '../queue-place.ts';
import { refuseTransition } from '../states.ts';

/** A job as it was read. */
export interface KnownJob {
  readonly row: JobRow;
  readonly revision: number;
}

export async function readJob(store: Store, id: string): Promise<KnownJob | undefined> {
  const { synchronous } = store;
  const [entry] = synchronous === undefined ? await store.read(jobRows, [[id]]) : synchronous.read(jobRows, [[id]]);
  return entry && { row: entry.value, revision: entry.revision };
}

export interface JobEvent {
  readonly kind: JobEventKind;
  readonly data?: Json;
}

/** How much a step of priority is worth: a job may be overtaken by one that came this much later. */
const millisecondsPerPriority = 30_000;

/** A place in the queue for a job that has something to do from now on. */
export function placeFrom(row: Pick<JobRow, 'priority'>, now: number): number {
  return now - row.priority * millisecondsPerPriority;
}

/** Since when a job has had something to do, from its place in the queue. */
export function timeOfPlace(row: Pick<JobRow, 'priority'>, place: number): number {
  return place + row.priority * millisecondsPerPriority;
}

/** What the item of a job in the queue says. */
export function workItem({ id, workspace }: Pick<JobRow, 'id' | 'workspace'>): JobWork {
  return { job: id, ...(workspace === undefined ? {} : { workspace }) };
}

/** Everything that is to be written for a new job. */
export function creation(given: JobRow, events: readonly JobEvent[]): TransactionPart {
  const row = updated(given, { queue: given.at === null ? undefined : partFor(given) });
  return {
    checks: [{ kind: 'absent', collection: jobRows, key: [row.id] }],
    writes: [
      { kind: 'put', collection: jobRows, key: [row.id], value: { ...row, nextEvent: 2 } },
      ...indexKeys(row).map((key): Write => ({ kind: 'put', collection: jobIndexRows, key, value: null })),
      ...timerKeys(row).map((key): Write => ({ kind: 'put', collection: jobTimerRows, key, value: null })),
      ...workWrites(undefined, row),
      eventWrite(row.id, 1, { time: row.created, events }),
    ],
  };
}

/** Everything that is to be written for a job of another store. Nobody works on it before it is resumed, and it has no parent here. */
export function importedJob(row: JobRow, { lookOnly }: { readonly lookOnly: boolean }): TransactionPart {
  const { parent: _parent, turn: _turn, queue: _queue, ...rest } = row;
  const imported: JobRow = {
    ...rest,
    at: null,
    timers: {},
    ...(row.status === 'DONE' ? {} : { paused: true }),
    ...(lookOnly ? { lookOnly } : {}),
  };
  return {
    checks: [{ kind: 'absent', collection: jobRows, key: [row.id] }],
    writes: [
      { kind: 'put', collection: jobRows, key: [row.id], value: imported },
      ...indexKeys(imported).map((key): Write => ({ kind: 'put', collection: jobIndexRows, key, value: null })),
    ],
  };
}

/** Everything that is to be written when a job changes; it must still be as it was read. */
export function updateJob(
  { row: before, revision }: KnownJob,
  change: JobUpdate,
  events: readonly JobEvent[],
  now: number,
  commit?: string,
): TransactionPart & { readonly after: JobRow } {
  const isTold = events.length > 0;
  const changed = updated(before, change);
  const after = {
    ...updated(changed, { queue: queueAfter(before, changed, change) }),
    updated: now,
    nextEvent: before.nextEvent + (isTold ? 1 : 0),
  };
  refuseTransition(before.id, before.status, after.status);
  const checks: Check[] = [{ kind: 'revision', collection: jobRows, key: [before.id], revision }];
  const writes: Write[] = [
    { kind: 'put', collection: jobRows, key: [before.id], value: after },
    ...difference(indexKeys(before), indexKeys(after), jobIndexRows),
    ...difference(timerKeys(before), timerKeys(after), jobTimerRows),
    ...workWrites(before, after),
  ];
  if (isTold)
    writes.push(
      eventWrite(before.id, before.nextEvent, { time: now, events, ...(commit === undefined ? {} : { commit }) }),
    );
  return { checks, writes, after };
}

/** A job that stays in the queue keeps its place, which others may hold a lease of, unless it is moved on purpose. */
function queueAfter(before: JobRow, after: JobRow, change: JobUpdate): QueuePart | undefined {
  if (after.at === null) return undefined;
  if ('queue' in change) return change.queue;
  return before.at === after.at ? before.queue : partFor(after);
}

export function updated(row: JobRow, change: JobUpdate): JobRow {
  const members = Object.entries({ ...row, ...change }).filter(([, value]) => value !== undefined);
  const after = Object.fromEntries(members) as JobRow;
  // What the types of rows say must hold for what is put together from parts, too.
  if ((after.status === 'DONE') !== (after.outcome !== undefined))
    throw new Error(`The job '${row.id}' would be ${after.status} with the outcome ${String(after.outcome)}.`);
  return after;
}

/** What makes somebody look at a job. One that is in the queue keeps its place, and whoever works on it is told. */
export function wakeJob(known: KnownJob, now: number): TransactionPart {
  const { row, revision } = known;
  const unchanged: Check = { kind: 'revision', collection: jobRows, key: [row.id], revision };
  if (row.status === 'DONE' || row.paused === true) return { checks: [unchanged], writes: [] };
  if (row.at === null) return updateJob(known, { at: placeFrom(row, now) }, [], now);
  return {
    checks: [unchanged],
    writes: [{ kind: 'put', collection: jobWorkRows, key: workKey({ ...row, at: row.at }), value: workItem(row) }],
  };
}

/** Everything of a job that this file writes. */
export function removal({ row, revision }: KnownJob): TransactionPart {
  return {
    checks: [{ kind: 'revision', collection: jobRows, key: [row.id], revision }],
    writes: [
      { kind: 'remove', collection: jobRows, key: [row.id] },
      ...indexKeys(row).map((key): Write => ({ kind: 'remove', collection: jobIndexRows, key })),
      ...timerKeys(row).map((key): Write => ({ kind: 'remove', collection: jobTimerRows, key })),
      ...(row.at === null
        ? []
        : [{ kind: 'remove' as const, collection: jobWorkRows, key: workKey({ ...row, at: row.at }) }]),
    ],
  };
}

function workWrites(before: JobRow | undefined, after: JobRow): Write[] {
  const was = before === undefined || before.at === null ? undefined : workKey({ ...before, at: before.at });
  const is = after.at === null ? undefined : workKey({ ...after, at: after.at });
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  const writes: Write[] = [];
  if (was !== undefined) writes.push({ kind: 'remove', collection: jobWorkRows, key: was });
  if (is !== undefined) writes.push({ kind: 'put', collection: jobWorkRows, key: is, value: workItem(after) });
  return writes;
}

function indexKeys({ id, created, status, outcome, role, parent, labels, workspace }: JobRow): Key[] {
  return [
    ['all', created, id],
    ['status', status, outcome ?? '', created, id],
    ['role', role, created, id],
    ...(parent === undefined ? [] : [['parent', parent.job, created, id]]),
    ...labels.map((label) => ['label', label, created, id]),
    ...(workspace === undefined ? [] : [['workspace', workspace, created, id]]),
  ];
}

function timerKeys({ id, timers }: JobRow): Key[] {
  return Object.entries(timers as Record<keyof JobTimers, number | undefined>).flatMap(([what, due]) =>
    due === undefined ? [] : [[due, id, what]],
  );
}

function difference(before: readonly Key[], after: readonly Key[], collection: Write['collection']): Write[] {
  const names = (keys: readonly Key[]): Set<string> => new Set(keys.map((key) => JSON.stringify(key)));
  const had = names(before);
  const has = names(after);
  return [
    ...before.filter((key) => !has.has(JSON.stringify(key))).map((key): Write => ({ kind: 'remove', collection, key })),
    ...after
      .filter((key) => !had.has(JSON.stringify(key)))
      .map((key): Write => ({ kind: 'put', collection, key, value: null })),
  ];
}

function eventWrite(id: string, number: number, value: JobEventRow): Write {
  return { kind: 'put', collection: jobEventRows, key: [id, number], value };
}
