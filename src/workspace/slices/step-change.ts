// What a slice means for the step it belongs to: whether the step goes on, is done or has failed, and what is committed.
import { StatekError } from '../../base/error.ts';
import { ObjectConflictError } from '../../objects/door.ts';
import type { SliceChange } from './slice-transaction.ts';
import type { WorkspaceContext } from '../context.ts';
import { DeadlockError, LimitError, NotDurableError } from '../errors.ts';
import type { Loaded } from './loaded.ts';
import {
  isDeed,
  futureRows,
  type ConsoleLine,
  type FutureReference,
  type FutureRow,
  type StepError,
  type StepRow,
} from '../rows.ts';
import type { SliceInput, SliceResult } from './execution.ts';
import { stepErrorOf } from './step-error.ts';
import { undoStep, without } from './undo.ts';

/** A slice of a step, or (without one) of what earlier steps left running. */
export interface StepSlice {
  readonly step: StepRow | undefined;
  readonly input: SliceInput;
  /** Futures whose outcomes this slice is given. */
  readonly delivered: readonly FutureRow[];
  readonly nextStep: number;
}

/** The change a slice makes when it stands. Throws what fails the step. */
export async function changeOfSlice(
  context: WorkspaceContext,
  { step, input, delivered, nextStep }: StepSlice,
  result: SliceResult,
  { row, handles, image }: Loaded,
): Promise<SliceChange> {
  const earlier = without(row.state.waiting, delivered);
  // The end of the program's work is asked for like a future, and never settles: it is nothing to wait for.
  const isOver = result.end !== undefined;
  const asked = result.futures.filter(({ number }) => number !== result.end);
  // What else it asked for in the same slice is not waited for either.
  const waiting = isOver ? earlier : [...earlier, ...asked.map(({ workspace, number }) => ({ workspace, number }))];
  const slices = step === undefined || input.kind === 'step' ? 1 : row.state.slices + 1;
  if (slices > row.limits.slicesPerStep)
    throw new LimitError(`The step took more than ${row.limits.slicesPerStep} slices.`, { limit: 'slicesPerStep' });
  const change = {
    kind: input.kind === 'step' ? 'step' : 'resumed',
    image: result.image,
    lines: result.lines,
    futures: result.futures,
    held: result.held,
    state: { current: null, slices, waiting },
    nextStep,
    ready: result.futures.some(needsSomebody),
  } as const;
  if (step === undefined) return change;
  const end = result.ended.find(({ number }) => number === step.number);
  // A call that ends the job never returns: the step is over with it, and the next one can begin.
  if (isOver && (end === undefined || end.failed)) {
    // Code that waits for the end waits for all it asked for; code that was stopped by it may have forgotten something.
    const forgotten = end === undefined ? [] : await notAwaited(context, step, earlier, result);
    const lines = [...result.lines, ...forgotten];
    return { ...change, lines, step: { ...step, status: 'done', ended: context.clock.now() } };
  }
  if (end === undefined) {
    if (waiting.length > 0)
      return { ...change, state: { ...change.state, current: step.number }, step: { ...step, status: 'suspended' } };
    throw new DeadlockError(
      'The step waits for something that can never come: no call, timer, signal or question is pending.',
      { step: step.number },
    );
  }
  if (!end.failed || step.allOrNothing !== true) {
    const lines = [...result.lines, ...(await notAwaited(context, step, earlier, result))];
    const after = end.failed
      ? { status: 'failed' as const, error: await stepErrorOf(context, handles, end.message, row, step) }
      : {
          status: 'done' as const,
          value: end.message,
          ...(end.shown === undefined ? {} : { shown: end.shown }),
        };
    return { ...change, lines, step: { ...step, ...after, ended: context.clock.now() } };
  }
  const error = await stepErrorOf(context, handles, end.message, row, step);
  const { why, ...undone } = await undoStep(context, { row, image }, step, earlier);
  return { ...change, ...undone, dropsObjects: true, step: failed(context, step, error, why) };
}

/** The slice does not stand: the program is as it was before it (or before the whole step), and the step is over. */
export async function changeOfFailure(
  context: WorkspaceContext,
  { step, delivered, nextStep }: Pick<StepSlice, 'step' | 'delivered' | 'nextStep'>,
  failure: StatekError,
  { row, image }: Loaded,
): Promise<SliceChange> {
  const waiting = without(row.state.waiting, delivered);
  const change = {
    kind: 'failed',
    image,
    lines: [],
    futures: [],
    state: { current: null, slices: 0, waiting },
    nextStep,
    ready: false,
  } as const;
  if (step === undefined) {
    const text = `Nobody caught: ${failure.name}: ${failure.message}`;
    return { ...change, lines: [{ step: row.nextStep - 1, level: 'error', text }] };
  }
  const { reason, line, column, frame } = failure.details;
  const error: StepError = {
    name: failure.name,
    message: typeof frame === 'string' && typeof reason === 'string' ? reason : failure.message,
    code: failure.code,
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof column === 'number' ? { column } : {}),
    ...(typeof frame === 'string' ? { frame } : {}),
  };
  if (step.allOrNothing !== true) return { ...change, step: failed(context, step, error) };
  const { why, ...undone } = await undoStep(context, { row, image }, step, waiting);
  return { ...change, ...undone, step: failed(context, step, error, why) };
}

/** Failures that end the step, and not the workspace or the call. */
export function isStepFailure(error: unknown): error is StatekError {
  return (
    error instanceof LimitError ||
    error instanceof DeadlockError ||
    error instanceof NotDurableError ||
    error instanceof ObjectConflictError ||
    (error instanceof StatekError && error.code === 'STEP_REFUSED')
  );
}

function failed({ clock }: WorkspaceContext, step: StepRow, error: StepError, why?: string): StepRow {
  const message = why === undefined ? error.message : `${error.message} ${why}`;
  return { ...step, status: 'failed', error: { ...error, message }, ended: clock.now() };
}

/** A call to be made must be seen even if this process dies; so must a wait whose signal may be there already. */
function needsSomebody({ kind }: FutureRow): boolean {
  return kind === 'call' || kind === 'signal';
}

/** A step that is over while things it asked for go on is probably a forgotten `await`. */
async function notAwaited(
  { store }: WorkspaceContext,
  step: StepRow,
  earlier: readonly FutureReference[],
  { futures: latest, end }: Pick<SliceResult, 'futures' | 'end'>,
): Promise<ConsoleLine[]> {
  const keys = earlier.map(({ workspace, number }) => [workspace, number]);
  const entries = keys.length === 0 ? [] : await store.read(futureRows, keys);
  const left = entries
    .flatMap((entry) => (entry === undefined ? [] : [entry.value]))
    .filter((future) => future.step === step.number && future.outcome === undefined);
  // What was asked for in the slice that ends the program's work is dropped with it.
  const others = [...left, ...latest.filter(({ number }) => number !== end)];
  return others.map((future) => ({
    step: step.number,
    level: 'warn',
    text:
      end !== undefined && latest.includes(future) && isDeed(future)
        ? `Never made, because the job ended first: ${future.label}`
        : `Not awaited: ${future.label}`,
  }));
}
