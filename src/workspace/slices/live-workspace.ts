// A workspace this process works on: one thing at a time, under its lease. It decides what the workspace does next; how a
// slice runs and is committed is in `slice.ts`, and what is tried again after a conflict in `retries.ts`.
import { StatekError } from '../../base/error.ts';
import { choiceOption, refuseUnknownOptions } from '../../base/options.ts';
import { commitParts, type Lease } from '../../store/door.ts';
import { matchWaits } from '../futures/arrivals.ts';
import { startableCalls } from '../futures/calls.ts';
import type { WorkspaceContext } from '../context.ts';
import { newWorkspace, type WorkspaceTraits } from '../variables/new-workspace.ts';
import { dropStep } from './drop-step.ts';
import { NotFoundError, WorkspaceBusyError } from '../errors.ts';
import type { CompiledStep } from '../language.ts';
import { loadText } from '../large-texts.ts';
import { LeaseLostError, type Tenancy } from '../leases.ts';
import type { WorkspaceLimits } from '../limits.ts';
import { handlesOf, loadWorkspace, type Loaded } from './loaded.ts';
import { waitingFor, type Waiting } from '../futures/waiting.ts';
import type { SliceParticipant } from '../owners.ts';
import { nextQueued } from './queued-steps.ts';
import { removeWorkspace } from '../past/remove.ts';
import { Attempts, StaleWorkspace } from './retries.ts';
import {
  readyRows,
  stepRows,
  workspaceRows,
  type CallRow,
  type ConsoleLine,
  type FutureReference,
  type FutureRow,
  type Owner,
  type StepRow,
} from '../rows.ts';
import {
  commitWithoutRun,
  runSlice,
  runSliceAhead,
  type CommittedSlice,
  type SlicePlace,
  type SliceWork,
} from './slice.ts';
import { SliceObjects } from './slice-objects.ts';
import { changeOfFailure, changeOfSlice, isStepFailure, type StepSlice } from './step-change.ts';
import type { GivenVariables } from '../variables/variables.ts';
import { undefinedMessage } from '../wire/wire.ts';

/** How a step is run. */
export interface RunOptions {
  /** `queue` (the default): a step given while another waits runs after it. `refuse`: it is an error. */
  readonly ifBusy?: 'queue' | 'refuse' | undefined;
  /**
   * A step that fails leaves nothing changed: neither variables nor objects. If it has waited, what it had done to objects
   * by then stands: others have seen it.
   */
  readonly allOrNothing?: boolean | undefined;
}

/** Starts the calls a committed slice asked for, under the tenancy in which it was committed. */
export type StartCalls = (calls: readonly CallRow[], tenancy: Tenancy) => void;

/** What a workspace has to be before a step runs in it: made if it is new, with variables and limits. */
export interface WorkspaceSetUp {
  readonly traits: WorkspaceTraits;
  readonly given: GivenVariables;
  limits(before: WorkspaceLimits): WorkspaceLimits;
  /** Variables are defined even if the program has them already. */
  readonly again: boolean;
}

/** On whose behalf something is done, and under which lease; by default nobody's, and one that is acquired for it. */
export interface Acting {
  readonly participant?: SliceParticipant | undefined;
  readonly tenancy?: Tenancy | undefined;
}

/** A step as it was committed, and the workspace at that moment. */
export interface StepResult {
  readonly step: StepRow;
  readonly loaded: Loaded;
  /** The lines and futures of the slice that was just committed. */
  readonly lines: readonly ConsoleLine[];
  readonly futures: readonly FutureRow[];
}

/** One turn of whoever works on the workspace. */
interface Turn extends SlicePlace {
  readonly tenancy: Tenancy | undefined;
}

export class LiveWorkspace {
  readonly id: string;
  readonly #context: WorkspaceContext;
  readonly #startCalls: StartCalls;
  /** Host objects given for variables of this workspace. */
  readonly #variables: () => ReadonlyMap<string, object>;
  #loaded: Loaded | undefined;
  /** As long as this is held, nobody else can have changed what is loaded. */
  #loadedUnder: Tenancy | undefined;
  /** Steps may be queued; unknown after loading. */
  #mayHaveQueued = true;
  /** Those who wait for the lease, in order: whoever came first has their turn first. */
  #acquiring: Promise<unknown> = Promise.resolve();
  /** What runs or waits for its turn, in order. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Futures of steps that failed: the next slice drops them from the program. */
  #forget: number[] = [];
  readonly #objects: SliceObjects;

  constructor(
    context: WorkspaceContext,
    id: string,
    variables: () => ReadonlyMap<string, object>,
    startCalls: StartCalls,
  ) {
    this.#context = context;
    this.#objects = new SliceObjects(context.objects);
    this.id = id;
    this.#variables = variables;
    this.#startCalls = startCalls;
  }

  /** Makes it, with its variables, in one commit; false if another process has made it first. */
  create(setUp: WorkspaceSetUp): Promise<boolean> {
    return this.#tracked(
      this.#inOrder(async () => {
        const attempts = new Attempts(this.id);
        const turn: Turn = { ...this.#place(attempts, undefined), tenancy: undefined, lease: () => undefined };
        try {
          this.#loaded = await newWorkspace(this.#context, this.id, setUp.traits, this.#variables());
          await this.#define(turn, setUp);
          return true;
        } catch (error) {
          this.forget();
          if (error instanceof StaleWorkspace) return false;
          throw error;
        }
      }),
    );
  }

  /** Gives it variables that it does not have yet, objects for those that it has, and limits. */
  bind(setUp: Omit<WorkspaceSetUp, 'traits'>): Promise<void> {
    return this.#serially({}, (turn) => this.#define(turn, setUp));
  }

  /** Runs a step. `setUp` is done first, and is part of the same commit. */
  run(source: string, options: RunOptions = {}, acting: Acting = {}, setUp?: WorkspaceSetUp): Promise<StepResult> {
    refuseUnknownOptions('workspace.run', options, { ifBusy: true, allOrNothing: true });
    if (options.ifBusy !== undefined) choiceOption('workspace.run', 'ifBusy', options.ifBusy, ['queue', 'refuse']);
    const owner = acting.participant?.owner;
    return this.#serially(acting, async (turn) => {
      for (;;) {
        const { row } = await this.#load(turn, setUp?.traits);
        const step: StepRow = {
          number: row.nextStep,
          source,
          status: 'queued',
          created: this.#context.clock.now(),
          ...(options.allOrNothing === true ? { allOrNothing: true } : {}),
          ...(owner === undefined ? {} : { owner }),
        };
        if (row.state.current !== null) {
          if (await this.#dropsAbandoned(turn, row.state.current, owner)) continue;
          if (options.ifBusy !== 'refuse') return this.#queue(turn, step);
          throw new WorkspaceBusyError(
            `The workspace '${this.id}' is waiting in step ${row.state.current}. Let the step be queued, or wait for settled().`,
            { workspace: this.id, step: row.state.current },
          );
        }
        // Steps that were queued before this one come first.
        const queued = await this.#nextQueued();
        if (queued === undefined) {
          if (setUp !== undefined) await this.#define(turn, setUp, true);
          return this.#begin(turn, step, row.nextStep + 1);
        }
        await this.#begin(turn, queued, row.nextStep);
      }
    });
  }

  /**
   * Delivers what has settled, runs what is queued, and starts calls a dead process left behind. A commit that gives the
   * lease back is the last: what comes after it is for whoever claims the workspace next.
   */
  continue(isRunning: (call: FutureReference) => boolean, acting: Acting = {}): Promise<void> {
    return this.#serially(acting, async (turn) => {
      while (turn.tenancy?.isHeld === true) {
        // Whoever takes part in slices looks after the workspace without a mark.
        const ready = turn.participant === undefined ? await this.#readyRevision() : undefined;
        const { row } = await this.#load(turn);
        const { current } = row.state;
        if (row.guests === true && current !== null && (await this.#dropsAbandoned(turn, current, undefined))) continue;
        const waiting = await waitingFor(this.#context.store, row);
        if (waiting.settled.length > 0) {
          await this.#settle(turn, waiting.settled);
          continue;
        }
        const queued = current === null ? await this.#nextQueued() : undefined;
        if (queued !== undefined) {
          await this.#begin(turn, queued, row.nextStep);
          continue;
        }
        // A signal may have been sent before the wait for it was in the store.
        const mayHaveSignals = ready !== undefined || turn.participant !== undefined;
        if (mayHaveSignals && (await matchWaits(this.#context, waiting.signals))) continue;
        this.#startOrRefuse(turn, waiting, isRunning);
        if (waiting.calls.length > 0 || ready === undefined) return;
        const result = await commitParts(this.#context.store, [
          {
            checks: [{ kind: 'revision', collection: readyRows, key: [this.id], revision: ready }],
            writes: [{ kind: 'remove', collection: readyRows, key: [this.id] }],
          },
        ]);
        if (result.status === 'committed') return;
      }
    });
  }

  /** The state to look at or to fork from; consistent, because nothing runs meanwhile. */
  inspect<Result>(
    look: (loaded: Loaded, lease: Lease) => Promise<Result> | Result,
    tenancy?: Tenancy,
  ): Promise<Result> {
    return this.#serially({ tenancy }, async (turn) => look(await this.#load(turn), this.#heldLease(turn.tenancy)));
  }

  /** Changes it in another way than by a slice: what is in memory is loaded anew afterwards. */
  change(change: (loaded: Loaded, lease: Lease) => Promise<void>, tenancy?: Tenancy): Promise<void> {
    return this.#serially({ tenancy }, async (turn) => {
      try {
        await change(await this.#load(turn), this.#heldLease(turn.tenancy));
      } finally {
        this.forget();
      }
    });
  }

  /** Removes it, with everything that was kept of it. */
  remove(): Promise<void> {
    return this.#serially({}, async ({ tenancy }) => {
      await removeWorkspace(this.#context, this.id, this.#heldLease(tenancy));
      this.forget();
    });
  }

  /** Resolves when nothing runs or waits to run. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay]);
  }

  /** Something runs or waits to run. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** About what it takes in memory. */
  get memoryBytes(): number {
    const image = this.#loaded?.image;
    return image?.memoryBytes ?? (image?.pageCount ?? 0) * 4096;
  }

  /** Leaves memory: nobody uses this object any more. */
  park(): void {
    if (this.#loaded !== undefined) {
      const { image, row } = this.#loaded;
      this.#context.languages.of(row.language).retire?.(image, undefined);
    }
    this.forget();
  }

  /** Forgets what is in memory: the next use loads it anew. */
  forget(): void {
    this.#loaded = undefined;
    this.#loadedUnder = undefined;
    this.#mayHaveQueued = true;
    this.#forget = [];
  }

  /** Does one thing at a time: under a tenancy that is given, or one that is acquired first and claimed again if it is lost. */
  #serially<Result>(acting: Acting, action: (turn: Turn) => Promise<Result>): Promise<Result> {
    const attempts = new Attempts(this.id);
    const { tenancy, participant } = acting;
    const place = this.#place(attempts, participant);
    return this.#tracked(
      tenancy === undefined ? this.#acquired(place, action) : this.#inTurn({ ...place, tenancy }, action),
    );
  }

  #place(attempts: Attempts, participant: SliceParticipant | undefined): Omit<SlicePlace, 'lease'> {
    return { context: this.#context, objects: this.#objects, attempts, participant };
  }

  #tracked<Result>(done: Promise<Result>): Promise<Result> {
    this.#underWay.add(done);
    const forget = (): void => void this.#underWay.delete(done);
    done.then(forget, forget);
    return done;
  }

  async #acquired<Result>(place: Omit<SlicePlace, 'lease'>, action: (turn: Turn) => Promise<Result>): Promise<Result> {
    for (;;) {
      const acquired = this.#acquiring.then(() => this.#context.leases.acquire(this.id));
      this.#acquiring = acquired.catch(() => undefined);
      const tenancy = await acquired;
      try {
        return await this.#inTurn({ ...place, tenancy }, action);
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        place.attempts.next('lease', error.message);
      } finally {
        tenancy.release();
      }
    }
  }

  #inTurn<Result>(
    place: Omit<SlicePlace, 'lease'> & { readonly tenancy: Tenancy },
    action: (turn: Turn) => Promise<Result>,
  ): Promise<Result> {
    const { tenancy, attempts } = place;
    return this.#inOrder(async () => {
      const turn: Turn = { ...place, lease: () => this.#heldLease(tenancy) };
      for (;;) {
        this.#heldLease(tenancy);
        try {
          return await action(turn);
        } catch (error) {
          if (!(error instanceof StaleWorkspace)) throw error;
          this.forget();
          if (error.kind === 'lease') {
            this.#context.leases.lost(tenancy);
            throw new LeaseLostError(this.id);
          }
          attempts.next('workspace', error.message);
        }
      }
    });
  }

  #inOrder<Result>(action: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #heldLease(tenancy: Tenancy | undefined): Lease {
    if (tenancy?.isHeld !== true) throw new LeaseLostError(this.id);
    return tenancy.lease;
  }

  /** What is in memory, if nobody can have changed it since; otherwise what the store has. One that is new is made. */
  async #load({ tenancy }: Turn, traits?: WorkspaceTraits): Promise<Loaded> {
    if (this.#loaded !== undefined) {
      if (this.#loadedUnder === tenancy) return this.#loaded;
      const [entry] = await this.#context.store.read(workspaceRows, [[this.id]]);
      if (entry === undefined || entry.revision !== this.#loaded.revision) this.forget();
    }
    this.#mayHaveQueued = true;
    this.#loaded ??= await this.#read(traits);
    this.#loadedUnder = tenancy;
    return this.#loaded;
  }

  async #read(traits: WorkspaceTraits | undefined): Promise<Loaded> {
    const found = await loadWorkspace(this.#context, this.id, this.#variables());
    if (found !== undefined) return found;
    if (traits !== undefined) return newWorkspace(this.#context, this.id, traits, this.#variables());
    throw new NotFoundError(`There is no workspace '${this.id}'.`, { workspace: this.id });
  }

  /** Defines variables and sets limits, if there is anything to do. `ahead`: committed with the next slice. */
  async #define(turn: Turn, setUp: Omit<WorkspaceSetUp, 'traits'>, ahead = false): Promise<void> {
    const before = turn.tenancy === undefined ? (this.#loaded as Loaded) : await this.#load(turn);
    const loaded = { ...before, handles: handlesOf(this.#context, before.row, this.#variables()) };
    this.#loaded = loaded;
    const { fresh, limits } = before.row;
    const { given } = setUp;
    const variables = given.messages(loaded, fresh || setUp.again);
    const wanted = setUp.limits(limits);
    if (variables.length === 0 && !fresh && JSON.stringify(wanted) === JSON.stringify(limits)) return;
    const work: SliceWork = {
      input: { kind: 'define', variables },
      step: undefined,
      owner: turn.participant?.owner,
      seed: fresh ? BigInt(before.row.seed) : undefined,
      forget: this.#forget,
      plan: (result, { row }) => ({
        kind: 'variables',
        image: result.image,
        lines: [],
        futures: [],
        state: row.state,
        bindings: [...new Set([...row.bindings, ...given.names])],
        limits: wanted,
        ready: false,
      }),
    };
    if (ahead) this.#loaded = await runSliceAhead(turn, loaded, work);
    else this.#committed(turn, await runSlice(turn, loaded, work));
    this.#forget = [];
  }

  /** A step that waits is over when its owner is: nobody else goes on with it. Tells whether it was dropped. */
  async #dropsAbandoned(turn: Turn, current: number, owner: Owner | undefined): Promise<boolean> {
    const [step] = await this.#context.store.read(stepRows, [[this.id, current]]);
    const before = step?.value.owner;
    if (before === undefined || before.id === owner?.id) return false;
    if (!(await this.#context.owners.hasLeft(this.id, before.id))) return false;
    await dropStep(this.#context, await this.#load(turn), this.#heldLease(turn.tenancy));
    this.forget();
    return true;
  }

  /** The oldest step that has not begun. As long as the lease is held, steps are queued here and nowhere else. */
  async #nextQueued(): Promise<StepRow | undefined> {
    if (!this.#mayHaveQueued) return undefined;
    const queued = await nextQueued(this.#context.store, this.id);
    this.#mayHaveQueued = queued !== undefined;
    return queued;
  }

  async #begin(turn: Turn, step: StepRow, nextStep: number): Promise<StepResult> {
    const { row, head } = await this.#load(turn);
    const begun = step.allOrNothing === true ? { ...step, before: head.commit.hash } : step;
    let compiled: CompiledStep;
    try {
      compiled = this.#context.languages.of(row.language).compile(step.source, step.number, row.limits);
    } catch (error) {
      if (!(error instanceof StatekError)) throw error;
      return this.#fail(turn, { step, delivered: [], nextStep }, error);
    }
    const input = { kind: 'step', number: step.number, compiled } as const;
    return this.#runStep(turn, { step: begun, input, delivered: [], nextStep });
  }

  async #settle(turn: Turn, delivered: readonly FutureRow[]): Promise<void> {
    const { row } = await this.#load(turn);
    const { current } = row.state;
    const [entry] = current === null ? [] : await this.#context.store.read(stepRows, [[this.id, current]]);
    const outcomes = await Promise.all(
      delivered.map(async ({ workspace, number, outcome }) => ({
        future: number,
        failed: outcome?.failed === true,
        value: await loadText(this.#context.store, workspace, outcome?.value ?? undefinedMessage),
      })),
    );
    const input = { kind: 'settle', outcomes } as const;
    await this.#runStep(turn, { step: entry?.value, input, delivered, nextStep: row.nextStep });
  }

  /** One slice of a step (or of what earlier steps left running), with all its possible ends. */
  async #runStep(turn: Turn, slice: StepSlice): Promise<StepResult> {
    const { input, step, delivered } = slice;
    try {
      const committed = await runSlice(turn, await this.#load(turn), {
        input,
        step,
        owner: step === undefined ? delivered.at(-1)?.owner : step.owner,
        forget: this.#forget,
        plan: (result, loaded) => changeOfSlice(this.#context, slice, result, loaded),
      });
      this.#forget = [];
      const result = this.#committed(turn, committed);
      this.#start(
        turn,
        committed.futures.filter((future) => future.kind === 'call'),
      );
      return result;
    } catch (error) {
      if (!isStepFailure(error)) throw error;
      return this.#fail(turn, slice, error);
    }
  }

  async #fail(turn: Turn, slice: Omit<StepSlice, 'input'>, failure: StatekError): Promise<StepResult> {
    const loaded = await this.#load(turn);
    const change = await changeOfFailure(this.#context, slice, failure, loaded);
    const result = this.#committed(turn, await commitWithoutRun(turn, loaded, change, slice.step));
    this.#forget.push(...slice.delivered.map(({ number }) => number));
    return result;
  }

  /** The workspace is what was committed. */
  #committed({ tenancy }: Turn, { loaded, step, lines, futures, leaves }: CommittedSlice): StepResult {
    const before = this.#loaded?.image;
    this.#loaded = loaded;
    this.#loadedUnder = tenancy;
    if (before !== undefined && before !== loaded.image)
      this.#context.languages.of(loaded.row.language).retire?.(before, loaded.image);
    if (leaves) tenancy?.useUp();
    return { step: step as StepRow, loaded, lines, futures };
  }

  async #queue(turn: Turn, step: StepRow): Promise<StepResult> {
    const loaded = await this.#load(turn);
    const row = { ...loaded.row, nextStep: loaded.row.nextStep + 1 };
    const place = { collection: workspaceRows, key: [this.id] };
    const result = await commitParts(
      this.#context.store,
      [
        {
          checks: [{ kind: 'revision', ...place, revision: loaded.revision ?? 0 }],
          writes: [
            { kind: 'put', ...place, value: row },
            { kind: 'put', collection: stepRows, key: [this.id, step.number], value: step },
            { kind: 'put', collection: readyRows, key: [this.id], value: { since: this.#context.clock.now() } },
          ],
        },
      ],
      this.#heldLease(turn.tenancy),
    );
    if (result.status !== 'committed') throw new StaleWorkspace(result.conflict);
    this.#mayHaveQueued = true;
    this.#loaded = { ...loaded, row, revision: result.revision };
    return { step, loaded: this.#loaded, lines: [], futures: [] };
  }

  /** Starts calls; those whose objects this process does not have are left as they are, and named. */
  #startOrRefuse(turn: Turn, { calls }: Waiting, isRunning: (call: FutureReference) => boolean): void {
    const { startable, missing } = startableCalls(
      (this.#loaded as Loaded).handles,
      calls.filter((call) => !isRunning(call)),
    );
    this.#start(turn, startable);
    if (missing !== undefined) throw missing;
  }

  #start({ tenancy }: Turn, calls: readonly CallRow[]): void {
    if (tenancy !== undefined) this.#startCalls(calls, tenancy);
  }

  async #readyRevision(): Promise<number | undefined> {
    const [entry] = await this.#context.store.read(readyRows, [[this.id]]);
    return entry?.revision;
  }
}
