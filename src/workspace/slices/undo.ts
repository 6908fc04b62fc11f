// All or nothing: the program as it was before a step began, even if the step has waited since then.
import { HistoryUnknownCommitError } from '../../history/door.ts';
import { cancellations } from '../futures/cancel.ts';
import type { SliceChange } from './slice-transaction.ts';
import type { WorkspaceContext } from '../context.ts';
import type { Loaded } from './loaded.ts';
import { futureId, metadataOf, type FutureReference, type StepRow } from '../rows.ts';

export interface Undone extends Pick<SliceChange, 'image' | 'futures' | 'state' | 'ready' | 'also' | 'held'> {
  /** Why it could not be undone, for the step's author. */
  readonly why?: string;
}

/** `waiting` is what the program waits for now; what of it the step asked for is cancelled. */
export async function undoStep(
  context: WorkspaceContext,
  { row, image }: Pick<Loaded, 'row' | 'image'>,
  { number, before }: StepRow,
  waiting: readonly FutureReference[],
): Promise<Undone> {
  const unchanged = { image, futures: [], ready: false, held: undefined, state: { current: null, slices: 0, waiting } };
  if (before === undefined) return unchanged;
  try {
    const found = await context.history.checkout(row.id, before);
    const { state } = metadataOf(found.commit);
    return {
      image: context.languages.of(row.language).imageFrom(found.image.pages),
      futures: [],
      // What was pending before the step and has settled during it is delivered again, to the program as it was.
      ready: true,
      state: { current: null, slices: 0, waiting: state.waiting },
      held: { list: state.held },
      also: await cancellations(
        context,
        row.id,
        without(waiting, state.waiting),
        `step ${number} failed, and everything it did was undone.`,
      ),
    };
  } catch (error) {
    if (!(error instanceof HistoryUnknownCommitError)) throw error;
    return {
      ...unchanged,
      why: 'What it did before it waited stands, because retention has dropped the commit before it.',
    };
  }
}

export function without(waiting: readonly FutureReference[], gone: readonly FutureReference[]): FutureReference[] {
  const ids = new Set(gone.map(futureId));
  return waiting.filter((reference) => !ids.has(futureId(reference)));
}
