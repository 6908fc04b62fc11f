// Works on one job while this process holds its lease: asks its driver, runs its slices, makes its calls, one thing after
// another, until it has nothing to do. Everything that counts is in the store; this may end at any point.
import { count, inTrace, traced } from '../../base/telemetry.ts';
import { after } from '../../base/clock.ts';
import {
  commitParts,
  emptyPart,
  mergeParts,
  StoreCorruptError,
  type Key,
  type Lease,
  type Write,
} from '../../store/door.ts';
import { InvalidOptionError } from '../../base/options.ts';
import {
  CancelledError,
  futureRows,
  KitClosedError,
  LeaseLostError,
  unchangedFutures,
  waitingIn,
  workspaceRows,
  WorkspaceTakenError,
  type Acting,
  type FutureReference,
  type Tenancy,
} from '../../workspace/door.ts';
import { advance } from './advance.ts';
import { leaveDamaged } from '../changes/damaged.ts';
import { beginCancelling, isCleanupOver } from '../changes/cancelling.ts';
import { updateJob, type KnownJob } from '../changes/job-changes.ts';
import type { TurnEvent } from '../driver.ts';
import { DriverCall } from './driver-call.ts';
import { ending, jobErrorOf, type PlannedChange } from '../changes/ending.ts';
import { crashNote } from '../journal/crash-notes.ts';
import { CrashLoopError, QuarantinedError } from '../errors.ts';
import { cancelledEnd, JobParticipant } from './joining.ts';
import { isEndOfStore, isOutage } from './outages.ts';
import { isStopped, tooLate } from '../changes/overdue.ts';
import { beginStep, isUsedByOthers, waitForWorkspace } from './job-workspace.ts';
import {
  jobCallRows,
  type JobAction,
  type JobCallRow,
  type JobError,
  type JobRow,
  type JobUpdate,
  type JobWork,
} from '../rows.ts';
import { cancelChildren } from '../changes/children.ts';
import { sendFailureNotice } from '../changes/failure-notice.ts';
import { partFor, standingAt, workKey } from '../queue-place.ts';
import { adoption } from '../changes/adopting.ts';
import { meetsNeed } from '../code-version.ts';
import type { ActiveJob } from './active-jobs.ts';
import type { JobSystem } from '../system.ts';
import { holdsWorkspace, workspaceOf } from '../changes/workspace-holders.ts';

export interface RunnerOptions {
  /** How often processes may die of a job in a row. */
  readonly maxCrashes: number;
  /** Runs something while no other job that is under suspicion runs. */
  alone(action: () => Promise<void>): Promise<void>;
}

/** This process may not work on the job any longer; another one may have it already. */
class LostJob extends Error {}

/** Whether there may be more to do for the job; if not, it has left the queue, or is not this process's any more. */
type Next = 'more' | 'nothing';

const maxInfrastructureFailures = 8;
const outageMilliseconds = 200;
/** How often a job looks whether a step of somebody else's in its workspace is over. */
const heldUpMilliseconds = 500;

export class Runner implements ActiveJob {
  readonly id: string;
  readonly role: string;
  /** The workspace it runs in. */
  readonly workspace: string;
  readonly token: number;
  readonly ended: Promise<void>;
  readonly #system: JobSystem;
  readonly #lease: Lease;
  readonly #tenancy: Tenancy;
  /** The lease of a job is that of its own workspace. One that it was given has another, which is acquired when it is used. */
  readonly #inWorkspace: Tenancy | undefined;
  readonly #participant: JobParticipant;
  readonly #options: RunnerOptions;
  #call: DriverCall | undefined;
  #stopping = false;
  #left = false;
  /** The job as this runner has just committed it, and what it recorded of its call: no need to read them again. */
  #committed: KnownJob | undefined;
  #recorded: JobCallRow | undefined;
  /** The end that this runner began to tell of. */
  #began: number | undefined;
  #pokes = 0;
  #poked: (() => void) | undefined;

  constructor(system: JobSystem, lease: Lease, item: JobWork, takenOver: boolean, options: RunnerOptions) {
    this.#system = system;
    this.#lease = lease;
    this.#options = options;
    const { role, id } = standingAt(lease.key);
    this.role = role;
    this.id = id;
    this.workspace = workspaceOf({ id: this.id, ...item });
    // No workspace has a name that begins with half of a pair.
    const leaseName = item.workspace === undefined ? this.id : `\ud800${this.id}`;
    this.token = lease.token;
    // Whatever it waits for, it stops waiting when the lease is lost.
    this.#tenancy = system.workspaces.context.leases.adopt(leaseName, lease, () => this.poke());
    this.#inWorkspace = item.workspace === undefined ? this.#tenancy : undefined;
    this.#participant = new JobParticipant(system, {
      id: this.id,
      role: this.role,
      token: this.token,
      isGuest: item.workspace !== undefined,
      hasLease: () => this.#tenancy.isHeld,
    });
    this.ended = this.#work(takenOver);
  }

  /** How it acts in its workspace. */
  get #acting(): Acting {
    return { participant: this.#participant, tenancy: this.#inWorkspace };
  }

  /** Something of the job has changed: look again. */
  poke(): void {
    this.#pokes++;
    this.#committed = undefined;
    this.#participant.known = undefined;
    this.#poked?.();
  }

  /** Ends at the next point at which nothing is under way. */
  stop(): void {
    this.#stopping = true;
    this.poke();
  }

  /** Ends without waiting for calls that are under way; whether they had their effect is then unknown. */
  abandon(): void {
    this.#left = true;
    this.#call?.abort();
    this.#system.workspaces.calls.abandon(this.workspace);
    this.stop();
  }

  async #work(takenOver: boolean): Promise<void> {
    const { active, workspaces, store } = this.#system;
    const { leases } = workspaces.context;
    active.add(this);
    let next: Next = 'more';
    try {
      await this.#system.faults?.hit('claim.after', this.id);
      next = await this.#survived(() => this.#admit());
      if (takenOver && next === 'more') await this.#takeOver();
      while (!this.#stopping && next === 'more') next = await this.#survived(() => this.#once());
      this.#system.finishedJob(this.id);
    } catch (error) {
      if (error instanceof LostJob) this.#system.lostJob(this.id);
      // Its row itself cannot be read: given back, it would be claimed again at once, for ever.
      if (error instanceof StoreCorruptError && this.#tenancy.isHeld) {
        await leaveDamaged(this.#system, this.id, this.#tenancy.lease, error).catch(() => undefined);
        next = 'nothing';
      }
    } finally {
      const isHeld = next === 'more' && this.#tenancy.isHeld;
      leases.vacate(this.#tenancy);
      active.remove(this, this.workspace);
      if (isHeld) await store.release([this.#tenancy.lease]).catch(() => undefined);
      // The next job of a given workspace may be another process's.
      if (this.#inWorkspace === undefined) await leases.releaseIfIdle(this.workspace);
    }
  }

  /**
   * A job that this process's code may not work on goes where those who may will find it: it stood elsewhere when it began, or
   * its process died before it left the queue. One that an older version worked on is adopted by the rules of its role.
   */
  async #admit(): Promise<Next> {
    for (;;) {
      const pokes = this.#pokes;
      const known = await this.#known();
      if (known === undefined) return 'nothing';
      const { row } = known;
      const isEnding = row.status === 'DONE' || isStopped(row);
      if (isEnding || meetsNeed(row, this.#system.versionOf(row.role))) {
        const adopted = isEnding ? undefined : await adoption(this.#system, row, () => this.#waiting(row));
        if (adopted === undefined) {
          if (pokes === this.#pokes) this.#committed = known;
          return 'more';
        }
        await this.#commit(known, adopted);
        continue;
      }
      const queue = partFor(row);
      if (JSON.stringify(queue) === JSON.stringify(row.queue)) {
        this.#stopping = true;
        return 'more';
      }
      await this.#commit(known, planOf({ queue }));
    }
  }

  /**
   * Processes die of many things, so the first time is no reason to hold anybody up. From the second time on, those that
   * were not seen to survive go one at a time: then it is known whose fault it is.
   */
  async #takeOver(): Promise<void> {
    const known = await this.#known();
    if (known === undefined) return;
    if (known.row.crashes === 0 && this.#options.maxCrashes > 1) await this.#suspected();
    else await this.#options.alone(() => this.#suspected());
  }

  /** The process that worked on it last died or was cut off. If that happens again and again, it is the job's fault. */
  async #suspected(): Promise<void> {
    const known = await this.#known();
    if (known === undefined) return;
    const { row } = known;
    count('statek.jobs.crashes', { role: row.role });
    if (row.crashes >= this.#options.maxCrashes && row.status !== 'DONE') {
      const end = await ending(
        this.#system,
        row,
        { outcome: 'failed', error: crashLoop(row), isFinal: true },
        await this.#waiting(row),
      );
      await this.#commit(known, {
        ...end,
        change: { ...end.change, hasCrashed: true },
        also: mergeParts(end.also, await crashNote(this.#system, row)),
      });
      return;
    }
    this.#system.again('a process died or was cut off while it worked on a job', {
      job: row.id,
      times: row.crashes + 1,
    });
    const crashed = { kind: 'crashed' as const, data: { times: row.crashes + 1 } };
    const planned: PlannedChange = {
      change: { crashes: row.crashes + 1, hasCrashed: true },
      events: [crashed],
      also: await crashNote(this.#system, row),
    };
    if ((await this.#commit(known, planned)) === 'more') await this.#survived(() => this.#once());
  }

  /** What goes wrong around the job is not the job's end: it is tried again later, and quarantined after a while. */
  async #survived(action: () => Promise<Next>): Promise<Next> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof LostJob || error instanceof KitClosedError || this.#left) throw error;
      if (error instanceof LeaseLostError || error instanceof WorkspaceTakenError) throw new LostJob();
      if (isEndOfStore(error)) throw error;
      if (isOutage(error)) {
        this.#system.workspaces.live(this.workspace).forget();
        await new Promise<void>((resolve) => after(this.#system.clock, outageMilliseconds, resolve));
        return 'more';
      }
      return this.#infrastructureFailed(error);
    }
  }

  async #infrastructureFailed(error: unknown): Promise<Next> {
    const known = await this.#known();
    if (known === undefined) return 'nothing';
    const { row } = known;
    const { name, message, ...rest } = jobErrorOf(error);
    if (row.mishaps >= maxInfrastructureFailures) {
      const end = { outcome: 'failed', error: quarantined(row, `${name}: ${message}`), isFinal: true } as const;
      const planned = await ending(this.#system, row, end, await this.#waiting(row));
      const told = { kind: 'quarantined' as const, data: { name, message, ...rest } };
      this.#system.quarantined(end.error.message, { job: row.id, role: row.role });
      return this.#commit(known, { ...planned, events: [told, ...planned.events] });
    }
    const pause = Math.min(60_000, 250 * 2 ** row.mishaps);
    this.#system.again('a job could not go on, and is tried again', {
      job: row.id,
      times: row.mishaps + 1,
      error: `${name}: ${message}`,
    });
    return this.#commit(known, {
      change: {
        mishaps: row.mishaps + 1,
        at: null,
        timers: { ...row.timers, wake: this.#system.clock.now() + pause },
      },
      events: [{ kind: 'mishap', data: { name, message, ...rest } }],
      also: emptyPart,
    });
  }

  /** The job as it is, as long as it is this process's. */
  async #known(): Promise<KnownJob | undefined> {
    const known = this.#committed ?? (await this.#system.read(this.id));
    if (known === undefined || !standsAt(known.row, this.#lease.key)) return undefined;
    if (!this.#tenancy.isHeld) throw new LostJob();
    return known;
  }

  /** Does one thing. */
  async #once(): Promise<Next> {
    const pokes = this.#pokes;
    const known = await this.#known();
    if (known === undefined) return 'nothing';
    return inTrace(known.row.trace, () => this.#next(known, pokes));
  }

  async #next(known: KnownJob, pokes: number): Promise<Next> {
    const { row } = known;
    this.#occupy(row);
    if (row.telling !== undefined) return this.#tell(known, row.telling);
    if (row.status === 'DONE') {
      if (row.action?.kind === 'sweep') await cancelChildren(this.#system, row);
      return this.#commit(known, planOf({ at: null, action: null }));
    }
    if (row.cancelling !== undefined) return this.#cancel(known, pokes);
    if (row.paused === true) return this.#commit(known, planOf({ at: null }));
    if (row.late === true || row.overdue === true)
      return this.#commit(known, await tooLate(this.#system, row, await this.#waiting(row)));
    if (!holdsWorkspace(row)) return this.#commit(known, await waitForWorkspace(this.#system, row));
    const { action } = row;
    switch (action?.kind) {
      case 'run':
        return this.#run(known, action, pokes);
      case 'call':
        return this.#makeCall(known, action);
      case 'wait':
        if (row.messages.next - 1 > row.messages.read) return this.#turn(known, { kind: 'message' });
        if (action.until !== undefined && action.until <= this.#system.clock.now())
          return this.#turn(known, { kind: 'time' });
        return this.#park(known, action.until);
      default:
        return this.#turn(known, { kind: 'begin' });
    }
  }

  /** While it holds its workspace, whoever finds something to do in the workspace tells this job. */
  #occupy(row: JobRow): void {
    if (holdsWorkspace(row)) this.#system.active.enter(this, this.workspace);
    else this.#system.active.leave(this, this.workspace);
  }

  async #turn(known: KnownJob, event: TurnEvent): Promise<Next> {
    return this.#commit(known, await advance(this.#system, known, event, this.token, await this.#waiting(known.row)));
  }

  async #run(known: KnownJob, action: Extract<JobAction, { kind: 'run' }>, pokes: number): Promise<Next> {
    const { workspaces } = this.#system;
    // Slices change the job with commits of their own.
    this.#committed = undefined;
    this.#participant.known = pokes === this.#pokes ? known : undefined;
    if (action.step === undefined && !(await isUsedByOthers(this.#system, known.row))) {
      try {
        await this.#traced('statek.step', () => beginStep(this.#system, known.row, action, this.#acting));
        if (pokes === this.#pokes) this.#committed = this.#participant.known;
        return 'more';
      } catch (error) {
        if (known.row.workspace === undefined || !(error instanceof InvalidOptionError)) throw error;
        // The workspace it was given cannot be given what the job needs.
        return this.#commit(
          known,
          await ending(this.#system, known.row, { outcome: 'failed', error: jobErrorOf(error) }),
        );
      }
    }
    await this.#traced('statek.resume', () =>
      workspaces.live(this.workspace).continue((call) => workspaces.calls.isRunning(call), this.#acting),
    );
    return this.#restOrWait(known, pokes);
  }

  async #traced<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
    const attributes = { 'statek.job.role': this.role };
    try {
      return await traced(name, 'statek.slice.duration', attributes, action, { 'statek.job.id': this.id });
    } finally {
      for (const slow of this.#participant.takeSlow()) await this.#system.slow(this.id, slow);
    }
  }

  /** The program has nothing to do now: waits for calls this process makes, or leaves the queue. */
  async #restOrWait(known: KnownJob, pokes: number): Promise<Next> {
    const { calls } = this.#system.workspaces;
    const again = await this.#known();
    if (again?.revision !== known.revision) return again === undefined ? 'nothing' : 'more';
    if (calls.isBusy(this.workspace)) {
      await this.#nextPoke(pokes);
      return 'more';
    }
    const { action } = again.row;
    // Somebody else's step is waited for; nobody tells the job of its end.
    const isHeldUp = action?.kind === 'run' && action.step === undefined;
    return this.#park(
      again,
      again.row.cancelling?.until ?? (isHeldUp ? this.#system.clock.now() + heldUpMilliseconds : undefined),
    );
  }

  async #makeCall(known: KnownJob, action: Extract<JobAction, { kind: 'call' }>): Promise<Next> {
    if (this.#call?.number !== action.number) this.#call = new DriverCall(this.#system, this.id, action.number);
    const look = (): Promise<KnownJob | undefined> => this.#known();
    const planned = await this.#call.next(
      { known, action, token: this.token, recorded: this.#recorded, look },
      async (made) => {
        for (;;) {
          const pokes = this.#pokes;
          if (await Promise.race([made.then(() => true), this.#nextPoke(pokes).then(() => false)])) return;
          if (this.#left || !this.#tenancy.isHeld) throw new LostJob();
          const now = await this.#system.read(this.id);
          if (now !== undefined && isStopped(now.row)) this.#call?.abort(reasonOf(now.row));
        }
      },
    );
    return planned === undefined ? 'more' : this.#commit(planned.known, planned.planned);
  }

  async #cancel(known: KnownJob, pokes: number): Promise<Next> {
    const { row } = known;
    const { workspaces } = this.#system;
    const waiting = await this.#waiting(row);
    const isRunning = row.action?.kind === 'run' && row.action.step !== undefined;
    if (!isRunning || isCleanupOver(row, this.#system.clock.now()))
      return this.#commit(known, await cancelledEnd(this.#system, row, waiting));
    if (row.cancelling?.until === undefined)
      return this.#commit(known, await beginCancelling(this.#system, row, waiting));
    await workspaces.calls.abortCancelled(this.workspace, reasonOf(row));
    this.#committed = undefined;
    await workspaces.live(this.workspace).continue((call) => workspaces.calls.isRunning(call), this.#acting);
    return this.#restOrWait(known, pokes);
  }

  /** Tells the driver that the job has no result: recorded before it is done, so that it is done once. */
  async #tell(known: KnownJob, telling: NonNullable<JobRow['telling']>): Promise<Next> {
    const { ended } = known.row;
    if (telling.begun !== true) {
      this.#began = ended;
      return this.#commit(known, planOf({ telling: { ...telling, begun: true } }));
    }
    await sendFailureNotice(this.#system, known.row, telling, this.#began !== ended);
    const latest = await this.#known();
    return latest === undefined ? 'nothing' : this.#commit(latest, planOf({ telling: undefined }));
  }

  /** Leaves the queue, unless something has come meanwhile. */
  async #park(known: KnownJob, wake?: number): Promise<Next> {
    await this.#system.faults?.hit('park.before', this.id);
    const waiting = await this.#waiting(known.row);
    const entries =
      waiting.length === 0
        ? []
        : await this.#system.store.read(
            futureRows,
            waiting.map(({ workspace, number }) => [workspace, number]),
          );
    if (known.row.action?.kind === 'run') {
      const { store, workspaces } = this.#system;
      const { settled, calls } = await waitingIn(store, this.workspace, entries);
      // A call that a fork shares is made once, by whoever began; whoever waits for it is woken by its outcome.
      if (settled.length > 0 || calls.some((call) => !workspaces.calls.isRunning(call))) return 'more';
    }
    const { wake: _wake, ...timers } = known.row.timers;
    const isSuspended = known.row.status !== 'SUSPENDED' && known.row.status !== 'READY';
    return this.#commit(known, {
      change: {
        at: null,
        crashes: 0,
        mishaps: 0,
        status: known.row.status === 'READY' ? 'READY' : 'SUSPENDED',
        timers: wake === undefined ? timers : { ...timers, wake },
      },
      events: isSuspended ? [{ kind: 'suspended' }] : [],
      also: { checks: unchangedFutures(entries), writes: [] },
    });
  }

  /** What the job's program waits for. */
  async #waiting(row: JobRow): Promise<readonly FutureReference[]> {
    if (row.hasWorkspace !== true || !holdsWorkspace(row)) return [];
    const [entry] = await this.#system.store.read(workspaceRows, [[this.workspace]]);
    return entry?.value.state.waiting ?? [];
  }

  /** Commits a change under the lease; there is more to do as long as the job is in the queue, changed or not. */
  async #commit(known: KnownJob, { change, events, also }: PlannedChange): Promise<Next> {
    const { faults, store, clock } = this.#system;
    const { checks, writes, after: changed } = updateJob(known, change, events, clock.now());
    if (!this.#tenancy.isHeld) throw new LostJob();
    const { lease } = this.#tenancy;
    await faults?.hit('commit.before', this.id);
    const all = mergeParts({ checks, writes }, also);
    this.#committed = undefined;
    const pokes = this.#pokes;
    const result = await commitParts(store, [all], lease);
    if (result.status === 'committed' && pokes === this.#pokes) {
      this.#committed = { row: changed, revision: result.revision };
      this.#recorded = recordedCall(changed, all.writes);
    }
    if (result.status === 'conflict' && result.conflict.kind === 'lease') {
      this.#system.workspaces.context.leases.lost(this.#tenancy);
      throw new LostJob();
    }
    await faults?.hit('commit.after', this.id);
    return result.status !== 'committed' || changed.at !== null ? 'more' : 'nothing';
  }

  async #nextPoke(pokes: number): Promise<void> {
    if (this.#pokes !== pokes || this.#left) return;
    await new Promise<void>((resolve) => {
      this.#poked = resolve;
    });
    this.#poked = undefined;
  }
}

/** What was recorded of the call the job is to make. */
function recordedCall({ action }: JobRow, writes: readonly Write[]): JobCallRow | undefined {
  if (action?.kind !== 'call') return undefined;
  const write = writes.find(({ collection, key }) => collection.name === jobCallRows.name && key[1] === action.number);
  return write?.kind === 'put' ? (write.value as JobCallRow) : undefined;
}

function standsAt(row: JobRow, key: Key): boolean {
  return row.at !== null && JSON.stringify(workKey({ ...row, at: row.at })) === JSON.stringify(key);
}

function planOf(change: JobUpdate): PlannedChange {
  return { change, events: [], also: emptyPart };
}

function doing({ action }: JobRow): string {
  switch (action?.kind) {
    case 'run':
      return action.step === undefined ? 'at the beginning of a step' : `in step ${action.step}`;
    case 'call':
      return `in the call of '${action.name}'`;
    default:
      return 'while its driver decided';
  }
}

/** The process died too often while it worked on the job. */
function crashLoop(row: JobRow): JobError {
  return jobErrorOf(
    new CrashLoopError(
      `The process died ${row.crashes + 1} times while it worked on the job '${row.id}' (${doing(row)}), so it is not tried again. Look for code that ends the process or takes all of its memory.`,
      { id: row.id, crashes: row.crashes + 1 },
    ),
  );
}

/** Too many tries to work on the job have failed. */
function quarantined(row: JobRow, why: string): JobError {
  return jobErrorOf(
    new QuarantinedError(`The job '${row.id}' is quarantined after ${row.mishaps + 1} tries to go on with it: ${why}`),
  );
}

/** Why a job is to end, for the calls that are under way: it is the reason of their abort signal. */
function reasonOf({ cancelling }: JobRow): CancelledError | undefined {
  return cancelling && new CancelledError(cancelling.reason);
}
