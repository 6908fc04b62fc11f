// A workspace this process works on: one thing at a time, each slice run, committed, and only then followed by what it
// asked for.
import { StatekError } from '../base/error.ts';
import { InvalidOptionError, refuseUnknownOptions } from '../base/options.ts';
import { matchWaits } from './arrivals.ts';
import { startableCalls } from './calls.ts';
import { commitJoined } from './commit-joined.ts';
import { conflictOn, Overtaken, overtakenBy } from './conflict.ts';
import { SliceObjects } from './slice-objects.ts';
import { prepareSlice, type SliceChange } from './commit-slice.ts';
import type { KitContext } from './context.ts';
import { WorkspaceBusyError } from './errors.ts';
import { wholeText } from './large-texts.ts';
import { handlesOf, loadWorkspace, seedOfFork, type Loaded } from './loaded.ts';
import type { CompiledStep } from './language.ts';
import type { WorkspaceLimits } from './limits.ts';
import { outcomesOf, unfinishedCalls } from './outcomes.ts';
import { nextQueued } from './queued-steps.ts';
import { runSlice, type SliceInput, type SliceResult } from './slice.ts';
import { changeOfFailure, changeOfSlice, isStepFailure, type StepSlice } from './step-change.ts';
import { readyRows, stepRows, workspaceRows, type FutureReference, type FutureRow, type StepRow } from './rows.ts';
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

/** Starts the calls a committed slice asked for. */
export type StartCalls = (calls: readonly FutureRow[]) => void;

const maxTries = 5;

export class LiveWorkspace {
  readonly id: string;
  readonly #context: KitContext;
  readonly #startCalls: StartCalls;
  /** Host objects given for variables of this workspace. */
  readonly #variables: () => ReadonlyMap<string, object>;
  #loaded: Loaded | undefined;
  /** What runs or waits to run, in order. */
  #last: Promise<unknown> = Promise.resolve();
  #busy = 0;
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

  /** Makes host objects known for variables that hold them, defines variables the program does not have yet, sets limits. */
  bind(given: GivenVariables, limits: (before: WorkspaceLimits) => WorkspaceLimits): Promise<void> {
    return this.#serially(async () => {
      const before = await this.#load();
      this.#loaded = { ...before, handles: handlesOf(this.#context, before.row, this.#variables()) };
      const { fresh } = before.row;
      const variables = given.messages(this.#loaded, fresh);
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
        fresh ? BigInt(before.row.seed) : undefined,
      );
    });
  }

  run(source: string, options: RunOptions = {}): Promise<StepRow> {
    refuseUnknownOptions('workspace.run', options, ['ifBusy', 'allOrNothing']);
    if (options.ifBusy !== undefined && options.ifBusy !== 'queue' && options.ifBusy !== 'refuse')
      throw new InvalidOptionError("workspace.run: 'ifBusy' is 'queue' or 'refuse'.", { name: 'ifBusy' });
    return this.#serially(async () => {
      for (;;) {
        const { row } = await this.#decide();
        const step: StepRow = {
          number: row.nextStep,
          source,
          status: 'queued',
          created: this.#context.clock.now(),
          ...(options.allOrNothing === true ? { allOrNothing: true } : {}),
        };
        if (row.state.current !== null) {
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

  /** Delivers what has settled, runs what is queued, and starts calls a dead process left behind. */
  continue(isRunning: (call: FutureReference) => boolean): Promise<void> {
    return this.#serially(async () => {
      for (;;) {
        const ready = await this.#readyRevision();
        const { row } = await this.#decide();
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
  inspect<Result>(look: (loaded: Loaded) => Promise<Result> | Result): Promise<Result> {
    return this.#serially(async () => look(await this.#load()));
  }

  /** Resolves when nothing runs or waits to run. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** Something runs or waits to run. */
  get isBusy(): boolean {
    return this.#busy > 0;
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

  #serially<Result>(action: () => Promise<Result>): Promise<Result> {
    this.#busy++;
    const next = this.#last.then(async () => {
      await this.#context.leases.take(this.id);
      try {
        return await this.#untilNotOvertaken(action);
      } finally {
        this.#context.leases.put(this.id);
      }
    });
    this.#last = next.catch(() => undefined).finally(() => this.#busy--);
    return next;
  }

  /** Begins anew when somebody else was faster: on what is there then, under the numbers that are free then. */
  async #untilNotOvertaken<Result>(action: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      this.#decidedOn = undefined;
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
        this.forget();
        // A lease that ran out during a long slice may be had again; if somebody else has it, theirs comes first.
        if (error.lost !== undefined) this.#context.leases.lost(this.id, error.lost);
        if (tries >= maxTries) throw conflictOn(this.id, error.message);
      }
    }
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
      const committed = await this.#slice(slice.input, slice.step, (result, loaded) =>
        changeOfSlice(this.#context, slice, result, loaded),
      );
      this.#startCalls(committed.futures.filter(({ kind }) => kind === 'call'));
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
    seed?: bigint,
  ): Promise<{ step: StepRow | undefined; futures: readonly FutureRow[] }> {
    const forget = this.#forget;
    const committed = await this.#objects.untilUnchanged(() =>
      this.#committed(step, async (loaded) => {
        const { row, image, handles } = loaded;
        const language = this.#context.languages.of(row.language);
        const slice = (): SliceResult =>
          runSlice(
            {
              workspace: this.id,
              step: step?.number ?? row.nextStep - 1,
              image,
              language,
              handles,
              graph: this.#context.objects,
              role: row.role,
              limits: row.limits,
              timeZone: row.timeZone,
              nextFuture: row.nextFuture,
              waiting: row.state.waiting.length,
              printed: step?.printed ?? 0,
              forget,
              seed: seed ?? seedOfFork(loaded),
              now: () => this.#context.clock.now(),
              request: (kind, parameters) => this.#context.extension.request(this.id, kind, parameters),
            },
            input,
          );
        const result = await this.#objects.run(slice, language.isCostlyToRepeat);
        const change = this.#objects.joined(await changeOf(result, loaded));
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
    const planned = await changeOf(loaded);
    const change = this.#context.extension.isAttended(this.id) ? { ...planned, ready: false } : planned;
    const lease = await this.#context.leases.current(this.id);
    const slice = prepareSlice(this.#context, loaded, lease, change, stepBefore);
    const { prepared, row, step } = slice;
    const result = await commitJoined(this.#context, slice, loaded, change);
    if (result.status !== 'committed') throw overtakenBy(result.conflict, lease);
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
    const lease = await this.#context.leases.current(this.id);
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
    this.#startCalls(startable);
    if (missing !== undefined) throw missing;
  }

  async #readyRevision(): Promise<number | undefined> {
    const [entry] = await this.#context.store.read(readyRows, [[this.id]]);
    return entry?.revision;
  }
}
