// What the program of a job has asked others for, as whoever follows its conversation sees it: calls of tools, questions, approvals.
import {
  decisionOf,
  futureId,
  isUndecided,
  loadText,
  questionOf,
  subjectOf,
  type FutureRow,
  type FutureSubject,
} from '../../workspace/door.ts';
import { counts, futuresOf, stateOf, type JobCall, type JournalPlace } from './call-journal.ts';

/** Something a program asked for, and what has come of it so far. */
export interface ProgramFuture extends FutureSubject {
  readonly id: string;
  /** Counts what the program has asked for. */
  readonly number: number;
  /** The step that asked for it. */
  readonly step: number;
  readonly kind: 'call' | 'ask' | 'approve';
  /** The name of the tool, or the question. */
  readonly name: string;
  readonly state: JobCall['state'];
  /** Somebody has to agree. */
  readonly undecided: boolean;
  readonly decision: JobCall['decision'];
  readonly settled: number | undefined;
  /** What it ended with. */
  output(): Promise<unknown>;
}

/** From a number on, in order; without those that going back to an older commit has left behind. */
export async function programFutures(place: JournalPlace, first: number): Promise<readonly ProgramFuture[]> {
  const found: ProgramFuture[] = [];
  for await (const row of futuresOf(place.store, place.job, { first })) {
    const isShown = row.kind === 'call' || row.kind === 'ask' || row.kind === 'approve';
    if (isShown && counts(row.number, 'nextFuture', place.job, {})) found.push(await shown(place, row, row.kind));
  }
  return found;
}

async function shown(
  { store, workspace }: JournalPlace,
  row: FutureRow,
  kind: ProgramFuture['kind'],
): Promise<ProgramFuture> {
  const { outcome } = row;
  return {
    ...(await subjectOf(store, row)),
    id: futureId(row),
    number: row.number,
    step: row.step,
    kind,
    name: questionOf(row) ?? nameIn(row.label),
    state: row.kind === 'call' ? stateOf(row) : questionState(row),
    undecided: isUndecided(row),
    decision: decisionOf(row),
    settled: row.settled,
    output: async () =>
      outcome === undefined ? undefined : workspace().understood(await loadText(store, row.workspace, outcome.value)),
  };
}

/** The name of the tool in `clerk.book(…)`. */
function nameIn(label: string): string {
  return label.replace(/\(.*$/s, '').replace(/^.*\./, '');
}

function questionState({ state, outcome }: FutureRow): JobCall['state'] {
  if (state === 'cancelled') return 'cancelled';
  if (outcome === undefined) return 'waiting';
  return outcome.failed ? 'failed' : 'done';
}
