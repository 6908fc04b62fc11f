// Cancelling: what the program waits for is rejected, so that its `finally` blocks run, for a while; then it is over.
import type { Check, Write } from '../../store/store.ts';
import { errorMessage } from '../../workspace/futures/arrivals.ts';
import { withdrawal } from '../../workspace/futures/registration.ts';
import { CancelledError } from '../../workspace/errors.ts';
import { futureRows, type FutureReference, type FutureRow } from '../../workspace/rows.ts';
import type { PlannedChange } from './ending.ts';
import type { JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { workspaceOf } from './turns.ts';

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
  const own = waiting.filter(({ workspace }) => workspace === workspaceOf(row));
  const entries =
    own.length === 0
      ? []
      : await system.store.read(
          futureRows,
          own.map(({ workspace, number }) => [workspace, number]),
        );
  const checks: Check[] = [];
  const writes: Write[] = [];
  const reason = row.cancelling?.reason ?? '';
  for (const entry of entries) {
    if (entry === undefined || entry.value.outcome !== undefined) continue;
    const { key, revision } = entry;
    const error = new CancelledError(`The job was cancelled${reason === '' ? '' : `: ${reason}`}`);
    const outcome = { failed: true, value: errorMessage(error) };
    const value: FutureRow = { ...entry.value, state: 'cancelled', outcome, settled: now };
    checks.push({ kind: 'revision', collection: futureRows, key, revision });
    writes.push({ kind: 'put', collection: futureRows, key, value }, ...withdrawal(entry.value));
  }
  return {
    change: { cancelling: { reason, until, slices: 0 }, timers: { ...row.timers, wake: until } },
    events: [],
    also: { checks, writes },
  };
}

export function isCleanupOver({ cancelling }: JobRow, now: number): boolean {
  return cancelling?.until !== undefined && (cancelling.until <= now || (cancelling.slices ?? 0) > cleanupSlices);
}
