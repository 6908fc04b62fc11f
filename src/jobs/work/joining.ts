// What a job adds to the slices of its workspace: its own row, the jobs it starts, and, when a step is over, its driver's
// next decision. All of it is in the commit of the slice, so nothing can come between them.
import { emptyPart, type Check, type Write } from '../../store/door.ts';
import type { Json } from '../../history/door.ts';
import {
  cancellation,
  cutText,
  decodeWire,
  endOf,
  futureId,
  futureRows,
  isDeed,
  isOpen,
  isUndecided,
  kitScope,
  linesBetween,
  logWrite,
  signalWaitKey,
  signalWaitRows,
  subjectOf,
  toolName,
  unchangedFutures,
  undefinedMessage,
  WorkspaceTakenError,
  type CommittingSlice,
  type FutureRow,
  type JoinedToSlice,
  type LoggedCall,
  type Owner,
  type Requested,
  type SliceParticipant,
} from '../../workspace/door.ts';
import { advance } from './advance.ts';
import { updateJob, updated, type KnownJob } from '../changes/job-changes.ts';
import type { EndedStep } from '../driver.ts';
import { ending, leftBehind, type PlannedChange } from '../changes/ending.ts';
import { isStopped } from '../changes/overdue.ts';
import { requestOf, startedJobs } from './program-requests.ts';
import {
  jobPastRows,
  jobRows,
  workspaceQueueRows,
  workspaceHolderRows,
  type SlowSliceFacts,
  type JobPastRow,
  type JobRow,
  type JobUpdate,
} from '../rows.ts';
import type { JobSystem } from '../system.ts';
import { holdsWorkspace, workspaceOf } from '../changes/workspace-holders.ts';

const nothing: PlannedChange = { change: {}, events: [], also: emptyPart };
const joinedCollections: ReadonlySet<string> = new Set(
  [jobRows, futureRows, workspaceHolderRows, workspaceQueueRows].map(({ name }) => name),
);
/** What so many futures are, is looked up later, and not while a slice waits to be committed. */
const maxToLookUp = 20;

/** The job whose slices are run. */
export interface JoiningJob {
  readonly id: string;
  readonly role: string;
  /** Of the lease under which its calls are made. */
  readonly token: number;
  /** It runs in a workspace that it was given. */
  readonly isGuest: boolean;
  hasLease(): boolean;
}

/** A job takes part in the commits of the slices that are run for it. */
export class JobParticipant implements SliceParticipant {
  readonly owner: Owner | undefined;
  readonly joinedCollections = joinedCollections;
  readonly #system: JobSystem;
  readonly #job: JoiningJob;
  /** How long the last slice that ran has taken. */
  #ran = 0;
  #slow: SlowSliceFacts[] = [];
  #known: KnownJob | undefined;

  constructor(system: JobSystem, job: JoiningJob) {
    this.#system = system;
    this.#job = job;
    this.owner = job.isGuest ? { id: job.id, role: job.role } : undefined;
  }

  /**
   * The job as last read or committed: the next slice joins it without reading it again. If it has changed since, the commit
   * is refused and the job is read.
   */
  get known(): KnownJob | undefined {
    return this.#known;
  }

  set known(known: KnownJob | undefined) {
    this.#known = known;
  }

  ran(milliseconds: number): void {
    this.#ran = milliseconds;
  }

  /** Slices that took long, and were committed since this was last asked. */
  takeSlow(): readonly SlowSliceFacts[] {
    const taken = this.#slow;
    this.#slow = [];
    return taken;
  }

  request(
    owner: Owner | undefined,
    kind: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Requested | undefined {
    // In a workspace that jobs are given, what has no owner is a person's, who has no job to ask with.
    return owner?.id === this.owner?.id ? requestOf(this.#system, kind, parameters) : undefined;
  }

  async join(slice: CommittingSlice): Promise<JoinedToSlice | undefined> {
    const { id, isGuest } = this.#job;
    // In a workspace that jobs are given, there are slices of persons, and of what earlier jobs left running.
    if (slice.owner?.id !== this.owner?.id) return undefined;
    const joined = !isGuest || this.#job.hasLease() ? await this.#joinSlice(slice) : undefined;
    if (joined !== undefined || !isGuest || (slice.step === undefined && slice.kind !== 'variables')) return joined;
    // Its process may have been slow: then it is another job's turn, and nothing of the slice stands.
    throw new WorkspaceTakenError(`Another process has worked on the job '${id}' meanwhile.`, {
      workspace: slice.workspace,
      job: id,
    });
  }

  async #joinSlice(slice: CommittingSlice): Promise<JoinedToSlice | undefined> {
    const known = this.#known ?? (await this.#system.read(this.#job.id));
    this.#known = undefined;
    const milliseconds = Math.round(this.#ran);
    this.#ran = 0;
    return joinSlice(this.#system, slice, this.#job, known, (committed) => {
      this.#known = committed;
      if (milliseconds < this.#system.slowSliceMilliseconds) return;
      const step = slice.step?.number ?? 0;
      this.#slow.push({ role: this.#job.role, step, commit: slice.commit, milliseconds });
    });
  }
}

async function joinSlice(
  system: JobSystem,
  slice: CommittingSlice,
  { id, token }: JoiningJob,
  known: KnownJob | undefined,
  onCommitted: (committed: KnownJob) => void,
): Promise<JoinedToSlice | undefined> {
  if (known === undefined || !holdsWorkspace(known.row)) return undefined;
  await system.faults?.hit('slice.join', id);
  const asked = await startedJobs(system, known.row, slice);
  const asking: KnownJob = { ...known, row: updated(known.row, asked.change) };
  const planned = await plannedChange(system, asking, slice, token);
  const { checks, writes, after } = updateJob(
    known,
    {
      hasWorkspace: true,
      anew: undefined,
      crashes: 0,
      mishaps: 0,
      ...spanOf(known.row, slice),
      ...asked.change,
      ...planned.change,
    },
    [
      { kind: 'slice', data: { step: slice.step?.number ?? 0, ...calledIn(slice) } },
      ...asked.events,
      ...planned.events,
    ],
    system.clock.now(),
    slice.commit,
  );
  const { state, nextCall, nextEvent } = after;
  const past: JobPastRow = { state, nextCall, nextEvent, nextFuture: slice.nextFuture };
  const { row } = known;
  const logged = loggedCalls(row, slice);
  // Counted a moment early; that only decides when statistics are brought up to date.
  if (logged.length > 0) system.workspaces.context.callsLogged(logged.length);
  const before: JobPastRow = {
    state: row.state,
    nextCall: row.nextCall,
    nextEvent: row.nextEvent,
    nextFuture: slice.nextFuture - slice.futures.length,
  };
  return {
    checks: [...checks, ...asked.also.checks, ...planned.also.checks],
    writes: [
      ...writes,
      ...slice.earlier.map((commit) => pastWrite(id, commit, before)),
      pastWrite(id, slice.commit, past),
      ...asked.also.writes,
      ...planned.also.writes,
      ...logWrite(kitScope, system.clock.now(), `${id}/slice/${row.nextEvent}`, logged),
    ],
    // The lease of a workspace that it was given is not the job's.
    leaves: known.row.workspace === undefined && after.at !== known.row.at,
    committed: (revision) => onCommitted({ row: after, revision }),
  };
}

function pastWrite(id: string, commit: string, value: JobPastRow): Write {
  return { kind: 'put', collection: jobPastRows, key: [id, commit], value };
}

/** Calls of synchronous tools are journalled with the slice that made them, in a row that is written anyway. */
function calledIn({ called: { calls, more } }: CommittingSlice): { readonly [name: string]: Json } {
  return {
    ...(calls.length === 0 ? {} : { calls }),
    ...(more === 0 ? {} : { more }),
  };
}

/** The same for the log of calls that are over; those the journal has no room for are counted. */
function loggedCalls({ id, role, nextEvent }: JobRow, { called: { calls, others } }: CommittingSlice): LoggedCall[] {
  const common = { job: id, role };
  const last = calls.at(-1)?.time ?? 0;
  return [
    ...calls.map(({ label, outcome: { failed, value }, time, milliseconds = 0 }, index) => ({
      ...common,
      id: `${id}/slice/${nextEvent}/${index + 1}`,
      tool: toolName(label, false),
      started: time - milliseconds,
      ended: time,
      ...(typeof value === 'string' ? endOf(failed, value) : ({ outcome: failed ? 'failed' : 'completed' } as const)),
    })),
    ...others.map(({ label, failed, count, milliseconds }, index) => ({
      ...common,
      id: `${id}/slice/${nextEvent}/more/${index + 1}`,
      tool: toolName(label, false),
      started: last - milliseconds,
      ended: last,
      outcome: failed ? ('failed' as const) : ('completed' as const),
      count,
    })),
  ];
}

/** Which futures of a given workspace are this job's: others have asked for some, too. */
function spanOf({ workspace, futures }: JobRow, slice: CommittingSlice): Pick<JobUpdate, 'futures'> {
  const [first, last] = [slice.futures[0]?.number, slice.futures.at(-1)?.number];
  if (workspace === undefined || first === undefined || last === undefined) return {};
  return { futures: [futures?.[0] ?? first, last] };
}

async function plannedChange(
  system: JobSystem,
  known: KnownJob,
  slice: CommittingSlice,
  token: number,
): Promise<PlannedChange> {
  const { row } = known;
  const { step, futures } = slice;
  const { action } = row;
  const pending = slice.state.waiting.filter(({ number }) => !futures.some((future) => future.number === number));
  const end = futures.find(({ kind }) => kind === 'end');
  if (end !== undefined && row.status !== 'DONE') return ended(system, known, slice, end, pending, token);
  if (action?.kind !== 'run' || step === undefined || (action.step !== undefined && action.step !== step.number))
    return nothing;
  if (step.status === 'done' || step.status === 'failed') {
    if (row.cancelling !== undefined)
      return withWrites(await cancelledEnd(system, row, pending), (change) => leftBehind(system, row, change, futures));
    const event = { kind: 'step', step: await endedStep(system, slice) } as const;
    const planned = await advance(system, known, event, token, pending);
    const events = [{ kind: 'step' as const, data: { step: step.number, status: step.status } }, ...planned.events];
    return withWrites({ ...planned, events }, (change) => leftBehind(system, row, change, futures));
  }
  // Somebody may have asked for its end while the slice ran: then it is to be seen, and not to rest.
  const parking = isStopped(row) ? undefined : await parkedBy(system, row, slice);
  const cleanup = row.cancelling && { cancelling: { ...row.cancelling, slices: (row.cancelling.slices ?? 0) + 1 } };
  return {
    change: {
      action: { ...action, step: step.number },
      status: 'SUSPENDED',
      ...cleanup,
      ...(parking === undefined ? {} : { at: null }),
    },
    events: row.status === 'SUSPENDED' ? [] : [{ kind: 'suspended', ...(await askedOfPeople(system, slice)) }],
    also: { checks: parking ?? [], writes: [] },
  };
}

/** What the slice asks of people, for those who listen; `kit.pending()` has the rest. */
async function askedOfPeople(
  { store }: JobSystem,
  { futures }: CommittingSlice,
): Promise<{ data?: { waiting: { id: string; kind: string; text: string }[] } }> {
  const asked = futures.filter((future) => future.kind === 'ask' || isUndecided(future)).slice(0, maxTold);
  if (asked.length === 0) return {};
  const waiting = await Promise.all(
    asked.map(async (future) => ({
      id: futureId(future),
      kind: future.kind,
      text: cutText((await subjectOf(store, future)).text, maxToldLength),
    })),
  );
  return { data: { waiting } };
}

const maxTold = 20;
const maxToldLength = 1000;

/** The job was cancelled, and its program has finished its clean-up. */
export function cancelledEnd(
  system: JobSystem,
  row: JobRow,
  pending: CommittingSlice['state']['waiting'],
): Promise<PlannedChange> {
  const error = {
    name: 'CancelledError',
    message: row.cancelling?.reason ?? 'The job was cancelled.',
    code: 'CANCELLED',
  };
  return ending(system, row, { outcome: 'cancelled', error }, pending);
}

/** `exit` and `fail`. What else the slice asked for is not waited for. */
async function ended(
  system: JobSystem,
  known: KnownJob,
  slice: CommittingSlice,
  future: FutureRow,
  pending: CommittingSlice['state']['waiting'],
  token: number,
): Promise<PlannedChange> {
  const { row } = known;
  const { outcome, value, reason } = system.shared.decode('request' in future ? future.request : undefinedMessage) as {
    outcome: 'completed' | 'failed';
    value?: unknown;
    reason?: string;
  };
  const planned =
    row.cancelling !== undefined
      ? await cancelledEnd(system, row, pending)
      : system.driver(row.role).endings === true && slice.step !== undefined
        ? await advance(
            system,
            known,
            {
              kind: 'end',
              step: await endedStep(system, slice),
              end: { outcome, value, reason, unmade: unmadeBefore(future.number, slice) },
            },
            token,
            pending,
          )
        : await ending(
            system,
            row,
            outcome === 'completed'
              ? { outcome, result: system.shared.encode(value, 'The value of exit()') }
              : { outcome, error: { name: 'Error', message: reason ?? 'The program called fail().' } },
            pending,
          );
  const why = `the job '${row.id}' ended with ${outcome === 'completed' ? 'exit' : 'fail'}().`;
  return withWrites(planned, () =>
    slice.futures.filter((one) => one !== future).flatMap((one) => cancellation(one, why)),
  );
}

function withWrites(planned: PlannedChange, more: (change: JobUpdate) => readonly Write[]): PlannedChange {
  const { checks, writes } = planned.also;
  return { ...planned, also: { checks, writes: [...writes, ...more(planned.change)] } };
}

/** Calls and the like that the slice asked for before it ended the job: they are dropped with it. */
function unmadeBefore(end: number, { futures }: CommittingSlice): string[] {
  return futures.filter((future) => future.number < end && isDeed(future)).map(({ label }) => label);
}

async function endedStep(system: JobSystem, { workspace, step, lines, handles }: CommittingSlice): Promise<EndedStep> {
  if (step === undefined) throw new Error('There is no step.');
  const [first, last] = step.commits ?? [0, 0];
  const earlier = first < last ? await linesBetween(system.workspaces.context, workspace, [first, last - 1]) : [];
  return {
    number: step.number,
    status: step.status === 'done' ? 'done' : 'failed',
    value:
      step.value === undefined
        ? undefined
        : decodeWire(step.value, {
            handle: (name) => handles.objectOrShown(name),
            callback: () => undefined,
            maxBytes: Number.POSITIVE_INFINITY,
          }),
    shown: step.shown,
    error: step.error,
    console: [...earlier, ...lines].filter((line) => line.step === step.number).map(({ text }) => text),
    commit: step.commit,
  };
}

/**
 * What must hold for the job to leave the queue with this slice: nothing that it waits for has come, and nobody has to do
 * anything for it. Undefined if that is not so, or not known yet.
 */
async function parkedBy(
  system: JobSystem,
  row: JobRow,
  { state, futures }: CommittingSlice,
): Promise<Check[] | undefined> {
  if (row.messages.next - 1 > row.messages.read && row.action?.kind === 'wait') return undefined;
  const isQuiet = (future: FutureRow): boolean =>
    future.outcome === undefined &&
    future.kind !== 'signal' &&
    future.kind !== 'subtask' &&
    (future.kind !== 'call' || future.approval === 'needed');
  if (!futures.every(isQuiet)) return undefined;
  const fresh = new Set(futures.map(({ number }) => number));
  const own = workspaceOf(row);
  const earlier = state.waiting.filter(({ workspace, number }) => workspace !== own || !fresh.has(number));
  if (earlier.length === 0) return [];
  if (earlier.length > maxToLookUp) return undefined;
  const entries = await system.store.read(
    futureRows,
    earlier.map(({ workspace, number }) => [workspace, number]),
  );
  const checks: Check[] = [];
  for (const entry of entries) {
    if (entry === undefined) continue;
    if (!isQuiet(entry.value) && !(await isListening(system, entry.value))) return undefined;
    checks.push(...unchangedFutures([entry]));
  }
  return checks;
}

/** It waits for a signal, and none came before. Until the job is seen to after it was started again, signals do not find it. */
async function isListening({ store }: JobSystem, future: FutureRow): Promise<boolean> {
  const key = signalWaitKey(future);
  return key !== undefined && isOpen(future) && (await store.read(signalWaitRows, [key]))[0] !== undefined;
}
