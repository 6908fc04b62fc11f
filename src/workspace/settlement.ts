// What settles a future: its outcome, and whatever wakes those who wait for it.
import type { Also } from './extension.ts';
import type { KitContext } from './context.ts';
import { keptText } from './large-texts.ts';
import { futureRows, type FutureRow } from './rows.ts';

type Outcome = NonNullable<FutureRow['outcome']>;

/** The checks and writes that settle a future and wake everyone who waits for it. */
export async function settlement(context: KitContext, future: FutureRow, outcome: Outcome): Promise<Also> {
  const [also] = await settlements(context, [{ future, outcome }]);
  return also as Also;
}

/** The same for many, each for a transaction of its own. */
export async function settlements(
  { extension, clock }: Pick<KitContext, 'extension' | 'clock'>,
  settled: readonly { readonly future: FutureRow; readonly outcome: Outcome }[],
): Promise<Also[]> {
  const now = clock.now();
  const woken = settled.map(({ future }) => [future.workspace, ...future.sharedWith]);
  const wakes = await extension.wake(woken.flat(), now);
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
