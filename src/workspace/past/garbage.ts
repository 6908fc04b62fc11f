// Cleaning up: commits, what they were made of, and durable objects, by one rule. What a kept commit can show stays.
import { unlessRemoved, type RetentionPolicy } from '../../history/door.ts';
import { collectObjects, type CollectReport } from '../../objects/door.ts';
import { scanAll, type Revision } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { dropExpiredOutcomes } from '../futures/call-cache.ts';
import { dropLists, neededByCommits, objectsHeld } from './object-roots.ts';
import { heldRows, workspaceRows } from '../rows.ts';
import { trimWorkspace } from './trim.ts';

/** What `kit.gc` keeps, and how it reports. */
export interface KitGcOptions {
  /** Applied to the commits of every workspace first; a function may choose by workspace, undefined leaves one alone. */
  readonly retention?: RetentionPolicy | ((workspace: string) => RetentionPolicy | undefined) | undefined;
  /** Called as the work goes on. */
  readonly onProgress?:
    | ((progress: {
        readonly phase: 'retention' | 'packs' | 'boots';
        readonly done: number;
        readonly total: number;
      }) => void)
    | undefined;
  /** Stops between two transactions. */
  readonly signal?: AbortSignal | undefined;
  /** How long an object that nothing leads to is kept after that was first seen; default: an hour. */
  readonly graceMilliseconds?: number | undefined;
}

/** What `kit.gc` has done: commits and what they were made of, durable objects, old versions of objects. */
export interface KitGcReport {
  readonly commitsDropped: number;
  readonly packsRemoved: number;
  readonly bootsRemoved: number;
  readonly bytesFreed: number;
  /** Packs of dropped commits that kept commits are still rebuilt from. */
  readonly packsStillNeeded: number;
  /** Steps, console lines, outcomes and records of jobs that belonged only to commits that were dropped, and cached results that have expired. */
  readonly rowsRemoved: number;
  readonly objects: CollectReport;
  /** The oldest revision at which objects can be read; undefined if versions were left alone. */
  readonly horizon: Revision | undefined;
}

const day = 24 * 3_600_000;

export async function collectGarbage(
  context: WorkspaceContext,
  { graceMilliseconds, ...options }: KitGcOptions,
): Promise<KitGcReport> {
  const report = await context.history.gc(options);
  const trimmed = options.retention === undefined ? 0 : await trimAll(context, options.signal);
  const rowsRemoved = trimmed + (await dropExpiredOutcomes(context));
  const { lists, oldest } = await neededByCommits(context);
  await dropLists(context, lists);
  await context.objects.plainWrites.settle();
  const objects = await collectObjects(context.objects, {
    roots: () => objectsHeld(context),
    rootsIn: [heldRows],
    clock: context.clock,
    ...(graceMilliseconds === undefined ? {} : { graceMilliseconds }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  // Reads of the past reach as far back as the oldest commit that is kept.
  const horizon =
    options.retention === undefined || oldest === undefined ? undefined : await context.store.prune(oldest);
  return { ...report, rowsRemoved, objects, horizon };
}

/**
 * Applies retention to every workspace, and nothing else: commits, what belonged to them, and versions of objects that are older than
 * all that is kept. Followers can still continue from a day ago.
 */
export async function applyRetention(
  context: WorkspaceContext,
  policyOf: (workspace: string) => Promise<RetentionPolicy | undefined>,
): Promise<Pick<KitGcReport, 'commitsDropped' | 'rowsRemoved' | 'bytesFreed'>> {
  const { history, store, clock } = context;
  let commitsDropped = 0;
  let rowsRemoved = await dropExpiredOutcomes(context);
  for await (const { value } of scanAll(store, workspaceRows, {})) {
    const policy = await policyOf(value.id);
    if (policy === undefined) continue;
    const retained = await unlessRemoved(() => history.retain(value.id, policy));
    if (retained === undefined || retained.dropped === 0) continue;
    commitsDropped += retained.dropped;
    rowsRemoved += (await unlessRemoved(() => trimWorkspace(context, value))) ?? 0;
  }
  if (commitsDropped === 0) return { commitsDropped, rowsRemoved, bytesFreed: 0 };
  const { bytesFreed } = await history.gc();
  const { lists, oldest, oldestTime } = await neededByCommits(context);
  await dropLists(context, lists);
  if (oldest !== undefined && (oldestTime ?? Infinity) < clock.now() - day) await store.prune(oldest);
  return { commitsDropped, rowsRemoved, bytesFreed };
}

async function trimAll(context: WorkspaceContext, signal: AbortSignal | undefined): Promise<number> {
  let removed = 0;
  for await (const { value } of scanAll(context.store, workspaceRows, {})) {
    signal?.throwIfAborted();
    removed += (await unlessRemoved(() => trimWorkspace(context, value))) ?? 0;
  }
  return removed;
}
