// Futures that nobody waits for any more after going back.
import type { Check, Write } from '../../store/store.ts';
import type { WorkspaceContext } from '../context.ts';
import { CancelledError } from '../errors.ts';
import { futureRows, type FutureReference, type FutureRow } from '../rows.ts';
import { encodeWire } from '../wire/encode.ts';

export interface Cancellations {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
}

/**
 * Cancels futures of a workspace that have no outcome and that no fork shares. If the program ever goes back to where it
 * waited for one, the wait ends with this error. A call that is under way still records what came of it.
 */
export async function cancellations(
  { store }: WorkspaceContext,
  workspace: string,
  references: readonly FutureReference[],
): Promise<Cancellations> {
  const own = references.filter((reference) => reference.workspace === workspace);
  const keys = own.map(({ number }) => [workspace, number]);
  const entries = keys.length === 0 ? [] : await store.read(futureRows, keys);
  const checks: Check[] = [];
  const writes: Write[] = [];
  for (const entry of entries) {
    if (entry === undefined || entry.value.outcome !== undefined || entry.value.sharedWith.length > 0) continue;
    const { key, revision } = entry;
    const outcome = { failed: true, value: cancelled(entry.value) };
    const value: FutureRow = { ...entry.value, state: 'cancelled', outcome };
    // An outcome that comes at this moment must not be lost.
    checks.push({ kind: 'revision', collection: futureRows, key, revision });
    writes.push({ kind: 'put', collection: futureRows, key, value });
  }
  return { checks, writes };
}

function cancelled({ label }: FutureRow): string {
  const error = new CancelledError(
    `The wait for ${label} was cancelled when the workspace went back to an older commit.`,
  );
  return encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined });
}
