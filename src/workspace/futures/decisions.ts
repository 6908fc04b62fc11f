// Somebody agrees or does not: to what a program asked, to a call before it is made, or to making a call again of which
// nobody knows whether it was made.
import type { WorkspaceContext } from '../context.ts';
import { errorMessage } from './arrivals.ts';
import { DeniedError, NotFoundError, OutcomeUnknownError, WorkspaceStateError } from '../errors.ts';
import { commitWithRetry, mergeParts, type TransactionPart } from '../../store/door.ts';
import { decisionOf, futureRows, parseFutureId, type CallRow, type Decision, type FutureRow } from '../rows.ts';
import { isUndecided, withdrawnFromPeople, type Decidable } from './questions.ts';
import { refuseOver } from './refuse-over.ts';
import { settlement } from './settlement.ts';
import { trueMessage } from '../wire/wire.ts';

export interface DecisionOptions {
  /** Who decided. */
  readonly by?: string | undefined;
  readonly comment?: string | undefined;
}

const maxTries = 20;

/** The first decision counts; a second one is an error. It may come from any process, at any time. */
export async function decide(
  context: WorkspaceContext,
  id: string,
  approved: boolean,
  { by, comment }: DecisionOptions,
): Promise<void> {
  const reference = parseFutureId(id);
  await commitWithRetry(
    context.store,
    maxTries,
    async () => {
      const [entry] =
        reference === undefined ? [] : await context.store.read(futureRows, [[reference.workspace, reference.number]]);
      if (entry === undefined) throw new NotFoundError(`There is nothing to decide under '${id}'.`, { id });
      const future = entry.value;
      await refuseOver(context, future);
      if (!isUndecided(future))
        throw new WorkspaceStateError(
          `There is nothing to decide under '${id}': ${future.label} ${whyNothing(future)}.`,
          { id, decision: decisionOf(future) },
        );
      const decision: Decision = {
        approved,
        time: context.clock.now(),
        ...(by === undefined ? {} : { by }),
        ...(comment === undefined ? {} : { comment }),
      };
      const { key, revision } = entry;
      return mergeParts(
        { checks: [{ kind: 'revision', collection: futureRows, key, revision }] },
        await changesOf(context, future, decision),
      );
    },
    () => new WorkspaceStateError(`'${id}' is being changed by others; try again.`, { id }),
  );
}

function whyNothing(future: FutureRow): string {
  if (future.outcome !== undefined) return 'is over';
  return decisionOf(future) === undefined ? 'needs no approval' : 'has been decided already';
}

async function changesOf(context: WorkspaceContext, future: Decidable, decision: Decision): Promise<TransactionPart> {
  const decided = { ...future, decision };
  if (!decision.approved) return settlement(context, decided, { failed: true, value: errorMessage(refusal(decided)) });
  if (decided.kind === 'approve') return settlement(context, decided, { failed: false, value: trueMessage });
  const { doubt: _doubt, approval, ...rest } = decided;
  const released: CallRow = { ...rest, state: 'waiting', ...(approval === undefined ? {} : { approval: 'given' }) };
  const wakes = await context.owners.wake([future.workspace, ...future.sharedWith], decision.time);
  return mergeParts(
    {
      writes: [
        { kind: 'put', collection: futureRows, key: [future.workspace, future.number], value: released },
        ...withdrawnFromPeople(future),
      ],
    },
    ...wakes.values(),
  );
}

function refusal({ label, decision, ...future }: Decidable): Error {
  const why = decision?.comment === undefined ? '' : `: ${decision.comment}`;
  const who = decision?.by ?? 'somebody';
  return future.kind === 'call' && future.doubt === true
    ? new OutcomeUnknownError(
        `Nobody knows what came of ${label}: it may have had its effect or not, and ${who} decided against another attempt${why}`,
      )
    : new DeniedError(`Denied by ${who}, ${label}${why}`);
}
