// Cleaning up: commits, what they were made of, and durable objects, by one rule. What a kept commit can show stays.
import type { GcOptions, GcReport } from '../../history/history.ts';
import { collectObjects, type CollectReport } from '../../objects/collecting/collect.ts';
import type { Revision } from '../../store/store.ts';
import type { WorkspaceContext } from '../context.ts';
import { dropLists, neededByCommits, objectsHeld } from './object-roots.ts';
import { heldRows } from '../rows.ts';

export interface KitGcOptions extends GcOptions {
  /** How long an object that nothing leads to is kept after that was first seen; default: one hour. */
  readonly graceMilliseconds?: number | undefined;
}

export interface KitGcReport extends GcReport {
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
