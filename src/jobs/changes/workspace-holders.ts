// Which job holds a workspace that jobs are given. One job at a time holds it; others wait in a queue that is kept in the store, in
// the order in which they came. It is passed on in the commit that ends the job which holds it, so there is no moment at which
// nobody would wake the next one.
import { after } from '../../base/clock.ts';
import {
  emptyPart,
  StoreConflictError,
  type Check,
  type Store,
  type TransactionPart,
  type Write,
} from '../../store/door.ts';
import { WorkspaceTakenError } from '../../workspace/door.ts';
import { updateJob, placeFrom, type KnownJob } from './job-changes.ts';
import {
  jobRows,
  workspaceQueueRows,
  workspaceHolderRows,
  type JobRow,
  type JobUpdate,
  type WorkspaceHolderRow,
} from '../rows.ts';
import type { JobSystem } from '../system.ts';

const maxTries = 50;
const retryMilliseconds = 20;

/** The workspace a job runs in. */
export function workspaceOf({ id, workspace }: Pick<JobRow, 'id' | 'workspace'>): string {
  return workspace ?? id;
}

/** Whether the job may use its workspace now. */
export function holdsWorkspace({ workspace, turn }: Pick<JobRow, 'workspace' | 'turn'>): boolean {
  return workspace === undefined || turn === 'held';
}

/** What makes a job the holder of a workspace, or gives it a place in the queue for it. */
export async function takeWorkspace(
  { store }: JobSystem,
  id: string,
  workspace: string,
): Promise<{ readonly turn: 'held' | number; readonly also: TransactionPart }> {
  const [entry] = await store.read(workspaceHolderRows, [[workspace]]);
  const { holder, next } = entry?.value ?? { holder: null, next: 1 };
  if (holder === id) return { turn: 'held', also: { checks: [unchanged(workspace, entry)], writes: [] } };
  if (holder === null)
    return {
      turn: 'held',
      also: { checks: [unchanged(workspace, entry)], writes: [put(workspace, { holder: id, next })] },
    };
  return {
    turn: next,
    also: {
      checks: [unchanged(workspace, entry)],
      writes: [
        put(workspace, { holder, next: next + 1 }),
        { kind: 'put', collection: workspaceQueueRows, key: [workspace, next], value: { job: id } },
      ],
    },
  };
}

/** What an ended job leaves: its place in the queue, or the workspace, which the next in the queue gets. */
export async function passWorkspaceOn(
  system: JobSystem,
  { id, workspace, turn }: JobRow,
  now: number,
): Promise<{ readonly change: JobUpdate; readonly also: TransactionPart }> {
  const nothing = emptyPart;
  if (workspace === undefined || turn === undefined) return { change: {}, also: nothing };
  const change: JobUpdate = { turn: undefined };
  if (turn !== 'held')
    return {
      change,
      also: { checks: [], writes: [{ kind: 'remove', collection: workspaceQueueRows, key: [workspace, turn] }] },
    };
  const { store } = system;
  const [entry] = await store.read(workspaceHolderRows, [[workspace]]);
  if (entry?.value.holder !== id) return { change, also: nothing };
  const checks: Check[] = [unchanged(workspace, entry)];
  const writes: Write[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.scan(workspaceQueueRows, { prefix: [workspace] }, { limit: 10, cursor });
    for (const { key, value } of page.entries) {
      writes.push({ kind: 'remove', collection: workspaceQueueRows, key });
      const next = await system.read(value.job);
      // A job that has ended took its place away itself; this is for what was left behind in another way.
      if (next === undefined || next.row.status === 'DONE' || next.row.turn !== key[1]) continue;
      const at = next.row.paused === true ? null : (next.row.at ?? placeFrom(next.row, now));
      const given = updateJob(next, { turn: 'held', at }, [], now);
      return {
        change,
        also: {
          checks: [...checks, ...given.checks],
          writes: [...writes, ...given.writes, put(workspace, { ...entry.value, holder: next.row.id })],
        },
      };
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { change, also: { checks, writes: [...writes, put(workspace, { ...entry.value, holder: null })] } };
}

/** The job that holds each workspace. Workspaces that no job was given have none. */
export async function holdersOf(store: Store, workspaces: readonly string[]): Promise<(string | undefined)[]> {
  const entries =
    workspaces.length === 0
      ? []
      : await store.read(
          workspaceHolderRows,
          workspaces.map((workspace) => [workspace]),
        );
  return entries.map((entry) => entry?.value.holder ?? undefined);
}

/** The job that uses each workspace: the one that holds it, or the one whose own it is. */
export async function usersOf(store: Store, workspaces: readonly string[]): Promise<(KnownJob | undefined)[]> {
  const keys = workspaces.map((workspace) => [workspace]);
  const [holders, own] = await Promise.all([holdersOf(store, workspaces), store.read(jobRows, keys)]);
  const others = holders.flatMap((holder, index) =>
    holder === undefined || holder === workspaces[index] ? [] : [holder],
  );
  const read =
    others.length === 0
      ? []
      : await store.read(
          jobRows,
          others.map((id) => [id]),
        );
  const byId = new Map(read.flatMap((entry) => (entry === undefined ? [] : [[entry.value.id, entry] as const])));
  return workspaces.map((workspace, index) => {
    const holder = holders[index];
    const named = own[index];
    const entry =
      holder === undefined
        ? named?.value.workspace === undefined
          ? named
          : undefined
        : holder === workspace
          ? named
          : byId.get(holder);
    return entry && { row: entry.value, revision: entry.revision };
  });
}

/**
 * Makes a workspace one that jobs can be given. If it is a job's own, that job holds it until it ends, and queues
 * like any other when it is started again; until then whoever runs it must have let go of it.
 */
export async function shareWorkspace(
  system: JobSystem,
  workspace: string,
  patience = system.workspaces.context.leases.leaseMilliseconds * 2,
): Promise<void> {
  const { store, clock } = system;
  const started = performance.now();
  for (let tries = 0; tries < maxTries;) {
    const known = await system.read(workspace);
    if (known === undefined || known.row.workspace !== undefined || known.row.deleting === true) return;
    if (known.row.at !== null) {
      if (performance.now() - started > patience)
        throw new WorkspaceTakenError(
          `The workspace '${workspace}' is the job's of the same name, which is at work (${known.row.status}). Wait until it waits or is over.`,
          { workspace },
        );
      await new Promise<void>((resolve) => after(clock, retryMilliseconds, resolve));
      continue;
    }
    tries++;
    const isOver = known.row.status === 'DONE';
    const change: JobUpdate = { workspace, ...(isOver ? {} : { turn: 'held' as const }) };
    const { checks, writes } = updateJob(known, change, [], clock.now());
    const [result] = await store.commit([
      {
        checks: [...checks, unchanged(workspace, undefined)],
        writes: [...writes, put(workspace, { holder: isOver ? null : workspace, next: 1 })],
      },
    ]);
    if (result?.status === 'committed') return;
  }
  throw new StoreConflictError(`The job '${workspace}' is being changed by others; try again.`, { id: workspace });
}

function put(workspace: string, value: WorkspaceHolderRow): Write {
  return { kind: 'put', collection: workspaceHolderRows, key: [workspace], value };
}

function unchanged(workspace: string, entry: { readonly revision: number } | undefined): Check {
  return entry === undefined
    ? { kind: 'absent', collection: workspaceHolderRows, key: [workspace] }
    : { kind: 'revision', collection: workspaceHolderRows, key: [workspace], revision: entry.revision };
}
