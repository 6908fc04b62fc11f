// A step as its caller sees it.
import type { Store } from '../store/door.ts';
import type { WorkspaceContext } from './context.ts';
import { isUndecided } from './futures/questions.ts';
import { placeOf, type KnownSource } from './futures/code-place.ts';
import { subjectOf, type FutureSubject } from './futures/future-subject.ts';
import type { HandleTable } from './bridge/handle-table.ts';
import {
  consoleRows,
  type CodePlace,
  futureId,
  questionOf,
  signalOf,
  timerOf,
  type ConsoleLine,
  type ConsoleSegment,
  type FutureReference,
  type FutureRow,
  type StepError,
  type StepRow,
  type WaitingKind,
  type WorkspaceRow,
} from './rows.ts';
import { futureRows } from './rows.ts';
import { decodeWire } from './wire/decode.ts';

/** Something a program waits for. */
export interface WaitingFuture extends FutureSubject {
  /** Give it to `kit.answer`. */
  readonly id: string;
  readonly kind: WaitingKind;
  readonly label: string;
  readonly question?: string;
  readonly signal?: string;
  /** When it is over, or nobody waits any longer. */
  readonly due?: Date;
  readonly since: Date;
  /** Where in the code of which step it was asked for. */
  readonly at?: CodePlace;
  /** Somebody has to agree. */
  readonly undecided: boolean;
}

/** One piece of code given to a workspace, and what has come of it so far. */
export interface Step {
  readonly number: number;
  /** `suspended`: it waits for something. `queued`: another step waits, and this one comes after it. */
  readonly status: 'done' | 'failed' | 'suspended' | 'queued';
  /** The value of the last expression: data as data, objects of the application as themselves, or by name where this process lacks them. */
  readonly value: unknown;
  /** The lines it has printed. */
  readonly console: readonly string[];
  readonly error: StepError | undefined;
  /** The commit that holds its end, or the latest state of its wait. */
  readonly commit: string | undefined;
  readonly waiting: readonly WaitingFuture[];
}

/** What is known of the slice that was just committed, and need not be read. */
export interface LatestSlice {
  readonly lines: readonly ConsoleLine[];
  readonly futures: readonly FutureRow[];
}

export async function stepOf(
  context: WorkspaceContext,
  workspace: WorkspaceRow,
  row: StepRow,
  handles: HandleTable,
  latest?: LatestSlice,
): Promise<Step> {
  const [first, last] = row.commits ?? [];
  const lines =
    row.commits === undefined
      ? []
      : first === last && latest !== undefined
        ? latest.lines
        : await linesOf(context, workspace.id, row.commits, workspace.state.console);
  return {
    number: row.number,
    status: row.status,
    value:
      row.value === undefined
        ? undefined
        : decodeWire(row.value, {
            // An object that lasted for one slice, or that this process was not given, is named instead.
            handle: (token) => handles.objectOrShown(token),
            callback: () => undefined,
            maxBytes: Number.POSITIVE_INFINITY,
          }),
    console: lines.filter(({ step }) => step === row.number).map(({ text }) => text),
    error: row.error,
    commit: row.commit,
    waiting:
      row.status === 'suspended'
        ? await waitingFutures(context, workspace, { futures: latest?.futures, step: row })
        : [],
  };
}

/** A step's lines, as far as they are part of the console: what was undone by going back is not. */
async function linesOf(
  context: WorkspaceContext,
  workspace: string,
  [first, last]: readonly [number, number],
  segments: readonly ConsoleSegment[],
): Promise<ConsoleLine[]> {
  const own = segments.filter(({ from, to }) => from <= last && to >= first);
  // A step that was itself undone is no longer in the console at all.
  if (own.length === 0) return linesBetween(context, workspace, [first, last]);
  const lines = await Promise.all(
    own.map((segment) =>
      linesBetween(context, segment.workspace, [Math.max(first, segment.from), Math.min(last, segment.to)]),
    ),
  );
  return lines.flat();
}

export async function waitingFutures(
  context: WorkspaceContext,
  {
    language,
    state: { waiting },
  }: Pick<WorkspaceRow, 'language'> & { readonly state: Pick<WorkspaceRow['state'], 'waiting'> },
  known: {
    readonly futures?: readonly FutureRow[] | undefined;
    readonly step?: KnownSource | undefined;
    /** As it was once: also what has an outcome by now. */
    readonly isPast?: boolean;
  } = {},
): Promise<WaitingFuture[]> {
  if (waiting.length === 0) return [];
  const { store } = context;
  const open = (await readFutures(store, waiting, known.futures ?? [])).filter(
    ({ outcome }) => known.isPast === true || outcome === undefined,
  );
  return Promise.all(
    open.map(async (future) => {
      const { kind, label } = future;
      const question = questionOf(future);
      const signal = signalOf(future);
      const due = timerOf(future);
      const at = await placeOf(context, language, future, known.step);
      return {
        id: futureId(future),
        kind,
        label,
        ...(question === undefined ? {} : { question }),
        ...(signal === undefined ? {} : { signal }),
        ...(due === undefined ? {} : { due: new Date(due) }),
        since: new Date(future.created),
        ...(at === undefined ? {} : { at }),
        undecided: isUndecided(future),
        ...(await subjectOf(store, future)),
      };
    }),
  );
}

async function readFutures(
  store: Store,
  waiting: readonly FutureReference[],
  known: readonly FutureRow[],
): Promise<readonly FutureRow[]> {
  const byId = new Map(known.map((future) => [futureId(future), future]));
  const all = waiting.map((reference) => byId.get(futureId(reference)));
  if (all.every((future) => future !== undefined)) return all;
  const entries = await store.read(
    futureRows,
    waiting.map(({ workspace, number }) => [workspace, number]),
  );
  return entries.flatMap((entry) => entry?.value ?? []);
}

export async function linesBetween(
  { store }: WorkspaceContext,
  workspace: string,
  [from, to]: readonly [number, number],
): Promise<ConsoleLine[]> {
  const lines: ConsoleLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.scan(consoleRows, { from: [workspace, from], to: [workspace, to + 1] }, { cursor });
    for (const { value } of page.entries) lines.push(...value);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return lines;
}
