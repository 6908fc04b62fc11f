// Workflows: what was reported of their steps, checkpoints from which they are resumed, and commands to pause, resume and cancel them.
// In a kit, jobs are workflows, too. A status is not stored: it follows from the steps, or from the row of the job.
import { randomUUID } from 'node:crypto';
import { wholeNumberOption } from '../../base/options.ts';
import type { JobRow } from '../../jobs/door.ts';
import {
  commitParts,
  mergeParts,
  type Check,
  type Entry,
  type Store,
  type TransactionPart,
  type Write,
} from '../../store/door.ts';
import {
  StateArgumentError,
  StateConflictError,
  StateNotFoundError,
  StateTransitionError,
} from '../foundation/errors.ts';
import { Changes, type Decision } from '../foundation/changes.ts';
import { checkedName, freeName } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import {
  subscribeToChanges,
  type ChangeCallback,
  type EventOptions,
  type Followed,
} from '../foundation/subscribing.ts';
import { keyMatcher, type KeyPattern } from '../manager/pattern.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import { checkTransition } from '../foundation/transitions.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import { JobWorkflows, statusOfJob } from './kit-jobs.ts';
import {
  StepStatus,
  type StepReport,
  type StepState,
  type WorkflowCheckpoint,
  type WorkflowProgress,
  type WorkflowState,
  WorkflowStatus,
} from './records.ts';
import {
  checkpointNames,
  checkpointRows,
  workflowCollections,
  workflowIndexRows,
  workflowRows,
  workflowStepRows,
  type CheckpointRow,
  type WorkflowRow,
  type WorkflowStepRow,
} from './rows.ts';
import {
  isEnded,
  progressOf,
  stateOf,
  statusOf,
  stepOf,
  stepTransitions,
  workflowTransitions,
} from './workflow-status.ts';

/** Where workflows are kept, and when checkpoints are made. */
export interface WorkflowStateManagerOptions extends PlaceOptions {
  /** A checkpoint is made whenever so many more steps are completed; default: only when asked for. */
  readonly checkpointInterval?: number | undefined;
  /** How many checkpoints of a workflow are kept: the latest, by number; default: all. */
  readonly keepCheckpoints?: number | undefined;
}

/** What a workflow begins with. */
export interface NewWorkflow {
  /** Default: a random one. */
  readonly workflowId?: string | undefined;
  /** Default: its id. */
  readonly name?: string | undefined;
  readonly totalSteps: number;
  /** The names of its steps, in order; those without a name get one with their first report. */
  readonly steps?: readonly string[] | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /** New workflows are pending, at step 0: these may be said, and nothing else. */
  readonly status?: 'pending' | undefined;
  readonly currentStep?: 0 | undefined;
  /** The same report made twice happens once. */
  readonly idempotencyKey?: string | undefined;
}

/** Which workflows, the latest first. */
export interface WorkflowListOptions {
  readonly status?: WorkflowStatus | undefined;
  /** How many at most; default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  /** The cursor of the page before. */
  readonly cursor?: string | undefined;
}

/** One page of workflows; give `cursor` to the next call until it is undefined. */
export interface WorkflowPage {
  readonly workflows: readonly WorkflowState[];
  readonly cursor: string | undefined;
}

/** What a checkpoint is made with. */
export interface NewCheckpoint {
  /** Default: `checkpoint_` and its number. */
  readonly checkpointId?: string | undefined;
  /** Default: the context of the workflow. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

const maxLimit = 1000;
const maxSteps = 100_000;
const some = is.whole(1, 1_000_000);
const kinds: Kinds<WorkflowStateManagerOptions> = { ...placeKinds, checkpointInterval: some, keepCheckpoints: some };
/** Workflows of one status are looked for among so many. */
const maxLookedAt = 5000;
const tagPrefix = 'workflow:';

/**
 * Workflows, their steps and their checkpoints. By itself it keeps what is reported; `kit.workflows` also has the jobs of the kit.
 *
 * @example
 * import { WorkflowStateManager } from 'statek/state';
 *
 * const workflows = new WorkflowStateManager({ store: 'memory:', checkpointInterval: 5 });
 * await workflows.create({ workflowId: 'research', totalSteps: 10 });
 * await workflows.updateStep('research', { stepNumber: 1, name: 'collect', status: 'completed', durationMs: 5400 });
 * const { currentStep, totalSteps, status } = await workflows.get('research');
 * console.log(`${currentStep}/${totalSteps} ${status}`); // prints 1/10 running
 * await workflows.close();
 */
export class WorkflowStateManager {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #interval: number | undefined;
  readonly #keep: number | undefined;
  #jobs: JobWorkflows | undefined;
  readonly #closing = new AbortController();

  constructor(options: WorkflowStateManagerOptions = {}) {
    checkGiven('WorkflowStateManager', options, kinds);
    const { checkpointInterval, keepCheckpoints, ...place } = options;
    this.#interval = checkpointInterval;
    this.#keep = keepCheckpoints;
    this.#place = new Place('WorkflowStateManager', place, workflowCollections);
    this.#changes = new Changes(() => this.#place.store());
  }

  /** @internal Shows the jobs of a kit, too; returns itself. */
  over(jobs: JobWorkflows): this {
    this.#jobs = jobs;
    return this;
  }

  /** Makes a workflow. Its steps are reported with `updateStep`. */
  async create(workflow: NewWorkflow): Promise<WorkflowState> {
    checkGiven('create', workflow, {
      workflowId: is.name,
      name: is.text,
      totalSteps: required(is.whole(1, maxSteps)),
      steps: is.listOf(is.text),
      context: is.record,
      // New workflows are pending, at step 0. What else is said of them is refused below.
      status: is.anything,
      currentStep: is.anything,
      idempotencyKey: is.reportKey,
    });
    const { workflowId = randomUUID(), name = workflowId, totalSteps, steps = [], context = {} } = workflow;
    const { status = 'pending', currentStep = 0 }: { status?: unknown; currentStep?: unknown } = workflow;
    if (status !== 'pending' || currentStep !== 0)
      throw new StateArgumentError('create: a new workflow is pending, at step 0. Report its steps with updateStep.');
    if (steps.length > totalSteps)
      throw new StateArgumentError(`create: there are more names than ${totalSteps} steps.`);
    if ((await this.#jobs?.row(workflowId)) !== undefined) throw taken(workflowId);
    const store = await this.#place.store();
    const { prefix, clock } = this.#place;
    const now = clock.now();
    const row: WorkflowRow = { workflowId, name, totalSteps, context, created: now, updated: now };
    const pending = steps.map((step, index) => pendingStep(index + 1, step, now));
    const contents = { create: { name, totalSteps, steps, context } };
    const scope = `the workflow '${workflowId}'`;
    const mark = await once(store, { prefix, scope, idempotencyKey: workflow.idempotencyKey, contents, time: now });
    if (mark === undefined) return this.get(workflowId);
    const made = await commitParts(store, [this.#creation(row, pending), mark]);
    if (made.status === 'conflict') {
      // Another process may have made the same report at the same time.
      if (
        workflow.idempotencyKey !== undefined &&
        (await once(store, { prefix, scope, idempotencyKey: workflow.idempotencyKey, contents, time: now })) ===
          undefined
      )
        return this.get(workflowId);
      throw taken(workflowId);
    }
    return stateOf(row, pending);
  }

  /** Reports what has become of a step. A step of a job is its program's, and cannot be reported. */
  async updateStep(
    workflowId: string,
    step: StepReport,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<StepState> {
    checkedName('updateStep', 'workflowId', workflowId);
    checkGiven('updateStep', step, {
      stepNumber: required(is.whole(1, maxSteps)),
      name: is.text,
      status: required(is.oneOf(StepStatus)),
      result: is.json,
      error: is.text,
      durationMs: is.amount,
    });
    checkGiven('updateStep', options, { idempotencyKey: is.reportKey });
    const { stepNumber, status } = step;
    const store = await this.#place.store();
    const { prefix, clock } = this.#place;
    // Reports of other steps change other rows, unless a checkpoint is made of all of them.
    const what = `${of(workflowId)}${this.#interval === undefined ? `, step ${stepNumber},` : ''}`;
    return this.#changes.make(what, async () => {
      const known = await this.#mustRead(store, workflowId, 'Steps of a job are those of its program');
      const { totalSteps } = known.value;
      wholeNumberOption('updateStep', 'stepNumber', stepNumber, 1, totalSteps);
      const key = [prefix, workflowId, stepNumber];
      const [before] = await store.read(workflowStepRows, [key]);
      const now = clock.now();
      const contents = { step: defined(step) };
      const scope = `the workflow '${workflowId}'`;
      const mark = await once(store, { prefix, scope, idempotencyKey: options.idempotencyKey, contents, time: now });
      if (mark === undefined && before !== undefined) return { value: stepOf(before.value) };
      const row = this.#reportedStep(known.value, before?.value, step, now);
      // Other steps change on their own; a pause or a cancellation is seen.
      const own: TransactionPart = {
        checks: [unchanged(workflowRows, known), expected(workflowStepRows, key, before)],
        writes: [{ kind: 'put', collection: workflowStepRows, key, value: row }],
      };
      const automatic = status === 'completed' ? await this.#automaticCheckpoint(store, known, row) : undefined;
      return { value: stepOf(row), part: mergeParts(own, mark, automatic) };
    });
  }

  /** A workflow, in a kit also a job. Throws if there is none. */
  async get(workflowId: string): Promise<WorkflowState> {
    const found = await this.find(workflowId);
    if (found === undefined) throw missing(workflowId);
    return found;
  }

  /** The same, or undefined if there is none. */
  async find(workflowId: string): Promise<WorkflowState | undefined> {
    checkedName('get', 'workflowId', workflowId);
    const store = await this.#place.store();
    const [known] = await store.read(workflowRows, [[this.#place.prefix, workflowId]]);
    if (known !== undefined) return stateOf(known.value, (await this.#steps(store, workflowId)).steps);
    const job = await this.#jobs?.row(workflowId);
    return job === undefined ? undefined : this.#jobs?.state(job);
  }

  async getStatus(workflowId: string): Promise<WorkflowStatus> {
    checkedName('getStatus', 'workflowId', workflowId);
    const job = await this.#job(workflowId);
    return job === undefined ? (await this.get(workflowId)).status : statusOfJob(job);
  }

  /** How far it has come, and what may be left. */
  async getProgress(workflowId: string): Promise<WorkflowProgress> {
    return progressOf(await this.get(workflowId));
  }

  /** Workflows, the latest first; in a kit with its jobs. */
  async list(options: WorkflowListOptions = {}): Promise<WorkflowPage> {
    checkGiven('list', options, {
      status: is.oneOf(WorkflowStatus),
      limit: is.whole(1, maxLimit),
      cursor: is.text,
    });
    const { status, limit = 100 } = options;
    const store = await this.#place.store();
    const found: WorkflowState[] = [];
    let position = options.cursor === undefined ? undefined : positionOf(options.cursor);
    let lookedAt = 0;
    for (;;) {
      const page = await this.#before(store, position, limit);
      for (const { created, id, state, isPossible } of page) {
        position = { created, id };
        lookedAt++;
        const one = isPossible(status) ? await state() : undefined;
        if (one !== undefined && (status === undefined || one.status === status)) found.push(one);
        if (found.length >= limit || lookedAt >= maxLookedAt) return { workflows: found, cursor: cursorOf(position) };
      }
      if (page.length < limit) return { workflows: found, cursor: undefined };
    }
  }

  /** Keeps the workflow as it is now; of a job, tags its latest commit. */
  async checkpoint(workflowId: string, options: NewCheckpoint = {}): Promise<WorkflowCheckpoint> {
    checkedName('checkpoint', 'workflowId', workflowId);
    checkGiven('checkpoint', options, { checkpointId: is.name, context: is.record });
    const store = await this.#place.store();
    return this.#changes.make(of(workflowId), async (): Promise<Decision<WorkflowCheckpoint>> => {
      const job = await this.#job(workflowId);
      const { number, isNext } = await this.#next(store, workflowId);
      const checkpointId = options.checkpointId ?? (await this.#freeName(store, workflowId, number));
      const common = { workflowId, checkpointId, number, time: this.#place.clock.now() };
      if (job !== undefined && this.#jobs !== undefined) {
        const { commit, part } = await this.#jobs.tag(job, `${tagPrefix}${checkpointId}`);
        const { currentStep } = await this.#jobs.state(job);
        const row: CheckpointRow = { ...common, step: currentStep, context: options.context ?? {}, commit };
        return { value: checkpointOf(row), part: mergeParts(part, await this.#checkpointPart(store, row, isNext)) };
      }
      const known = await this.#mustRead(store, workflowId);
      const { steps, revision } = await this.#steps(store, workflowId);
      const row = this.#checkpointRow(known.value, steps, common, options.context);
      const same: TransactionPart = {
        checks: [unchanged(workflowRows, known), this.#stepsUnchanged(workflowId, revision)],
        writes: [],
      };
      return { value: checkpointOf(row), part: mergeParts(same, await this.#checkpointPart(store, row, isNext)) };
    });
  }

  /** The checkpoints of a workflow, oldest first. */
  async listCheckpoints(workflowId: string): Promise<readonly WorkflowCheckpoint[]> {
    checkedName('listCheckpoints', 'workflowId', workflowId);
    const store = await this.#place.store();
    if ((await this.#job(workflowId)) === undefined) await this.#mustRead(store, workflowId);
    return (await this.#checkpoints(store, workflowId)).map(checkpointOf);
  }

  /**
   * A new workflow that goes on from a checkpoint of another one, which stays as it is. Of a job, a checkpoint may also be the hash of
   * one of its commits. With an `id` that was used for the same before, it is the same workflow.
   */
  async resumeFrom(
    from: string | Pick<WorkflowCheckpoint, 'workflowId' | 'checkpointId'>,
    checkpointId?: string,
    options: { readonly id?: string | undefined } = {},
  ): Promise<WorkflowState> {
    checkGiven('resumeFrom', options, { id: is.name });
    const origin = typeof from === 'object' ? (from as typeof from | null) : undefined;
    const workflowId = checkedName('resumeFrom', 'workflowId', origin?.workflowId ?? from);
    const wanted = checkedName('resumeFrom', 'checkpointId', checkpointId ?? origin?.checkpointId);
    const store = await this.#place.store();
    const job = await this.#job(workflowId);
    const [name] = await store.read(checkpointNames, [[this.#place.prefix, workflowId, wanted]]);
    const [row] = name ? await store.read(checkpointRows, [[this.#place.prefix, workflowId, name.value.number]]) : [];
    if (job !== undefined && this.#jobs !== undefined) {
      const commit = row?.value.commit ?? ((await this.#jobs.hasCommit(job, wanted)) ? wanted : undefined);
      if (commit === undefined) throw missingCheckpoint(workflowId, wanted);
      return this.get(await this.#jobs.fork(job, commit, options.id));
    }
    if (row?.value.workflow === undefined) throw missingCheckpoint(workflowId, wanted);
    return this.#resumed(store, row.value, row.value.workflow, options.id);
  }

  /** No step begins until it is resumed; of a job, nobody works on it. What is under way comes to its end. */
  async pause(workflowId: string): Promise<WorkflowState> {
    checkedName('pause', 'workflowId', workflowId);
    const job = await this.#job(workflowId);
    if (job !== undefined) {
      checkTransition(`The workflow '${workflowId}'`, workflowTransitions, statusOfJob(job), 'paused');
      await this.#jobs?.pause(workflowId);
      return this.get(workflowId);
    }
    return this.#command(workflowId, 'paused', (row, now) =>
      row.paused === undefined ? { ...row, paused: { time: now } } : undefined,
    );
  }

  /** Ends a pause. A job that is over is started again, if its driver can. */
  async resume(workflowId: string): Promise<WorkflowState> {
    checkedName('resume', 'workflowId', workflowId);
    if ((await this.#job(workflowId)) !== undefined) {
      await this.#jobs?.resume(workflowId);
      return this.get(workflowId);
    }
    return this.#command(workflowId, undefined, ({ paused, ...row }, _now, status) => {
      if (status !== 'paused')
        throw new StateTransitionError(
          `The workflow '${workflowId}' is ${status} and cannot be resumed; only a paused one can.`,
          { workflowId, status },
        );
      return paused && row;
    });
  }

  /** Ends it. A job is given the reason, and so are its calls that are under way, through their abort signal. */
  async cancel(workflowId: string, reason = 'The workflow was cancelled.'): Promise<WorkflowState> {
    checkedName('cancel', 'workflowId', workflowId);
    checkArgument('cancel', 'the reason', reason, is.text);
    const job = await this.#job(workflowId);
    if (job !== undefined) {
      checkTransition(`The workflow '${workflowId}'`, workflowTransitions, statusOfJob(job), 'cancelled');
      await this.#jobs?.cancel(workflowId, reason);
      return this.get(workflowId);
    }
    return this.#command(workflowId, 'cancelled', (row, now) =>
      row.cancelled === undefined ? { ...row, cancelled: { time: now, reason } } : undefined,
    );
  }

  /**
   * Calls `callback` with a workflow whenever something of it has changed, in any process, and with what it was when it was told before:
   * in order, at least once, one call after the other. For one workflow, or those whose ids match a pattern such as `research-*`.
   * Returns the function that ends it.
   */
  async subscribe(
    pattern: KeyPattern,
    callback: ChangeCallback<WorkflowState>,
    options: EventOptions = {},
  ): Promise<() => void> {
    const { matches } = keyMatcher(pattern);
    const { prefix } = this.#place;
    const own: ReadonlySet<string> = new Set([workflowRows.name, workflowStepRows.name]);
    const jobs = this.#jobs === undefined ? [] : [JobWorkflows.rows];
    const followed: Followed<WorkflowState> = {
      store: () => this.#place.store(),
      collections: [workflowRows, workflowStepRows, ...jobs],
      nameOf: ({ collection, key }) => {
        if (own.has(collection) && key[0] !== prefix) return undefined;
        const id = String(own.has(collection) ? key[1] : key[0]);
        return matches(id) ? id : undefined;
      },
      look: (id) => this.find(id),
      closing: this.#closing.signal,
    };
    return subscribeToChanges(followed, callback, options);
  }

  /** Ends all subscriptions, and closes the store if this manager opened it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#place.close();
  }

  async #job(workflowId: string): Promise<JobRow | undefined> {
    if (this.#jobs === undefined) return undefined;
    const store = await this.#place.store();
    const [own] = await store.read(workflowRows, [[this.#place.prefix, workflowId]]);
    return own === undefined ? this.#jobs.row(workflowId) : undefined;
  }

  async #mustRead(store: Store, workflowId: string, ofJob?: string): Promise<Entry<WorkflowRow>> {
    const [known] = await store.read(workflowRows, [[this.#place.prefix, workflowId]]);
    if (known !== undefined) return known;
    if (ofJob !== undefined && (await this.#jobs?.row(workflowId)) !== undefined)
      throw new StateArgumentError(`'${workflowId}' is a job. ${ofJob}.`, { workflowId });
    throw missing(workflowId);
  }

  /** All steps that something was said of, and a revision from which on changes of them are noticed. */
  async #steps(store: Store, workflowId: string): Promise<{ steps: WorkflowStepRow[]; revision: number }> {
    const steps: WorkflowStepRow[] = [];
    let cursor: string | undefined;
    let revision: number | undefined;
    do {
      const page = await store.scan(
        workflowStepRows,
        { prefix: [this.#place.prefix, workflowId] },
        { limit: 10_000, cursor },
      );
      steps.push(...page.entries.map(({ value }) => value));
      revision ??= page.revision;
      ({ cursor } = page);
    } while (cursor !== undefined);
    return { steps, revision };
  }

  #stepsUnchanged(workflowId: string, since: number): Check {
    const range = { prefix: [this.#place.prefix, workflowId] };
    return { kind: 'unchanged', collection: workflowStepRows, range, since };
  }

  #creation(row: WorkflowRow, steps: readonly WorkflowStepRow[]): TransactionPart {
    const { prefix } = this.#place;
    const { workflowId, created } = row;
    return {
      checks: [{ kind: 'absent', collection: workflowRows, key: [prefix, workflowId] }],
      writes: [
        { kind: 'put', collection: workflowRows, key: [prefix, workflowId], value: row },
        { kind: 'put', collection: workflowIndexRows, key: [prefix, created, workflowId], value: null },
        ...steps.map((step): Write => ({
          kind: 'put',
          collection: workflowStepRows,
          key: [prefix, workflowId, step.stepNumber],
          value: step,
        })),
      ],
    };
  }

  /** What a step becomes by a report; throws if that cannot follow. */
  #reportedStep(
    workflow: WorkflowRow,
    before: WorkflowStepRow | undefined,
    { stepNumber, name, status, result, error, durationMs }: StepReport,
    now: number,
  ): WorkflowStepRow {
    const { workflowId, cancelled, paused } = workflow;
    const what = `Step ${stepNumber} of the workflow '${workflowId}'`;
    const was = before?.status ?? 'pending';
    if (cancelled !== undefined)
      throw new StateTransitionError(`The workflow '${workflowId}' was cancelled: ${cancelled.reason}`, { workflowId });
    if (paused !== undefined && !isEnded(status) && was !== status)
      throw new StateTransitionError(`The workflow '${workflowId}' is paused, so no step begins. Resume it first.`, {
        workflowId,
      });
    checkTransition(what, stepTransitions, was, status);
    if (was === status && isEnded(status) && JSON.stringify(before?.result) !== JSON.stringify(result))
      throw new StateConflictError(`${what} is ${status} already, with another result.`, { workflowId, stepNumber });
    const begins = was === 'pending' || (was === 'failed' && !isEnded(status));
    const started = begins ? (status === 'pending' ? undefined : now - (durationMs ?? 0)) : before?.started;
    const took = durationMs ?? (isEnded(status) && started !== undefined ? Math.max(0, now - started) : undefined);
    const isRepeated = was === status && before !== undefined;
    return {
      stepNumber,
      name: name ?? before?.name ?? `step_${stepNumber}`,
      status,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
      ...(isRepeated && before.durationMs !== undefined
        ? { durationMs: before.durationMs }
        : took === undefined
          ? {}
          : { durationMs: took }),
      ...(started === undefined ? {} : { started }),
      ...(isEnded(status) ? { ended: (isRepeated ? before.ended : undefined) ?? now } : {}),
      time: now,
    };
  }

  async #automaticCheckpoint(
    store: Store,
    known: Entry<WorkflowRow>,
    step: WorkflowStepRow,
  ): Promise<TransactionPart | undefined> {
    if (this.#interval === undefined) return undefined;
    const { workflowId } = known.value;
    const { steps: before, revision } = await this.#steps(store, workflowId);
    const same: TransactionPart = { checks: [this.#stepsUnchanged(workflowId, revision)], writes: [] };
    const steps = [...before.filter(({ stepNumber }) => stepNumber !== step.stepNumber), step].toSorted(
      (a, b) => a.stepNumber - b.stepNumber,
    );
    const completed = steps.filter(({ status }) => status === 'completed').length;
    const wasCompleted = before.some(
      ({ stepNumber, status }) => stepNumber === step.stepNumber && status === 'completed',
    );
    if (wasCompleted || completed % this.#interval !== 0) return same;
    const { number, isNext } = await this.#next(store, workflowId);
    const common = { workflowId, checkpointId: `step_${completed}_complete`, number, time: step.time };
    const [named] = await store.read(checkpointNames, [[this.#place.prefix, workflowId, common.checkpointId]]);
    if (named !== undefined) return same;
    const row = this.#checkpointRow(known.value, steps, common);
    return mergeParts(same, await this.#checkpointPart(store, row, isNext));
  }

  #checkpointRow(
    workflow: WorkflowRow,
    steps: readonly WorkflowStepRow[],
    common: Pick<CheckpointRow, 'workflowId' | 'checkpointId' | 'number' | 'time'>,
    context = workflow.context,
  ): CheckpointRow {
    return { ...common, step: stateOf(workflow, steps).currentStep, context, workflow, steps };
  }

  /** The number of the next checkpoint, and the check that it still is: one that has come may be dropped again already. */
  async #next(store: Store, workflowId: string): Promise<{ readonly number: number; readonly isNext: Check }> {
    const prefix = [this.#place.prefix, workflowId];
    const { entries, revision } = await store.scan(checkpointRows, { prefix }, { reverse: true, limit: 1 });
    const number = (entries[0]?.value.number ?? 0) + 1;
    const range = { prefix, from: [...prefix, number] };
    return { number, isNext: { kind: 'unchanged', collection: checkpointRows, range, since: revision } };
  }

  /** The name of a checkpoint that was not given one. */
  #freeName(store: Store, workflowId: string, number: number): Promise<string> {
    return freeName(`checkpoint_${number}`, async (name) => {
      const [named] = await store.read(checkpointNames, [[this.#place.prefix, workflowId, name]]);
      return named !== undefined && named.value.number < number;
    });
  }

  async #checkpoints(store: Store, workflowId: string): Promise<CheckpointRow[]> {
    const rows: CheckpointRow[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.scan(checkpointRows, { prefix: [this.#place.prefix, workflowId] }, { cursor });
      rows.push(...page.entries.map(({ value }) => value));
      ({ cursor } = page);
    } while (cursor !== undefined);
    return rows;
  }

  /** What keeps a checkpoint, and drops those that are not kept any longer. */
  async #checkpointPart(store: Store, row: CheckpointRow, isNext: Check): Promise<TransactionPart> {
    const { prefix } = this.#place;
    const { workflowId, checkpointId, number } = row;
    const [named] = await store.read(checkpointNames, [[prefix, workflowId, checkpointId]]);
    // One that came meanwhile is met by the commit, and decided about again.
    if (named !== undefined && named.value.number < number)
      throw new StateConflictError(`The workflow '${workflowId}' has a checkpoint '${checkpointId}' already.`, {
        workflowId,
        checkpointId,
      });
    const old =
      this.#keep === undefined
        ? []
        : (await this.#checkpoints(store, workflowId)).filter((one) => one.number <= number - (this.#keep ?? 0));
    const job = old.some(({ commit }) => commit !== undefined) ? await this.#jobs?.row(workflowId) : undefined;
    const untagged = await Promise.all(
      old.map(async ({ checkpointId: name }) => job && this.#jobs?.untag(job, `${tagPrefix}${name}`)),
    );
    return mergeParts(
      {
        checks: [isNext, { kind: 'absent', collection: checkpointNames, key: [prefix, workflowId, checkpointId] }],
        writes: [
          { kind: 'put', collection: checkpointRows, key: [prefix, workflowId, number], value: row },
          { kind: 'put', collection: checkpointNames, key: [prefix, workflowId, checkpointId], value: { number } },
          ...old.flatMap((one): Write[] => [
            { kind: 'remove', collection: checkpointRows, key: [prefix, workflowId, one.number] },
            { kind: 'remove', collection: checkpointNames, key: [prefix, workflowId, one.checkpointId] },
          ]),
        ],
      },
      ...untagged,
    );
  }

  async #resumed(
    store: Store,
    { workflowId, checkpointId, context, steps = [] }: CheckpointRow,
    workflow: WorkflowRow,
    id = `${workflowId.slice(0, 150)}-${randomUUID()}`,
  ): Promise<WorkflowState> {
    const now = this.#place.clock.now();
    const { name, totalSteps } = workflow;
    const resumedFrom = { workflowId, checkpointId };
    const row: WorkflowRow = { workflowId: id, name, totalSteps, context, created: now, updated: now, resumedFrom };
    // What was under way then begins again.
    const begun = steps.map((step) =>
      step.status === 'running' || step.status === 'waiting' ? pendingStep(step.stepNumber, step.name, now) : step,
    );
    const made = await commitParts(store, [this.#creation(row, begun)]);
    if (made.status === 'committed') return stateOf(row, begun);
    const [existing] = await store.read(workflowRows, [[this.#place.prefix, id]]);
    const before = existing?.value.resumedFrom;
    if (before?.workflowId === workflowId && before.checkpointId === checkpointId) return this.get(id);
    throw taken(id);
  }

  async #command(
    workflowId: string,
    to: WorkflowStatus | undefined,
    change: (row: WorkflowRow, now: number, status: WorkflowStatus) => WorkflowRow | undefined,
  ): Promise<WorkflowState> {
    const store = await this.#place.store();
    return this.#changes.make(of(workflowId), async () => {
      const known = await this.#mustRead(store, workflowId);
      const { steps, revision } = await this.#steps(store, workflowId);
      const status = statusOf(known.value, steps);
      if (to !== undefined) checkTransition(`The workflow '${workflowId}'`, workflowTransitions, status, to);
      const now = this.#place.clock.now();
      const changed = change(known.value, now, status);
      if (changed === undefined) return { value: stateOf(known.value, steps) };
      const row = { ...changed, updated: now };
      return {
        value: stateOf(row, steps),
        part: {
          checks: [unchanged(workflowRows, known), this.#stepsUnchanged(workflowId, revision)],
          writes: [{ kind: 'put', collection: workflowRows, key: known.key, value: row }],
        },
      };
    });
  }

  /** Workflows and jobs before a place in the list of both, the latest first. */
  async #before(store: Store, position: Position | undefined, limit: number): Promise<readonly Listed[]> {
    const { prefix } = this.#place;
    const to = position && { to: [prefix, position.created, position.id] };
    const page = await store.scan(workflowIndexRows, { prefix: [prefix], ...to }, { reverse: true, limit });
    const own = page.entries.map(({ key }): Listed => {
      const id = String(key[2]);
      return { created: Number(key[1]), id, isPossible: () => true, state: () => this.find(id) };
    });
    const jobs = (await this.#jobs?.before(position, limit)) ?? [];
    const listed = jobs.map((row): Listed => ({
      created: row.created,
      id: row.id,
      isPossible: (status) => status === undefined || statusOfJob(row) === status,
      state: async () => this.#jobs?.state(row),
    }));
    return [...own, ...listed].toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1)).slice(0, limit);
  }
}

interface Position {
  readonly created: number;
  readonly id: string;
}

interface Listed extends Position {
  isPossible(status: WorkflowStatus | undefined): boolean;
  state(): Promise<WorkflowState | undefined>;
}

function cursorOf(position: Position): string {
  return Buffer.from(JSON.stringify([position.created, position.id])).toString('base64url');
}

function positionOf(cursor: string): Position {
  try {
    const [created, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (typeof created === 'number' && typeof id === 'string') return { created, id };
  } catch {
    // Refused below.
  }
  throw new StateArgumentError('list: this cursor is not one of a list of workflows.');
}

function checkpointOf(row: CheckpointRow): WorkflowCheckpoint {
  const { workflowId, checkpointId, number, step, context, time, commit, workflow, steps = [] } = row;
  return {
    workflowId,
    checkpointId,
    number,
    step,
    state: workflow && stateOf(workflow, steps),
    context,
    timestamp: new Date(time),
    commit,
  };
}

function pendingStep(stepNumber: number, name: string, time: number): WorkflowStepRow {
  return { stepNumber, name, status: 'pending', time };
}

function unchanged(collection: Check['collection'], { key, revision }: Entry<unknown>): Check {
  return { kind: 'revision', collection, key, revision };
}

function expected(
  collection: Check['collection'],
  key: Entry<unknown>['key'],
  before: Entry<unknown> | undefined,
): Check {
  return before === undefined ? { kind: 'absent', collection, key } : unchanged(collection, before);
}

/** Without members that were left open. */
function defined(contents: object): object {
  return Object.fromEntries(Object.entries(contents).filter(([, value]) => value !== undefined));
}

function of(workflowId: string): string {
  return `The workflow '${workflowId}'`;
}

function missing(workflowId: string): StateNotFoundError {
  return new StateNotFoundError(`There is no workflow '${workflowId}'.`, { workflowId });
}

function missingCheckpoint(workflowId: string, checkpointId: string): StateNotFoundError {
  return new StateNotFoundError(`The workflow '${workflowId}' has no checkpoint '${checkpointId}'.`, {
    workflowId,
    checkpointId,
  });
}

function taken(workflowId: string): StateConflictError {
  return new StateConflictError(`There is a workflow '${workflowId}' already.`, { workflowId });
}
