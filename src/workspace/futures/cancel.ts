// Futures that nobody waits for any more: after going back, when a step is dropped or undone, and when a job ends.
import { mergeParts, type Check, type Entry, type TransactionPart, type Write } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { CancelledError } from '../errors.ts';
import { isWhole, offloadText } from '../large-texts.ts';
import { futureRows, mayBeMade, outcomeFor, waitersOf, type FutureReference, type FutureRow } from '../rows.ts';
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

/**
 * Ends waits of a workspace with an error, so that its program can clean up. Forks and origins that share one wait on, but for calls
 * that are this workspace's to make: those end for all, because nobody else makes them.
 */
export async function rejections(
  { store, owners }: Pick<WorkspaceContext, 'store' | 'owners'>,
  workspace: string,
  references: readonly FutureReference[],
  error: Error,
  now: number,
): Promise<TransactionPart> {
  const keys = references.map(({ workspace: origin, number }) => [origin, number]);
  const entries = keys.length === 0 ? [] : await store.read(futureRows, keys);
  const open = entries.flatMap((entry) =>
    entry === undefined || outcomeFor(workspace, entry.value) !== undefined ? [] : [entry],
  );
  const outcome = { failed: true, value: encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined }) };
  const told: string[] = [];
  const writes = open.flatMap(({ key, value }): Write[] => {
    const others = waitersOf(value).filter((waiter) => waiter !== workspace);
    const isMadeHere = value.workspace === workspace && value.kind === 'call' && mayBeMade(value);
    const place = { kind: 'put', collection: futureRows, key } as const;
    if (others.length > 0 && !isMadeHere)
      return [{ ...place, value: { ...value, left: [...(value.left ?? []), { workspace, outcome }] } }];
    told.push(...others);
    return [{ ...place, value: { ...value, state: 'cancelled', outcome, settled: now } }, ...withdrawal(value)];
  });
  const wakes = told.length === 0 ? [] : [...(await owners.wake(told, now)).values()];
  return mergeParts({ checks: unchangedFutures(open), writes }, ...wakes);
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
