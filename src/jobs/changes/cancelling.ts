// Cancelling: what the program waits for is rejected, so that its `finally` blocks run, for a while; then it is over.
import { CancelledError, rejections, type FutureReference } from '../../workspace/door.ts';
import type { PlannedChange } from './ending.ts';
import type { JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { workspaceOf } from './workspace-holders.ts';

const cleanupMilliseconds = 30_000;
const cleanupSlices = 20;

/** Ends every wait of the program with a `CancelledError`. */
export async function beginCancelling(
  system: JobSystem,
  row: JobRow,
  waiting: readonly FutureReference[],
): Promise<PlannedChange> {
  const now = system.clock.now();
  const until = now + cleanupMilliseconds;
  const reason = row.cancelling?.reason ?? '';
  const error = new CancelledError(`The job was cancelled${reason === '' ? '' : `: ${reason}`}`);
  return {
    change: { cancelling: { reason, until, slices: 0 }, timers: { ...row.timers, wake: until } },
    events: [],
    also: await rejections(system.workspaces.context, workspaceOf(row), waiting, error, now),
  };
}

export function isCleanupOver({ cancelling }: JobRow, now: number): boolean {
  return cancelling?.until !== undefined && (cancelling.until <= now || (cancelling.slices ?? 0) > cleanupSlices);
}
