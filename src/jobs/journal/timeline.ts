// What a job did over time, in lanes: requests to models, slices, calls, waits, children, and processes that died. However long
// the job is, the answer is bounded: what would lie on each other is put together.
import { scanAll, type Store } from '../../store/door.ts';
import { futureId, questionOf, type FutureRow } from '../../workspace/door.ts';
import { jobCallRows, jobEventRows, type JobEventRow, type JobRow } from '../rows.ts';
import { futuresOf, stateOf } from './call-journal.ts';

export const timelineLanes = ['model', 'slice', 'call', 'wait', 'child', 'process'] as const;
export type TimelineLane = (typeof timelineLanes)[number];

/** Something that took time, or happened at one moment. Times are milliseconds since 1970. */
export interface TimelineSpan {
  readonly start: number;
  /** Undefined while it goes on; the same as `start` if it happened at one moment. */
  readonly end: number | undefined;
  readonly label: string;
  /** `failed`, `done`, `waiting` and so on; of several, the worst. */
  readonly state: string;
  /** The call or future it is, or the child. */
  readonly id: string | undefined;
  /** The commit that a slice has made; of several, the last. */
  readonly commit: string | undefined;
  readonly step: number | undefined;
  /** How many were put together. */
  readonly count: number;
}

export interface JobTimeline {
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly { readonly lane: TimelineLane; readonly spans: readonly TimelineSpan[] }[];
}

/** Which part of it, and in how many pieces each lane may come. */
export interface TimelineOptions {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly pieces: number;
}

type NewSpan = Pick<TimelineSpan, 'start' | 'end' | 'label' | 'state'> & Partial<TimelineSpan>;

export async function jobTimeline(
  { store, now }: { readonly store: Store; readonly now: number },
  job: JobRow,
  { from = job.created, to = endOf(job, now), pieces }: TimelineOptions,
): Promise<JobTimeline> {
  const end = Math.max(to, from + 1);
  const lanes = new Map(timelineLanes.map((lane) => [lane, new LaneOfSpans(from, end, pieces)]));
  const add = (lane: TimelineLane, span: NewSpan): void => lanes.get(lane)?.add(span);
  for await (const { value } of scanAll(store, jobEventRows, { prefix: [job.id] })) addEvents(add, value);
  for await (const { value } of scanAll(store, jobCallRows, { prefix: [job.id] })) {
    const { number, name, created, ended, outcome } = value;
    const state = outcome === undefined ? 'started' : outcome.failed ? 'failed' : 'done';
    const lane = name === 'model' ? 'model' : 'call';
    add(lane, { start: created, end: ended, label: name, state, id: String(number) });
  }
  if (job.hasWorkspace === true)
    for await (const future of futuresOf(store, job)) add(laneOf(future), spanOf(job, future));
  return { from, to: end, lanes: [...lanes].map(([lane, spans]) => ({ lane, spans: spans.all() })) };
}

/** A little after the end, so that what happened last can be seen; what is recorded of the end is recorded after it. */
function endOf({ created, ended, updated }: JobRow, now: number): number {
  if (ended === undefined) return now;
  const last = Math.max(ended, updated);
  return last + Math.max(2, (last - created) / 50);
}

function addEvents(add: (lane: TimelineLane, span: NewSpan) => void, { time, commit, events }: JobEventRow): void {
  for (const { kind, data } of events) {
    const facts = (data ?? {}) as { readonly step?: number; readonly times?: number; readonly message?: string };
    const moment = { start: time, end: time };
    if (kind === 'slice')
      add('slice', { ...moment, label: `step ${facts.step}`, state: 'done', commit, step: facts.step });
    if (kind === 'crashed')
      add('process', { ...moment, label: 'its process died; another one goes on', state: 'crashed' });
    if (kind === 'mishap')
      add('process', { ...moment, label: `could not go on: ${facts.message ?? ''}`, state: 'failed' });
    if (kind === 'retry') add('process', { ...moment, label: 'is tried again', state: 'retry' });
    if (kind === 'paused' || kind === 'resumed') add('process', { ...moment, label: kind, state: kind });
  }
}

function laneOf({ kind }: FutureRow): TimelineLane {
  if (kind === 'call') return 'call';
  return kind === 'child' || kind === 'subtask' ? 'child' : 'wait';
}

function spanOf(job: JobRow, future: FutureRow): NewSpan {
  const { created, settled, label, outcome, state, step } = future;
  const isFailed = outcome?.failed === true;
  return {
    start: created,
    end: settled,
    label: questionOf(future) ?? label,
    state:
      future.kind === 'call'
        ? stateOf(future)
        : state === 'cancelled'
          ? 'cancelled'
          : outcome === undefined
            ? 'waiting'
            : isFailed
              ? 'failed'
              : 'done',
    // A child is named after the future that waits for it.
    id: future.kind === 'child' ? `${job.id}.${future.number}` : futureId(future),
    step,
  };
}

/** The worst of several states is shown. */
const severity: Readonly<Record<string, number>> = { crashed: 5, failed: 4, approval: 3, waiting: 2, started: 1 };

/** The spans of one lane: up to a number as they are, and beyond that put together by where they begin. */
class LaneOfSpans {
  readonly #from: number;
  readonly #to: number;
  readonly #pieces: number;
  #spans: TimelineSpan[] = [];
  #isPutTogether = false;

  constructor(from: number, to: number, pieces: number) {
    this.#from = from;
    this.#to = to;
    this.#pieces = pieces;
  }

  add(given: NewSpan): void {
    if (given.start > this.#to || (given.end ?? this.#to) < this.#from) return;
    this.#spans.push({ id: undefined, commit: undefined, step: undefined, count: 1, ...given });
    if (this.#spans.length > 2 * this.#pieces) this.#putTogether();
  }

  all(): readonly TimelineSpan[] {
    if (this.#isPutTogether || this.#spans.length > this.#pieces) this.#putTogether();
    return this.#spans;
  }

  #putTogether(): void {
    this.#isPutTogether = true;
    const width = (this.#to - this.#from) / this.#pieces;
    const byPlace = new Map<number, TimelineSpan>();
    for (const span of this.#spans) {
      const place = Math.max(0, Math.floor((span.start - this.#from) / width));
      const known = byPlace.get(place);
      byPlace.set(place, known === undefined ? span : together(known, span));
    }
    this.#spans = [...byPlace.values()].toSorted((a, b) => a.start - b.start);
  }
}

function together(a: TimelineSpan, b: TimelineSpan): TimelineSpan {
  const isWorse = (severity[b.state] ?? 0) > (severity[a.state] ?? 0);
  return {
    start: Math.min(a.start, b.start),
    end: a.end === undefined || b.end === undefined ? undefined : Math.max(a.end, b.end),
    label: isWorse ? b.label : a.label,
    state: isWorse ? b.state : a.state,
    id: isWorse ? b.id : a.id,
    commit: b.commit ?? a.commit,
    step: b.step ?? a.step,
    count: a.count + b.count,
  };
}
