// Futures that nobody waits for any more after going back.
import type { Write } from '../store/store.ts';
import type { KitContext } from './context.ts';
import { CancelledError } from './errors.ts';
import { futureRows, type FutureReference, type FutureRow } from './rows.ts';
import { encodeWire } from './wire-encode.ts';

/**
 * Cancels futures of a workspace that have no outcome and that no fork shares. If the program ever goes back to where it
 * waited for one, the wait ends with this error. A call that is under way still records what came of it.
 */
export async function cancellations(
  { store }: KitContext,
  workspace: string,
  references: readonly FutureReference[],
): Promise<Write[]> {
  const own = references.filter((reference) => reference.workspace === workspace);
  if (own.length === 0) return [];
  const entries = await store.read(
    futureRows,
    own.map(({ number }) => [workspace, number]),
  );
  return entries.flatMap((entry): Write[] => {
    if (entry === undefined || entry.value.outcome !== undefined || entry.value.sharedWith.length > 0) return [];
    const value: FutureRow = {
      ...entry.value,
      state: 'cancelled',
      outcome: { failed: true, value: cancelled(entry.value) },
    };
    return [{ kind: 'put', collection: futureRows, key: entry.key, value }];
  });
}

function cancelled({ label }: FutureRow): string {
  const error = new CancelledError(
    `The wait for ${label} was cancelled when the workspace went back to an older commit.`,
  );
  return encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined });
}
