// The calls of a job one after another, from any place on and in both directions. They are kept in three places, each in its own
// order: futures of the program, calls of the driver's, and slices with the synchronous tools they called. A fork has those of the job
// it came from before its own.
import type { ListStart, LookedAt } from '../../base/list-page.ts';
import { scanAll } from '../../store/door.ts';
import { futureRows, parseFutureId, type Workspace } from '../../workspace/door.ts';
import { workspaceOf } from '../changes/workspace-holders.ts';
import { jobCallRows, jobEventRows, jobPastRows, type JobMark, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';
import {
  callOfDriver,
  callOfProgram,
  callsOfSlice,
  counts,
  futuresOf,
  rowsAtOnce,
  type JobCall,
  type JournalPlace,
  type JournalReach,
  type SliceData,
} from './call-journal.ts';

/** A job whose calls count, and how far: itself, the one it was forked from, and so on. */
interface Level {
  readonly job: JobRow;
  readonly until: JobMark | undefined;
}

/** Which calls of a job. */
export interface CallFilter {
  /** Only those until this commit. */
  readonly commit?: string | undefined;
  /** Also those that were taken back by going back to an older commit. */
  readonly undone?: boolean | undefined;
}

/** A place is [level, future, driver's call, event, call of its slice]: where each of the three goes on. */
export async function* callStream(
  system: JobSystem,
  job: JobRow,
  { commit, undone }: CallFilter,
  { isReverse, after }: ListStart,
): AsyncGenerator<LookedAt<JobCall>, void, undefined> {
  const levels = await levelsOf(system, job, commit);
  const order = isReverse ? [...levels.keys()] : [...levels.keys()].toReversed();
  for (const index of order) {
    const level = levels[index];
    if (level === undefined) continue;
    const [first = index, ...inside] = after ?? [];
    if (isReverse ? index < first : index > first) continue;
    const start = { isReverse, after: after !== undefined && index === first ? inside : undefined };
    for await (const looked of levelStream(placeOf(system, level.job), { until: level.until, undone }, start))
      yield { ...looked, after: [index, ...looked.after] };
  }
}

/** One call by its id in the list; that of the job itself before one that it has from another. */
export async function callOf(system: JobSystem, job: JobRow, id: string): Promise<JobCall | undefined> {
  for (const { job: row } of await levelsOf(system, job, undefined)) {
    const found = await callIn(placeOf(system, row), id);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function callIn(place: JournalPlace, id: string): Promise<JobCall | undefined> {
  const { store, job } = place;
  if (/^\d+$/.test(id)) {
    const [entry] = await store.read(jobCallRows, [[job.id, Number(id)]]);
    return entry && callOfDriver(place, entry.value);
  }
  const event = /^slice (\d+)\//.exec(id)?.[1];
  if (event !== undefined) {
    const [entry] = await store.read(jobEventRows, [[job.id, Number(event)]]);
    const calls = (entry?.value.events ?? []).flatMap(({ kind, data }) =>
      kind === 'slice' ? callsOfSlice(() => place.workspace(), event, data as SliceData) : [],
    );
    return calls.find(({ call }) => call.id === id)?.call;
  }
  const reference = parseFutureId(id);
  if (reference?.workspace !== workspaceOf(job)) return undefined;
  const [entry] = await store.read(futureRows, [[reference.workspace, reference.number]]);
  if (entry?.value.kind !== 'call') return undefined;
  const isOwn = job.workspace === undefined || entry.value.owner?.id === job.id;
  return isOwn ? callOfProgram(place, entry.value) : undefined;
}

/** The job first. Of one that it was forked from, what there was at its fork. */
async function levelsOf(system: JobSystem, job: JobRow, commit: string | undefined): Promise<readonly Level[]> {
  const levels: Level[] = [{ job, until: undefined }];
  for (let { forkedFrom } = job; forkedFrom?.mark !== undefined;) {
    const origin = await system.read(forkedFrom.job);
    if (origin === undefined) break;
    levels.push({ job: origin.row, until: forkedFrom.mark });
    ({ forkedFrom } = origin.row);
  }
  if (commit === undefined) return levels;
  const pasts = await system.store.read(
    jobPastRows,
    levels.map((level) => [level.job.id, commit]),
  );
  const index = pasts.findIndex((past) => past !== undefined);
  // The commit that a fork begins with is that of its origin.
  if (index < 0) return levels.length > 1 && job.forkedFrom !== undefined ? levels.slice(1) : levels;
  return levels.slice(index).map((level, above) => (above === 0 ? { ...level, until: pasts[index]?.value } : level));
}

function placeOf({ store, shared, workspaces }: JobSystem, job: JobRow): JournalPlace {
  return { job, store, shared, workspace: (): Workspace => workspaces.workspace(workspaceOf(job)) };
}

/** A row of one of the three places, or one call of it. */
interface Found {
  readonly time: number;
  readonly order: number;
  readonly call: JobCall | undefined;
  /** Where its source goes on after it. */
  readonly next: readonly number[];
}

async function* levelStream(
  place: JournalPlace,
  reach: JournalReach,
  { isReverse, after }: ListStart,
): AsyncGenerator<LookedAt<JobCall>, void, undefined> {
  const end = Number.MAX_SAFE_INTEGER;
  const { until } = reach;
  const [future = isReverse ? (until?.nextFuture ?? end) : 0, call = isReverse ? (until?.nextCall ?? end) : 0] =
    after ?? [];
  const [, , event = isReverse ? (until?.nextEvent ?? end) : 0, inSlice = isReverse ? end : 0] = after ?? [];
  const places: [number[], number[], number[]] = [[future], [call], [event, inSlice]];
  const sources = [
    futureSource(place, reach, isReverse, future),
    driverSource(place, reach, isReverse, call),
    sliceSource(place, reach, isReverse, [event, inSlice]),
  ];
  const heads = await Promise.all(sources.map(async (source) => source.next()));
  for (;;) {
    let chosen = -1;
    for (const [index, head] of heads.entries()) {
      if (head.done === true) continue;
      const best = heads[chosen];
      if (best === undefined || best.done === true || comesFirst(head.value, best.value, isReverse)) chosen = index;
    }
    const found = heads[chosen];
    const source = sources[chosen];
    if (found === undefined || found.done === true || source === undefined) return;
    places[chosen as 0 | 1 | 2] = [...found.value.next];
    yield { item: found.value.call, after: places.flat() };
    heads[chosen] = await source.next();
  }
}

/** Within one millisecond in the order in which the program made them. */
function comesFirst(a: Found, b: Found, isReverse: boolean): boolean {
  const difference = a.time - b.time || a.order - b.order;
  return isReverse ? difference > 0 : difference < 0;
}

async function* futureSource(
  place: JournalPlace,
  reach: JournalReach,
  isReverse: boolean,
  from: number,
): AsyncGenerator<Found, void, undefined> {
  const { store, job } = place;
  for await (const future of futuresOf(store, job, isReverse ? { before: from, isReverse } : { first: from })) {
    const { number, created: time } = future;
    const isListed = future.kind === 'call' && counts(number, 'nextFuture', job, reach);
    const next = [isReverse ? number : number + 1];
    yield { time, order: number, call: isListed ? callOfProgram(place, future) : undefined, next };
  }
}

async function* driverSource(
  place: JournalPlace,
  reach: JournalReach,
  isReverse: boolean,
  from: number,
): AsyncGenerator<Found, void, undefined> {
  const { store, job } = place;
  for await (const { value } of scanAll(store, jobCallRows, rangeOf(job.id, from, isReverse), page(isReverse))) {
    const { number, created: time } = value;
    const call = counts(number, 'nextCall', job, reach) ? callOfDriver(place, value) : undefined;
    yield { time, order: -1, call, next: [isReverse ? number : number + 1] };
  }
}

async function* sliceSource(
  place: JournalPlace,
  reach: JournalReach,
  isReverse: boolean,
  [from, inSlice]: readonly [number, number],
): AsyncGenerator<Found, void, undefined> {
  const { store, job } = place;
  // A slice of which some calls were seen is read again.
  const range = rangeOf(job.id, isReverse && inSlice < Number.MAX_SAFE_INTEGER ? from + 1 : from, isReverse);
  for await (const { key, value } of scanAll(store, jobEventRows, range, page(isReverse))) {
    const number = Number(key[1]);
    const calls = counts(number, 'nextEvent', job, reach)
      ? value.events.flatMap(({ kind, data }) =>
          kind === 'slice' ? callsOfSlice(() => place.workspace(), String(number), data as SliceData) : [],
        )
      : [];
    const after = isReverse ? [number, Number.MAX_SAFE_INTEGER] : [number + 1, 0];
    const indexes = isReverse ? [...calls.keys()].toReversed() : [...calls.keys()];
    for (const index of indexes) {
      const found = calls[index];
      if (found === undefined || (number === from && (isReverse ? index >= inSlice : index < inSlice))) continue;
      yield {
        time: found.call.created.getTime(),
        order: found.order,
        call: found.call,
        next: isReverse ? [number, index] : [number, index + 1],
      };
    }
    // That it was looked at: whoever goes on need not do so again.
    yield { time: value.time, order: Number.MAX_SAFE_INTEGER * (isReverse ? -1 : 1), call: undefined, next: after };
  }
}

function rangeOf(
  job: string,
  from: number,
  isReverse: boolean,
): { from: (string | number)[]; to: (string | number)[] } {
  return isReverse ? { from: [job, 0], to: [job, from] } : { from: [job, from], to: [job, Number.MAX_SAFE_INTEGER] };
}

function page(isReverse: boolean): { reverse: boolean; limit: number } {
  return { reverse: isReverse, limit: rowsAtOnce };
}
