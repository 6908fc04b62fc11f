// Messages and notices for a job. They wait in its inbox until its driver is asked the next time.
import { emptyPart, scanAll, type TransactionPart, type Write } from '../../store/door.ts';
import type { WireMessage } from '../../workspace/door.ts';
import { updateJob, placeFrom } from './job-changes.ts';
import { jobInboxRows, type InboxRow, type JobRow, type JobUpdate } from '../rows.ts';
import type { JobMessage } from '../driver.ts';
import type { JobSystem } from '../system.ts';

/** The message a new job begins with. */
export function firstMessage(id: string, body: WireMessage | undefined, time: number): Write[] {
  if (body === undefined) return [];
  const value: InboxRow = { number: 1, kind: 'message', body, time };
  return [{ kind: 'put', collection: jobInboxRows, key: [id, 1], value }];
}

/** The writes that put something into a job's inbox and wake it; a job that is completed may be started again by it. */
export async function delivery(
  system: JobSystem,
  id: string,
  item: Pick<InboxRow, 'kind' | 'body' | 'from' | 'key'>,
  also: JobUpdate = {},
  reopens: 'completed' | 'any' = 'completed',
): Promise<TransactionPart> {
  const known = await system.read(id);
  if (known === undefined) return emptyPart;
  const { row } = known;
  const now = system.clock.now();
  const number = row.messages.next;
  const { from, ...rest } = item;
  const value: InboxRow = { ...rest, number, time: now, ...(from === undefined ? {} : { from }) };
  const isReopened = await canReopen(system, row, reopens);
  const isAwake = row.status !== 'DONE' && row.paused !== true;
  const { checks, writes } = updateJob(
    known,
    {
      ...also,
      messages: { ...row.messages, next: number + 1 },
      ...(isReopened ? reopening(row, now) : {}),
      ...(isAwake ? { at: row.at ?? placeFrom(row, now) } : {}),
    },
    [{ kind: item.kind, data: { number } }, ...(isReopened ? [{ kind: 'reopened' as const }] : [])],
    now,
  );
  return { checks, writes: [...writes, { kind: 'put', collection: jobInboxRows, key: [id, number], value }] };
}

/** Whether a message starts it again, after a result or after any end. The process that works on it may be another one. */
export async function canReopen(
  system: JobSystem,
  row: JobRow,
  after: 'completed' | 'any' = 'completed',
): Promise<boolean> {
  const { status, outcome, deleting, role } = row;
  if (status !== 'DONE' || deleting === true || (after === 'completed' && outcome !== 'completed')) return false;
  const driver = system.drivers.get(role) ?? system.roles.get(role);
  if (driver !== undefined) return driver.reopens === true;
  await system.roles.look();
  return system.roles.get(role)?.reopens === true;
}

/** The job goes on where it was; its limits count from here. */
export function reopening(row: JobRow, now: number): JobUpdate {
  const { purge: _purge, ...timers } = row.timers;
  return {
    status: 'STARTED',
    outcome: undefined,
    result: undefined,
    error: undefined,
    ended: undefined,
    action: { kind: 'wait' },
    late: undefined,
    overdue: undefined,
    interrupted: undefined,
    turns: 0,
    at: row.at ?? placeFrom(row, now),
    timers,
  };
}

/** Whether a message with this key was put into the inbox before: by its sender, or as the `id` of its body. */
export async function wasSaid(system: JobSystem, id: string, key: string): Promise<boolean> {
  for await (const { value } of scanAll(system.store, jobInboxRows, { prefix: [id] })) {
    if (value.kind !== 'message') continue;
    if (value.key === key) return true;
    const body = system.shared.decode(value.body);
    if (typeof body === 'object' && body !== null && (body as { id?: unknown }).id === key) return true;
  }
  return false;
}

export async function unreadMessages(system: JobSystem, { id, messages }: JobRow): Promise<JobMessage[]> {
  if (messages.next - 1 <= messages.read) return [];
  const { entries } = await system.store.scan(
    jobInboxRows,
    { from: [id, messages.read + 1], to: [id, messages.next] },
    { limit: 1000 },
  );
  return entries.map(({ value }) => messageOf(system, value));
}

export function messageOf(system: JobSystem, { number, kind, body, from, time }: InboxRow): JobMessage {
  return { number, kind, body: system.shared.decode(body), from, time: new Date(time) };
}
