// A workspace this process works on: one thing at a time, each slice run, committed, and only then followed by what it
// asked for.
import { StatekError } from '../base/error.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import { matchWaits } from './arrivals.ts';
import { startableCalls } from './calls.ts';
import { commitJoined } from './commit-joined.ts';
import { conflictOn, Overtaken, overtakenBy } from './conflict.ts';
import { LeaseLostError, type Tenancy } from './leases.ts';
import { SliceObjects } from './slice-objects.ts';
import { prepareSlice, type SliceChange } from './commit-slice.ts';
import type { KitContext } from './context.ts';
import { dropStep } from './drop-step.ts';
import { WorkspaceBusyError } from './errors.ts';
import { wholeText } from './large-texts.ts';
import { handlesOf, loadWorkspace, seedOfFork, type Loaded } from './loaded.ts';
import type { CompiledStep } from './language.ts';
import type { WorkspaceLimits } from './limits.ts';
import { outcomesOf, unfinishedCalls } from './outcomes.ts';
import { nextQueued } from './queued-steps.ts';
import { removeWorkspace } from './remove.ts';
import { runSlice, type SliceInput, type SliceResult } from './slice.ts';
import { changeOfFailure, changeOfSlice, isStepFailure, type StepSlice } from './step-change.ts';
import {
  readyRows,
  stepRows,
  workspaceRows,
  type FutureReference,
  type FutureRow,
  type Owner,
  type StepRow,
} from './rows.ts';
import type { Lease } from '../store/store.ts';
import type { GivenVariables } from './variables.ts';

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
export type StartCalls = (calls: readonly FutureRow[], tenancy: Tenancy) => void;

const maxTries = 5;

export class LiveWorkspace {
  readonly id: string;
  readonly #context: KitContext;
  readonly #startCalls: StartCalls;
  /** Host objects given for variables of this workspace. */
  readonly #variables: () => ReadonlyMap<string, object>;
  #loaded: Loaded | undefined;
  /** Those who wait for the lease, in order: whoever came first has their turn first. */
  #acquiring: Promise<unknown> = Promise.resolve();
  /** What runs or waits for its turn, in order. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #underWay = new Set<Promise<unknown>>();
  /** Whose turn it is. */
  #tenancy: Tenancy | undefined;
  /** The revision of the workspace that the action under way has looked at. */
  #decidedOn: number | undefined;
  /** Futures of steps that failed: the next slice drops them from the program. */
  #forget: number[] = [];
  readonly #objects: SliceObjects;

  constructor(context: KitContext, id: string, variables: () => ReadonlyMap<string, object>, startCalls: StartCalls) {
    this.#context = context;
    this.#objects = new SliceObjects(context.objects);
    this.id = id;
    this.#variables = variables;
    this.#startCalls = startCalls;
  }

  /**
   * Makes host objects known for variables that hold them, defines variables the program does not have yet (with `again`:
   * all of them), sets limits.
   */
  bind(
    given: GivenVariables,
    limits: (before: WorkspaceLimits) => WorkspaceLimits,
    options: {
      readonly again?: boolean;
      readonly owner?: Owner | undefined;
      readonly tenancy?: Tenancy | undefined;
    } = {},
  ): Promise<void> {
    return this.#serially(options.tenancy, async () => {
      const before = await this.#load();
      this.#loaded = { ...before, handles: handlesOf(this.#context, before.row, this.#variables()) };
      const { fresh } = before.row;
      const variables = given.messages(this.#loaded, fresh || options.again === true);
      const wanted = limits(before.row.limits);
      if (variables.length === 0 && !fresh && JSON.stringify(wanted) === JSON.stringify(before.row.limits)) return;
      await this.#slice(
        { kind: 'define', variables },
        undefined,
        (result, { row }) => ({
          kind: 'variables',
          image: result.image,
          lines: [],
          futures: [],
          state: row.state,
          bindings: [...new Set([...row.bindings, ...given.names])],
          limits: wanted,
          ready: false,
        }),
        { seed: fresh ? BigInt(before.row.seed) : undefined, lastOwner: options.owner },
      );
    });
  }

  run(
    source: string,
    options: RunOptions = {},
    { owner, tenancy }: { readonly owner?: Owner | undefined; readonly tenancy?: Tenancy | undefined } = {},
  ): Promise<StepRow> {
    refuseUnknownOptions('workspace.run', options, ['ifBusy', 'allOrNothing']);
    if (options.ifBusy !== undefined && options.ifBusy !== 'queue' && options.ifBusy !== 'refuse')
      throw new InvalidOptionError("workspace.run: 'ifBusy' is 'queue' or 'refuse'.", { name: 'ifBusy' });
    return this.#serially(tenancy, async () => {
      for (;;) {
        const { row } = await this.#decide();
        const step: StepRow = {
          number: row.nextStep,
          source,
          status: 'queued',
          created: this.#context.clock.now(),
          ...(options.allOrNothing === true ? { allOrNothing: true } : {}),
          ...(owner === undefined ? {} : { owner }),
        };
        if (row.state.current !== null) {
          if (await this.#dropsAbandoned(row.state.current, owner)) continue;
          if (options.ifBusy !== 'refuse') return this.#queue(step);
          throw new WorkspaceBusyError(
            `The workspace '${this.id}' is waiting in step ${row.state.current}. Let the step be queued, or wait for settled().`,
            { workspace: this.id, step: row.state.current },
          );
        }
        // Steps that were queued before this one come first.
        const queued = await nextQueued(this.#context.store, this.id);
        if (queued === undefined) return this.#begin(step, row.nextStep + 1);
        await this.#begin(queued, row.nextStep);
      }
    });
  }

  /** A step that waits is over when its owner is: nobody else goes on with it. Tells whether it was dropped. */
  async #dropsAbandoned(current: number, owner: Owner | undefined): Promise<boolean> {
    const [step] = await this.#context.store.read(stepRows, [[this.id, current]]);
    const before = step?.value.owner;
    if (before === undefined || before.id === owner?.id) return false;
    if (!(await this.#context.extension.hasLeft(this.id, before.id))) return false;
    await dropStep(this.#context, await this.#loadDecided(), this.#heldLease());
    this.forget();
    return true;
  }

  /**
   * Delivers what has settled, runs what is queued, and starts calls a dead process left behind. A commit that gives the
   * lease back is the last: what comes after it is for whoever claims the workspace next.
   */
  continue(isRunning: (call: FutureReference) => boolean, tenancy?: Tenancy): Promise<void> {
    return this.#serially(tenancy, async (current) => {
      while (current.isHeld) {
        const ready = await this.#readyRevision();
        const { row } = await this.#decide();
        const { current: waiting } = row.state;
        if (row.guests === true && waiting !== null && (await this.#dropsAbandoned(waiting, undefined))) continue;
        const outcomes = await outcomesOf(this.#context.store, row.state.waiting);
        if (outcomes.length > 0) {
          await this.#settle(outcomes);
          continue;
        }
        const queued = row.state.current === null ? await nextQueued(this.#context.store, this.id) : undefined;
        if (queued !== undefined) {
          await this.#begin(queued, row.nextStep);
          continue;
        }
        // A signal may have been sent before the wait for it was in the store.
        const mayHaveSignals = ready !== undefined || this.#context.extension.isAttended(this.id);
        if (mayHaveSignals && (await matchWaits(this.#context, row.state.waiting))) continue;
        const calls = await unfinishedCalls(this.#context.store, row);
        this.#startOrRefuse(calls.filter((call) => !isRunning(call)));
        if (calls.length > 0 || ready === undefined) return;
        const [result] = await this.#context.store.commit([
          {
            checks: [{ kind: 'revision', collection: readyRows, key: [this.id], revision: ready }],
            writes: [{ kind: 'remove', collection: readyRows, key: [this.id] }],
          },
        ]);
        if (result?.status === 'committed') return;
      }
    });
  }

  /** The state to look at or to fork from; consistent, because nothing runs meanwhile. */
  inspect<Result>(
    look: (loaded: Loaded, lease: Lease) => Promise<Result> | Result,
    tenancy?: Tenancy,
  ): Promise<Result> {
    return this.#serially(tenancy, async ({ lease }) => look(await this.#load(), lease));
  }

  /** Removes it, with everything that was kept of it. */
  remove(): Promise<void> {
    return this.#serially(undefined, async ({ lease }) => {
      await removeWorkspace(this.#context, this.id, lease);
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

  /** Forgets what is in memory: the next use loads it anew. */
  forget(): void {
    this.#loaded = undefined;
    this.#forget = [];
  }

  /** Does one thing at a time: under a tenancy that is given, or one that is acquired first and claimed again if it is lost. */
  #serially<Result>(given: Tenancy | undefined, action: (tenancy: Tenancy) => Promise<Result>): Promise<Result> {
    const done = given === undefined ? this.#acquired(action) : this.#inTurn(given, action);
    this.#underWay.add(done);
    const forget = (): void => void this.#underWay.delete(done);
    done.then(forget, forget);
    return done;
  }

  async #acquired<Result>(action: (tenancy: Tenancy) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      const acquired = this.#acquiring.then(() => this.#context.leases.acquire(this.id));
      this.#acquiring = acquired.catch(() => undefined);
      const tenancy = await acquired;
      try {
        return await this.#inTurn(tenancy, action);
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        if (tries >= maxTries) throw conflictOn(this.id, error.message);
      } finally {
        tenancy.release();
      }
    }
  }

  #inTurn<Result>(tenancy: Tenancy, action: (tenancy: Tenancy) => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(async () => {
      this.#tenancy = tenancy;
      try {
        return await this.#untilNotOvertaken(tenancy, action);
      } finally {
        this.#tenancy = undefined;
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Begins again when another process has committed first: on what is there then, under the numbers that are free then. */
  async #untilNotOvertaken<Result>(tenancy: Tenancy, action: (tenancy: Tenancy) => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      this.#decidedOn = undefined;
      try {
        this.#heldLease();
        return await action(tenancy);
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        this.forget();
        if (error.lost !== undefined) {
          this.#context.leases.lost(tenancy);
          throw new LeaseLostError(this.id);
        }
        if (tries >= maxTries) throw conflictOn(this.id, error.message);
      }
    }
  }

  /** The lease of whoever has their turn. */
  #heldLease(): Lease {
    if (this.#tenancy?.isHeld !== true) throw new LeaseLostError(this.id);
    return this.#tenancy.lease;
  }

  /** The state on which it is decided what to do next: what is done then counts only if it is still the same. */
  async #decide(): Promise<Loaded> {
    const loaded = await this.#load();
    this.#decidedOn = loaded.revision;
    return loaded;
  }

  /** The state it was decided on. Whoever lost the lease for a while must not go on with what was true before. */
  async #loadDecided(): Promise<Loaded> {
    const loaded = await this.#load();
    if (this.#decidedOn !== undefined && loaded.revision !== this.#decidedOn) throw new Overtaken(undefined);
    return loaded;
  }

  /** What is in memory, if the store still agrees that it is the latest. */
  async #load(): Promise<Loaded> {
    if (this.#loaded !== undefined) {
      const { synchronous } = this.#context.store;
      const [entry] =
        synchronous === undefined
          ? await this.#context.store.read(workspaceRows, [[this.id]])
          : synchronous.read(workspaceRows, [[this.id]]);
      if (entry?.revision === this.#loaded.revision) return this.#loaded;
      this.forget();
    }
    this.#loaded = await loadWorkspace(this.#context, this.id, this.#variables());
    return this.#loaded;
  }

  async #begin(step: StepRow, nextStep: number): Promise<StepRow> {
    const { row, head } = await this.#load();
    const begun = step.allOrNothing === true ? { ...step, before: head.commit.hash } : step;
    let compiled: CompiledStep;
    try {
      compiled = this.#context.languages.of(row.language).compile(step.source, step.number, row.limits);
    } catch (error) {
      if (!(error instanceof StatekError)) throw error;
      return this.#fail({ step, delivered: [], nextStep }, error);
    }
    const input = { kind: 'step', number: step.number, compiled } as const;
    return this.#runStep({ step: begun, input, delivered: [], nextStep });
  }

  async #settle(delivered: readonly FutureRow[]): Promise<void> {
    const { row } = await this.#load();
    const { current } = row.state;
    const [entry] = current === null ? [] : await this.#context.store.read(stepRows, [[this.id, current]]);
    const outcomes = await Promise.all(
      delivered.map(async ({ workspace, number, outcome }) => ({
        future: number,
        failed: outcome?.failed === true,
        value: await wholeText(this.#context.store, workspace, outcome?.value ?? '[["u"]]'),
      })),
    );
    const input = { kind: 'settle', outcomes } as const;
    await this.#runStep({ step: entry?.value, input, delivered, nextStep: row.nextStep });
  }

  /** One slice of a step (or of what earlier steps left running), with all its possible ends. */
  async #runStep(slice: StepSlice): Promise<StepRow> {
    try {
      const committed = await this.#slice(
        slice.input,
        slice.step,
        (result, loaded) => changeOfSlice(this.#context, slice, result, loaded),
        { lastOwner: slice.delivered.at(-1)?.owner },
      );
      this.#start(committed.futures.filter(({ kind }) => kind === 'call'));
      return committed.step as StepRow;
    } catch (error) {
      if (!isStepFailure(error)) throw error;
      return this.#fail(slice, error);
    }
  }

  async #fail(slice: Omit<StepSlice, 'input'>, failure: StatekError): Promise<StepRow> {
    const committed = await this.#committed(slice.step, (loaded) =>
      changeOfFailure(this.#context, slice, failure, loaded),
    );
    this.#forget.push(...slice.delivered.map(({ number }) => number));
    return committed.step as StepRow;
  }

  /** Runs and commits a slice. If objects it used have changed meanwhile, it never was, and runs again on what is there now. */
  async #slice(
    input: SliceInput,
    step: StepRow | undefined,
    changeOf: (result: SliceResult, loaded: Loaded) => Promise<SliceChange> | SliceChange,
    { seed, lastOwner }: { readonly seed?: bigint | undefined; readonly lastOwner?: Owner | undefined } = {},
  ): Promise<{ step: StepRow | undefined; futures: readonly FutureRow[] }> {
    const forget = this.#forget;
    const owner = step === undefined ? lastOwner : step.owner;
    const committed = await this.#objects.untilUnchanged(() =>
      this.#committed(step, async (loaded) => {
        const { row, image, handles } = loaded;
        const language = this.#context.languages.of(row.language);
        // Twice as long: what the application does for the program comes on top.
        this.#context.leases.allow(2 * row.limits.hardCpuMilliseconds);
        const slice = (): SliceResult =>
          runSlice(
            {
              workspace: this.id,
              step: step?.number ?? row.nextStep - 1,
              image,
              language,
              handles,
              graph: this.#context.objects,
              owner,
              role: owner?.role ?? row.role,
              limits: row.limits,
              timeZone: row.timeZone,
              nextFuture: row.nextFuture,
              waiting: row.state.waiting.length,
              printed: step?.printed ?? 0,
              forget,
              seed: seed ?? seedOfFork(loaded),
              now: () => this.#context.clock.now(),
              request: (kind, parameters) => this.#context.extension.request(this.id, owner, kind, parameters),
            },
            input,
          );
        const result = await this.#objects.run(slice, language.isCostlyToRepeat);
        const change = { ...this.#objects.joined(await changeOf(result, loaded)), called: result.called, owner };
        return change.step === undefined ? change : { ...change, step: { ...change.step, printed: result.printed } };
      }),
    );
    this.#forget = [];
    return committed;
  }

  /** Commits what `changeOf` makes of the latest state, or throws `Overtaken` when somebody else was faster. */
  async #committed(
    stepBefore: StepRow | undefined,
    changeOf: (loaded: Loaded) => Promise<SliceChange>,
  ): Promise<{ step: StepRow | undefined; futures: readonly FutureRow[] }> {
    const loaded = await this.#loadDecided();
    const given = await changeOf(loaded);
    const planned = { ...given, owner: given.owner ?? stepBefore?.owner };
    const change = this.#context.extension.isAttended(this.id) ? { ...planned, ready: false } : planned;
    const lease = this.#heldLease();
    const slice = prepareSlice(this.#context, loaded, lease, change, stepBefore);
    const { prepared, row, step } = slice;
    const { result, leaves } = await commitJoined(this.#context, slice, loaded, change, lease);
    if (result.status !== 'committed') throw overtakenBy(result.conflict, lease);
    if (leaves) this.#tenancy?.useUp();
    this.#objects.committed(result.revision);
    if (this.#decidedOn !== undefined) this.#decidedOn = result.revision;
    this.#loaded = {
      ...loaded,
      row,
      revision: result.revision,
      head: prepared.committed(result.revision),
      image: change.image,
    };
    loaded.handles.dropTransient();
    this.#context.changed(this.id);
    return { step, futures: change.futures };
  }

  async #queue(step: StepRow): Promise<StepRow> {
    const { row, revision } = await this.#loadDecided();
    const after = { ...row, nextStep: row.nextStep + 1 };
    const lease = this.#heldLease();
    const [result] = await this.#context.store.commit([
      {
        checks: [{ kind: 'revision', collection: workspaceRows, key: [this.id], revision }],
        leases: [{ lease, afterwards: 'keep' }],
        writes: [
          { kind: 'put', collection: workspaceRows, key: [this.id], value: after },
          { kind: 'put', collection: stepRows, key: [this.id, step.number], value: step },
          { kind: 'put', collection: readyRows, key: [this.id], value: { since: this.#context.clock.now() } },
        ],
      },
    ]);
    if (result?.status !== 'committed') throw new Overtaken(result?.conflict, lease);
    if (this.#loaded !== undefined) this.#loaded = { ...this.#loaded, row: after, revision: result.revision };
    return step;
  }

  /** Starts calls; those whose objects this process does not have are left as they are, and named. */
  #startOrRefuse(calls: readonly FutureRow[]): void {
    const { startable, missing } = startableCalls((this.#loaded as Loaded).handles, calls);
    this.#start(startable);
    if (missing !== undefined) throw missing;
  }

  #start(calls: readonly FutureRow[]): void {
    if (this.#tenancy !== undefined) this.#startCalls(calls, this.#tenancy);
  }

  async #readyRevision(): Promise<number | undefined> {
    const [entry] = await this.#context.store.read(readyRows, [[this.id]]);
    return entry?.revision;
  }
}
