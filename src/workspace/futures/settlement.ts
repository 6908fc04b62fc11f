// What settles a future: its outcome, and whatever wakes those who wait for it.
import { mergeParts, type TransactionPart, type Write } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { offloadText } from '../large-texts.ts';
import { withdrawnFromPeople } from './questions.ts';
import { futureRows, type FutureOutcome, type FutureRow } from '../rows.ts';

/** The checks and writes that settle a future and wake everyone who waits for it. */
export async function settlement(
  context: WorkspaceContext,
  future: FutureRow,
  outcome: FutureOutcome,
): Promise<TransactionPart> {
  const [also] = await settlements(context, [{ future, outcome }]);
  return also as TransactionPart;
}

/** The same for many, each for a transaction of its own. */
export async function settlements(
  { owners, clock }: Pick<WorkspaceContext, 'owners' | 'clock'>,
  settled: readonly { readonly future: FutureRow; readonly outcome: FutureOutcome }[],
): Promise<TransactionPart[]> {
  const now = clock.now();
  const woken = settled.map(({ future }) => [future.workspace, ...future.sharedWith]);
  const wakes = await owners.wake(woken.flat(), now);
  return settled.map(({ future, outcome }, index) => {
    const others = (woken[index] ?? []).flatMap((id) => wakes.get(id) ?? []);
    return mergeParts({ writes: settledFuture(future, outcome, now) }, ...others);
  });
}

/** What records the outcome of a future, for whoever takes part in the commit that asks for it: nobody has to be woken. */
export function settledFuture(future: FutureRow, outcome: FutureOutcome, now: number): Write[] {
  const { workspace, number } = future;
  const { text, writes } = offloadText(workspace, outcome.value);
  const value: FutureRow = { ...future, state: 'settled', outcome: { ...outcome, value: text }, settled: now };
  return [
    { kind: 'put', collection: futureRows, key: [workspace, number], value },
    ...writes,
    ...withdrawnFromPeople(future),
  ];
}
