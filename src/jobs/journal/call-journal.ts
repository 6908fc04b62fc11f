// The journal of a job's calls: what was asked for, by whom, how often it was tried, and what came of it.
import { readUndamaged, scanAll, type Key, type Store } from '../../store/door.ts';
import {
  futureId,
  futureRows,
  lengthOfText,
  loadText,
  parseFutureId,
  type CallAttempt,
  type CallRow,
  type FutureRow,
  type LoggedCall,
  type SliceCall,
  type StoredMessage,
  type WireMessage,
  type Workspace,
} from '../../workspace/door.ts';
import { jobEventRows, type JobCallRow, type JobMark, type JobRow } from '../rows.ts';
import type { SharedValues } from '../shared-values.ts';
import type { JobSystem } from '../system.ts';
import { workspaceOf } from '../changes/workspace-holders.ts';

export const rowsAtOnce = 200;

/** One call of a tool or of the driver's, as the journal has it. */
export interface JobCall {
  /** The future of a tool call, for `kit.approve`; for a call of the driver's, its number; for a synchronous one, its slice. */
  readonly id: string;
  readonly by: 'program' | 'driver';
  readonly name: string;
  readonly state: 'waiting' | 'approval' | 'started' | 'done' | 'failed' | 'cancelled';
  /** When it was tried, in milliseconds since 1970, and why a try failed if another one followed. */
  readonly attempts: readonly { readonly started: number; readonly ended?: number; readonly error?: string }[];
  readonly created: Date;
  readonly ended: Date | undefined;
  readonly duration: number | undefined;
  readonly cached: boolean;
  /** Who agreed to it or did not, and when. */
  readonly decision:
    | { readonly approved: boolean; readonly by?: string; readonly comment?: string; readonly key?: string }
    | undefined;
  /** How many characters the journal keeps of what it was given and of what it returned. */
  readonly characters: { readonly input: number; readonly output: number };
  /** What it was given: the parameters of a tool, the input of a call of the driver's. Read when asked for. */
  input(): Promise<unknown>;
  /** What it has returned, or the error it has failed with; undefined while it is not over. Read when asked for. */
  output(): Promise<unknown>;
}

/** Where a journal is read. */
export interface JournalPlace {
  readonly job: JobRow;
  readonly store: Store;
  readonly shared: SharedValues;
  workspace(): Workspace;
}

/** How far a journal is read: up to a mark, and with or without what was taken back by going back to older commits. */
export interface JournalReach {
  readonly until?: JobMark | undefined;
  readonly undone?: boolean | undefined;
}

/** Whether an entry counts: going back leaves out what lies between, and going forward again brings it back. */
export function counts(
  number: number,
  of: keyof JobMark,
  { back = [] }: JobRow,
  { until, undone }: JournalReach,
): boolean {
  const isBefore = (end: JobMark | undefined): boolean => end === undefined || number < end[of];
  let end = until;
  if (undone === true) return isBefore(end);
  for (const { from, to } of back.toReversed()) {
    // It went back after this moment, so that is nothing to this moment.
    if (end !== undefined && from.nextEvent >= end.nextEvent) continue;
    if (number >= from[of] && isBefore(end)) return true;
    end = to;
  }
  return isBefore(end);
}

/** One call by the id that the log of calls has for it; undefined if it is gone, with its job or by itself. */
const sliceCall = /^(.*)\/slice\/(\d+)\/(\d+)$/s;

/** Which of these logged calls have no row in the journals any more. */
export async function callsGone(store: Store, calls: readonly LoggedCall[]): Promise<ReadonlySet<LoggedCall>> {
  const keys = calls.map(({ id }) => {
    const [, job = '', event = ''] = sliceCall.exec(id) ?? [];
    const future = parseFutureId(id);
    return job !== ''
      ? { rows: jobEventRows, key: [job, Number(event)] }
      : { rows: futureRows, key: [future?.workspace ?? '', future?.number ?? 0] };
  });
  const gone = new Set<LoggedCall>();
  for (const rows of [jobEventRows, futureRows]) {
    const some = keys.flatMap((one, index) => (one.rows === rows ? [index] : []));
    const places = some.map((index) => keys[index]?.key ?? []);
    // A row that cannot be read is there.
    const damaged = new Set<Key>();
    const found = await readUndamaged(store, rows as typeof jobEventRows, places, (key) => damaged.add(key));
    for (const [place, index] of some.entries())
      if (found[place] === undefined && !damaged.has(places[place] as Key)) gone.add(calls[index] as LoggedCall);
  }
  return gone;
}

export async function callById(system: JobSystem, id: string): Promise<JobCall | undefined> {
  const { store, workspaces } = system;
  const slice = sliceCall.exec(id);
  if (slice !== null) {
    const [, job = '', event = '', index = ''] = slice;
    const known = await system.read(job);
    const [entry] = await store.read(jobEventRows, [[job, Number(event)]]);
    const data = entry?.value.events.find(({ kind }) => kind === 'slice')?.data as SliceData | undefined;
    if (known === undefined || data === undefined) return undefined;
    const workspace = (): Workspace => workspaces.workspace(workspaceOf(known.row));
    return callsOfSlice(workspace, event, data)[Number(index) - 1]?.call;
  }
  const reference = parseFutureId(id);
  if (reference === undefined) return undefined;
  const [entry] = await store.read(futureRows, [[reference.workspace, reference.number]]);
  if (entry?.value.kind !== 'call') return undefined;
  return callOfProgram({ store, workspace: () => workspaces.workspace(reference.workspace) }, entry.value);
}

/** Which futures: from a number on, and before another one. */
interface FutureSpan {
  readonly first?: number | undefined;
  readonly before?: number | undefined;
  readonly isReverse?: boolean | undefined;
}

/** What the job's program asked for. In a workspace it was given, others have asked for things, too. */
export async function* futuresOf(
  store: Store,
  job: JobRow,
  { first = 0, before = Number.MAX_SAFE_INTEGER, isReverse = false }: FutureSpan = {},
): AsyncGenerator<FutureRow, void, undefined> {
  const workspace = workspaceOf(job);
  if (job.workspace !== undefined && job.futures === undefined && job.workspace !== job.id) return;
  // A job that gave its own workspace to others had it for itself before.
  const [least, last] = job.futures !== undefined && workspace !== job.id ? job.futures : [0, before];
  const range = {
    from: [workspace, Math.max(first, least)],
    to: [workspace, Math.min(before, last + 1)],
  };
  for await (const { value } of scanAll(store, futureRows, range, { reverse: isReverse, limit: rowsAtOnce })) {
    const owner = value.owner?.id ?? workspace;
    if (job.workspace === undefined || owner === job.id) yield value;
  }
}

export function callOfProgram(
  { store, workspace }: Pick<JournalPlace, 'store' | 'workspace'>,
  future: CallRow,
): JobCall {
  const { label, attempts = [], created, settled, cached, decision, call, outcome } = future;
  return {
    id: futureId(future),
    by: 'program',
    name: label,
    state: stateOf(future),
    attempts,
    created: new Date(created),
    ended: settled === undefined ? undefined : new Date(settled),
    duration: durationOf(attempts),
    cached: cached === true,
    decision,
    characters: charactersOf(call.parameters, outcome?.value),
    ...readers(store, future.workspace, call.parameters, outcome?.value, (message) => workspace().understood(message)),
  };
}

export type SliceData = {
  readonly calls?: readonly SliceCall[];
  readonly more?: number;
};

/** Calls of synchronous tools: they are over as soon as they are made. */
export function callsOfSlice(
  workspace: () => Workspace,
  event: string,
  { calls = [], more = 0 }: SliceData,
): { readonly order: number; readonly call: JobCall }[] {
  const read = async (text: SliceCall['parameters']): Promise<unknown> =>
    typeof text === 'string' ? workspace().understood(text) : `(${text.characters} characters, not kept)`;
  const lengthOf = (text: SliceCall['parameters']): number =>
    typeof text === 'string' ? text.length : text.characters;
  const made = calls.map(({ label, parameters, outcome, time, milliseconds = 0, before }, index) => ({
    order: before - 1 + (index + 1) / (calls.length + 2),
    call: {
      id: `slice ${event}/${index + 1}`,
      by: 'program' as const,
      name: label,
      state: outcome.failed ? ('failed' as const) : ('done' as const),
      attempts: [{ started: time - milliseconds, ended: time }],
      created: new Date(time - milliseconds),
      ended: new Date(time),
      duration: milliseconds,
      cached: false,
      decision: undefined,
      characters: { input: lengthOf(parameters), output: lengthOf(outcome.value) },
      input: () => read(parameters),
      output: () => read(outcome.value),
    },
  }));
  const last = made.at(-1);
  if (more === 0 || last === undefined) return made;
  const rest: JobCall = {
    ...last.call,
    id: `slice ${event}/more`,
    name: `(${more} more calls in this slice)`,
    characters: { input: 0, output: 0 },
    input: () => Promise.resolve(undefined),
    output: () => Promise.resolve(undefined),
  };
  return [...made, { order: last.order, call: rest }];
}

export function callOfDriver({ job, store, shared }: JournalPlace, call: JobCallRow): JobCall {
  const { number, name, attempts, created, ended, input, outcome } = call;
  return {
    id: String(number),
    by: 'driver',
    name,
    state: outcome === undefined ? 'started' : outcome.failed ? 'failed' : 'done',
    attempts,
    created: new Date(created),
    ended: ended === undefined ? undefined : new Date(ended),
    duration: durationOf(attempts),
    cached: false,
    decision: undefined,
    characters: charactersOf(input, outcome?.value),
    ...readers(store, job.id, input, outcome?.value, (message) => shared.decode(message)),
  };
}

function readers(
  store: Store,
  place: string,
  input: StoredMessage | undefined,
  output: StoredMessage | undefined,
  decode: (message: WireMessage) => unknown,
): Pick<JobCall, 'input' | 'output'> {
  const read = async (text: StoredMessage | undefined): Promise<unknown> =>
    text === undefined ? undefined : decode(await loadText(store, place, text));
  return { input: () => read(input), output: () => read(output) };
}

export function stateOf({ state, outcome, approval }: CallRow): JobCall['state'] {
  if (state === 'cancelled') return 'cancelled';
  if (outcome !== undefined) return outcome.failed ? 'failed' : 'done';
  if (approval === 'needed') return 'approval';
  return state === 'started' ? 'started' : 'waiting';
}

function charactersOf(input?: StoredMessage, output?: StoredMessage): JobCall['characters'] {
  const lengthOf = (text?: StoredMessage): number => (text === undefined ? 0 : lengthOfText(text));
  return { input: lengthOf(input), output: lengthOf(output) };
}

function durationOf(attempts: readonly CallAttempt[]): number | undefined {
  const last = attempts.at(-1);
  return last?.ended === undefined ? undefined : last.ended - last.started;
}
