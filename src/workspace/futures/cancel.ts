// Futures that nobody waits for any more: after going back, when a step is dropped or undone, and when a job ends.
import type { Check, Entry, Store, TransactionPart, Write } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { CancelledError } from '../errors.ts';
import { isWhole, offloadText } from '../large-texts.ts';
import { futureRows, type FutureReference, type FutureRow } from '../rows.ts';
import { decodeWire } from '../wire/decode.ts';
import { encodeWire } from '../wire/encode.ts';
import { withdrawal } from './registration.ts';
import { undefinedMessage } from '../wire/wire.ts';

/**
 * Cancels futures of a workspace that have no outcome and that no fork shares. If the program ever goes back to where it
 * waited for one, the wait ends with an error that says why. A call that is under way still records what came of it.
 */
export async function cancellations(
  { store }: Pick<WorkspaceContext, 'store'>,
  workspace: string,
  references: readonly FutureReference[],
  why: string,
): Promise<TransactionPart> {
  const own = references.filter((reference) => reference.workspace === workspace);
  const keys = own.map(({ number }) => [workspace, number]);
  const entries = keys.length === 0 ? [] : await store.read(futureRows, keys);
  const checks: Check[] = [];
  const writes: Write[] = [];
  for (const entry of entries) {
    if (entry === undefined || entry.value.outcome !== undefined || entry.value.sharedWith.length > 0) continue;
    const { key, revision, value } = entry;
    // An outcome that comes at this moment must not be lost.
    checks.push({ kind: 'revision', collection: futureRows, key, revision });
    writes.push(...cancellation(value, why));
  }
  return { checks, writes };
}

/** Ends waits with an error, so that the program can clean up. Forks that share a wait see it end, too. */
export async function rejections(
  store: Store,
  references: readonly FutureReference[],
  error: Error,
  now: number,
): Promise<TransactionPart> {
  const keys = references.map(({ workspace, number }) => [workspace, number]);
  const entries = keys.length === 0 ? [] : await store.read(futureRows, keys);
  const open = entries.flatMap((entry) => (entry === undefined || entry.value.outcome !== undefined ? [] : [entry]));
  const outcome = { failed: true, value: encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined }) };
  return {
    checks: unchangedFutures(open),
    writes: open.flatMap(({ key, value }) => [
      {
        kind: 'put',
        collection: futureRows,
        key,
        value: { ...value, state: 'cancelled', outcome, settled: now } satisfies FutureRow,
      },
      ...withdrawal(value),
    ]),
  };
}

/** Futures that must still be as they were read. */
export function unchangedFutures(entries: readonly (Entry<FutureRow> | undefined)[]): Check[] {
  return entries.flatMap((entry) =>
    entry === undefined ? [] : [{ kind: 'revision', collection: futureRows, key: entry.key, revision: entry.revision }],
  );
}

/** What cancels one future; `why` completes the sentence `pay(…) was cancelled: …`. */
export function cancellation(future: FutureRow, why: string): Write[] {
  const { workspace, number, label } = future;
  const error = new CancelledError(`${label} was cancelled: ${why}`);
  const message = encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined });
  const asked =
    future.kind === 'call'
      ? { ...future, call: { ...future.call, parameters: offloadText(workspace, future.call.parameters).text } }
      : future;
  const value: FutureRow = { ...asked, state: 'cancelled', outcome: { failed: true, value: message } };
  return [{ kind: 'put', collection: futureRows, key: [workspace, number], value }, ...withdrawal(future)];
}

/** Why a future was cancelled, as a sentence. */
export function whyCancelled({ label, outcome }: FutureRow): string {
  // Messages of errors are short: none is kept elsewhere.
  const message = outcome && isWhole(outcome.value) ? outcome.value : undefinedMessage;
  const error = decodeWire(message, { handle: () => undefined, callback: () => undefined, maxBytes: 64 * 1024 });
  return error instanceof Error ? error.message : `${label} was cancelled.`;
}
