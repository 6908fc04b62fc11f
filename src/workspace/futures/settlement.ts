// What settles a future: its outcome, and whatever wakes those who wait for it.
import type { TransactionPart } from '../../store/transaction-part.ts';
import type { WorkspaceContext } from '../context.ts';
import { keptText } from '../large-texts.ts';
import { futureRows, type FutureRow } from '../rows.ts';

type Outcome = NonNullable<FutureRow['outcome']>;

/** The checks and writes that settle a future and wake everyone who waits for it. */
export async function settlement(
  context: WorkspaceContext,
  future: FutureRow,
  outcome: Outcome,
): Promise<TransactionPart> {
  const [also] = await settlements(context, [{ future, outcome }]);
  return also as TransactionPart;
}

/** The same for many, each for a transaction of its own. */
export async function settlements(
  { owners, clock }: Pick<WorkspaceContext, 'owners' | 'clock'>,
  settled: readonly { readonly future: FutureRow; readonly outcome: Outcome }[],
): Promise<TransactionPart[]> {
  const now = clock.now();
  const woken = settled.map(({ future }) => [future.workspace, ...future.sharedWith]);
  const wakes = await owners.wake(woken.flat(), now);
  return settled.map(({ future, outcome }, index) => {
    const others = (woken[index] ?? []).flatMap((id) => wakes.get(id) ?? []);
    const value = keptText(future.workspace, outcome.value);
    return {
      checks: others.flatMap(({ checks }) => checks),
      writes: [
        {
          kind: 'put',
          collection: futureRows,
          key: [future.workspace, future.number],
          value: { ...future, state: 'settled', outcome: { ...outcome, value: value.text }, settled: now },
        },
        ...value.writes,
        ...others.flatMap(({ writes }) => writes),
      ],
    };
  });
}
