// Cleaning up: commits, what they were made of, and durable objects, by one rule. What a kept commit can show stays.
import type { RetentionPolicy } from '../../history/door.ts';
import { collectObjects, type CollectReport } from '../../objects/door.ts';
import type { Revision } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { dropLists, neededByCommits, objectsHeld } from './object-roots.ts';
import { heldRows } from '../rows.ts';

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
  readonly objects: CollectReport;
  /** The oldest revision at which objects can be read; undefined if versions were left alone. */
  readonly horizon: Revision | undefined;
}

export async function collectGarbage(
  context: WorkspaceContext,
  { graceMilliseconds, ...options }: KitGcOptions,
): Promise<KitGcReport> {
  const report = await context.history.gc(options);
  const { lists, oldest } = await neededByCommits(context);
  await dropLists(context, lists);
  await context.objects.turns.settle();
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
  return { ...report, objects, horizon };
}
