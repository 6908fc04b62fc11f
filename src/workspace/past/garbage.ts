// Cleaning up: commits, what they were made of, and durable objects, by one rule. What a kept commit can show stays.
import { Damages, unlessRemoved, type RetentionPolicy } from '../../history/door.ts';
import { collectObjects, type CollectReport } from '../../objects/door.ts';
import { scanUndamaged, type Revision } from '../../store/door.ts';
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
  /**
   * What is damaged. Its programs were left as they are. Objects that only they may hold are not known, so no objects were collected and no
   * versions forgotten.
   */
  readonly damaged: readonly string[];
}

const day = 24 * 3_600_000;

export async function collectGarbage(
  context: WorkspaceContext,
  { graceMilliseconds, ...options }: KitGcOptions,
): Promise<KitGcReport> {
  const damages = new Damages();
  const report = await context.history.gc(options);
  const trimmed = options.retention === undefined ? 0 : await trimAll(context, damages, options.signal);
  const rowsRemoved = trimmed + ((await damages.past(() => dropExpiredOutcomes(context))) ?? 0);
  await context.objects.plainWrites.settle();
  // A program that cannot be read may hold any object, so as long as there is one, none is collected and no version is forgotten.
  const rest = await damages.past(async () => {
    const { lists, oldest } = await neededByCommits(context);
    await dropLists(context, lists);
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
    return { objects, horizon };
  });
  const { objects, horizon } = rest ?? {
    objects: nothingCollected(await context.store.revision()),
    horizon: undefined,
  };
  return {
    ...report,
    rowsRemoved,
    objects,
    horizon,
    damaged: [...new Set([...report.damaged, ...damages.messages])],
  };
}

/**
 * Applies retention to every workspace, and nothing else: commits, what belonged to them, and versions of objects that are older than
 * all that is kept. Followers can still continue from a day ago.
 */
export async function applyRetention(
  context: WorkspaceContext,
  policyOf: (workspace: string) => Promise<RetentionPolicy | undefined>,
): Promise<Pick<KitGcReport, 'commitsDropped' | 'rowsRemoved' | 'bytesFreed' | 'damaged'>> {
  const { history, store, clock } = context;
  const damages = new Damages();
  let commitsDropped = 0;
  let rowsRemoved = (await damages.past(() => dropExpiredOutcomes(context))) ?? 0;
  for await (const { value } of scanUndamaged(store, workspaceRows, {}, damages.note)) {
    const policy = await policyOf(value.id);
    if (policy === undefined) continue;
    await damages.past(async () => {
      const retained = await unlessRemoved(() => history.retain(value.id, policy));
      if (retained === undefined || retained.dropped === 0) return;
      commitsDropped += retained.dropped;
      rowsRemoved += (await unlessRemoved(() => trimWorkspace(context, value))) ?? 0;
    });
  }
  if (commitsDropped === 0) return { commitsDropped, rowsRemoved, bytesFreed: 0, damaged: damages.messages };
  const { bytesFreed, damaged } = await history.gc();
  // As above: what a program that cannot be read needs is not known.
  await damages.past(async () => {
    const { lists, oldest, oldestTime } = await neededByCommits(context);
    await dropLists(context, lists);
    if (oldest !== undefined && (oldestTime ?? Infinity) < clock.now() - day) await store.prune(oldest);
  });
  return { commitsDropped, rowsRemoved, bytesFreed, damaged: [...new Set([...damaged, ...damages.messages])] };
}

async function trimAll(context: WorkspaceContext, damages: Damages, signal: AbortSignal | undefined): Promise<number> {
  let removed = 0;
  for await (const { value } of scanUndamaged(context.store, workspaceRows, {}, damages.note)) {
    signal?.throwIfAborted();
    removed += (await damages.past(() => unlessRemoved(() => trimWorkspace(context, value)))) ?? 0;
  }
  return removed;
}

function nothingCollected(revision: Revision): CollectReport {
  return {
    revision,
    live: 0,
    condemned: 0,
    pardoned: 0,
    removed: 0,
    deferred: 0,
    removedRows: 0,
    removedIndexEntries: 0,
    danglingReferences: { count: 0, examples: [] },
    problems: { count: 0, examples: [] },
  };
}
