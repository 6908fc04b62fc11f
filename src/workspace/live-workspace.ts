// A workspace this process works on: one thing at a time, each slice run, committed, and only then followed by what it
// asked for.
import { StatekError } from '../base/error.ts';
import { conflictOn } from './conflict.ts';
import { prepareSlice, type SliceChange } from './commit-slice.ts';
import type { KitContext } from './context.ts';
import { DeadlockError, LimitError, NotDurableError, WorkspaceBusyError } from './errors.ts';
import { BindingMissingError } from './handle-table.ts';
import { handlesOf, loadWorkspace, type Loaded } from './loaded.ts';
import type { CompiledStep } from './language.ts';
import { outcomesOf, unfinishedCalls } from './outcomes.ts';
import { runSlice, type SliceInput, type SliceResult } from './slice.ts';
import { stepErrorOf } from './step-error.ts';
import {
  readyRows,
  stepRows,
  workspaceRows,
  type ConsoleLine,
  type FutureReference,
  type FutureRow,
  type StepError,
  type StepRow,
} from './rows.ts';

export interface RunOptions {
  /** `queue` (the default): a step given while another waits runs after it. `refuse`: it is an error. */
  readonly ifBusy?: 'queue' | 'refuse' | undefined;
  /** A step that fails leaves nothing changed: neither variables nor objects. */
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
  #variables: ReadonlyMap<string, object> = new Map();
  #loaded: Loaded | undefined;
  /** What runs or waits to run, in order. */
  #last: Promise<unknown> = Promise.resolve();
  #busy = 0;
  /** Futures of steps that failed: the next slice drops them from the program. */
  #forget: number[] = [];

  constructor(context: KitContext, id: string, startCalls: StartCalls) {
    this.#context = context;
    this.id = id;
    this.#startCalls = startCalls;
  }

  /** Makes host objects known for variables that hold them, and defines variables the program does not have yet. */
  bind(
    objects: ReadonlyMap<string, object>,
    messages: (loaded: Loaded) => readonly { name: string; message: string }[],
    seed?: bigint,
  ): Promise<void> {
    return this.#serially(async () => {
      this.#variables = new Map([...this.#variables, ...objects]);
      const before = await this.#load();
      this.#loaded = { ...before, handles: handlesOf(this.#context, before.row, this.#variables) };
      const variables = messages(this.#loaded);
      if (variables.length === 0 && seed === undefined) return;
      await this.#slice(
        { kind: 'define', variables },
        undefined,
        (result, { row }) => ({
          kind: 'variables',
          image: result.image,
          lines: [],
          futures: [],
          state: row.state,
          bindings: [...new Set([...row.bindings, ...objects.keys()])],
          ready: false,
        }),
        seed,
      );
    });
  }

  run(source: string, options: RunOptions = {}): Promise<StepRow> {
    return this.#serially(async () => {
      const { row } = await this.#load();
      const step: StepRow = {
        number: row.nextStep,
        source,
        status: 'queued',
        created: this.#context.clock.now(),
        ...(options.allOrNothing === true ? { allOrNothing: true } : {}),
      };
      if (row.state.current === null) return this.#begin(step, row.nextStep + 1);
      if (options.ifBusy === 'refuse') {
        throw new WorkspaceBusyError(
          `The workspace '${this.id}' is waiting in step ${row.state.current}. Let the step be queued, or wait for settled().`,
          { workspace: this.id, step: row.state.current },
        );
      }
      return this.#queue(step);
    });
  }

  /** Delivers what has settled, runs what is queued, and starts calls a dead process left behind. */
  continue(isRunning: (call: FutureReference) => boolean): Promise<void> {
    return this.#serially(async () => {
      for (;;) {
        const ready = await this.#readyRevision();
        const { row } = await this.#load();
        const outcomes = await outcomesOf(this.#context.store, row.state.waiting);
        if (outcomes.length > 0) {
          await this.#settle(outcomes);
          continue;
        }
        const queued = row.state.current === null ? await this.#nextQueued() : undefined;
        if (queued !== undefined) {
          await this.#begin(queued, row.nextStep);
          continue;
        }
        const calls = await unfinishedCalls(this.#context.store, row.state.waiting);
        this.#startCalls(calls.filter((call) => call.workspace === this.id && !isRunning(call)));
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

  /** Something runs or waits to run. */
  get isBusy(): boolean {
    return this.#busy > 0;
  }

  /** Host objects were given for it, which cannot be had from the store. */
  get hasBindings(): boolean {
    return this.#variables.size > 0;
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
        return await action();
      } finally {
        this.#context.leases.put(this.id);
      }
    });
    this.#last = next.catch(() => undefined).finally(() => this.#busy--);
    return next;
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
    this.#loaded = await loadWorkspace(this.#context, this.id, this.#variables);
    return this.#loaded;
  }

  async #begin(step: StepRow, nextStep: number): Promise<StepRow> {
    const { row } = await this.#load();
    let compiled: CompiledStep;
    try {
      compiled = this.#context.language.compile(step.source, step.number, row.limits);
    } catch (error) {
      if (!(error instanceof StatekError)) throw error;
      return this.#fail(step, error, [], nextStep);
    }
    return this.#runStep(step, { kind: 'step', number: step.number, compiled }, nextStep);
  }

  async #settle(outcomes: readonly FutureRow[]): Promise<void> {
    const { row } = await this.#load();
    const { current } = row.state;
    const [entry] = current === null ? [] : await this.#context.store.read(stepRows, [[this.id, current]]);
    const input: SliceInput = {
      kind: 'settle',
      outcomes: outcomes.map(({ number, outcome }) => ({
        future: number,
        failed: outcome?.failed === true,
        value: outcome?.value ?? '[["u"]]',
      })),
    };
    await this.#runStep(entry?.value, input, row.nextStep, outcomes);
  }

  /** One slice of a step (or of what earlier steps left running), with all its possible ends. */
  async #runStep(
    step: StepRow | undefined,
    input: SliceInput,
    nextStep: number,
    delivered: readonly FutureRow[] = [],
  ): Promise<StepRow> {
    const gone = new Set(delivered.map(({ workspace, number }) => `${workspace}/${number}`));
    let ended: StepRow | undefined;
    try {
      const committed = await this.#slice(input, step, (result, { row, handles }) => {
        this.#refuseTransient(result, handles);
        const waiting = [
          ...row.state.waiting.filter(({ workspace, number }) => !gone.has(`${workspace}/${number}`)),
          ...result.futures.map(({ workspace, number }) => ({ workspace, number })),
        ];
        const end = step && result.ended.find(({ number }) => number === step.number);
        const slices = step === undefined || input.kind === 'step' ? 1 : row.state.slices + 1;
        let error: StepError | undefined;
        if (end?.failed === true)
          error = stepErrorOf(this.#context, handles, end.message, this.#sources(step as StepRow));
        if (step !== undefined && end === undefined && waiting.length === 0) {
          throw new DeadlockError(
            'The step waits for something that can never come: no call, timer, signal or question is pending.',
            { step: step.number },
          );
        }
        if (slices > row.limits.slicesPerStep)
          throw new LimitError(`The step took more than ${row.limits.slicesPerStep} slices.`, {
            limit: 'slicesPerStep',
          });
        const lines =
          end === undefined ? result.lines : [...result.lines, ...notAwaited(step as StepRow, result.futures)];
        ended = step && {
          ...step,
          status: end === undefined ? 'suspended' : end.failed ? 'failed' : 'done',
          ...(end === undefined ? {} : { ended: this.#context.clock.now() }),
          ...(end !== undefined && !end.failed ? { value: end.message } : {}),
          ...(error === undefined ? {} : { error }),
        };
        return {
          kind: input.kind === 'step' ? 'step' : 'resumed',
          image: step?.allOrNothing === true && end?.failed === true ? (this.#loaded as Loaded).image : result.image,
          lines,
          futures: result.futures,
          state: { current: step !== undefined && end === undefined ? step.number : null, slices, waiting },
          step: ended,
          nextStep,
          ready: result.futures.some(({ kind }) => kind === 'call' || kind === 'signal'),
        };
      });
      this.#startCalls(committed.futures.filter(({ kind }) => kind === 'call'));
      return committed.step as StepRow;
    } catch (error) {
      if (step === undefined || !isStepFailure(error)) throw error;
      return this.#fail(step, error, delivered, nextStep);
    }
  }

  /** The slice does not stand: the program is as it was before, and the step is over. */
  async #fail(
    step: StepRow,
    failure: StatekError,
    delivered: readonly FutureRow[],
    nextStep: number,
  ): Promise<StepRow> {
    const gone = new Set(delivered.map(({ workspace, number }) => `${workspace}/${number}`));
    const error: StepError = { name: failure.name, message: failure.message, code: failure.code, ...place(failure) };
    const committed = await this.#committed(step, ({ row, image }) => ({
      kind: 'failed',
      image,
      lines: [],
      futures: [],
      state: {
        current: null,
        slices: 0,
        waiting: row.state.waiting.filter(({ workspace, number }) => !gone.has(`${workspace}/${number}`)),
      },
      step: { ...step, status: 'failed', error, ended: this.#context.clock.now() },
      nextStep,
      ready: false,
    }));
    this.#forget.push(...delivered.map(({ number }) => number));
    return committed.step as StepRow;
  }

  async #slice(
    input: SliceInput,
    step: StepRow | undefined,
    changeOf: (result: SliceResult, loaded: Loaded) => SliceChange,
    seed?: bigint,
  ): Promise<{ step: StepRow | undefined; futures: readonly FutureRow[] }> {
    const forget = this.#forget;
    const result = await this.#committed(step, (loaded) => {
      const { row, image, handles } = loaded;
      const printed = step === undefined ? 0 : (step.printed ?? 0);
      const slice = runSlice(
        {
          workspace: this.id,
          step: step?.number ?? row.state.current ?? row.nextStep - 1,
          image,
          language: this.#context.language,
          handles,
          limits: row.limits,
          nextFuture: row.nextFuture,
          waiting: row.state.waiting.length,
          printed,
          forget,
          seed,
          now: () => this.#context.clock.now(),
        },
        input,
      );
      const change = changeOf(slice, loaded);
      const length = slice.lines.reduce((sum, { text }) => sum + text.length, printed);
      return change.step === undefined ? change : { ...change, step: { ...change.step, printed: length } };
    });
    this.#forget = [];
    return result;
  }

  /** Commits what `changeOf` makes of the latest state; when somebody else was faster, again on what is there then. */
  async #committed(
    stepBefore: StepRow | undefined,
    changeOf: (loaded: Loaded) => SliceChange,
  ): Promise<{ step: StepRow | undefined; futures: readonly FutureRow[] }> {
    for (let tries = 1; ; tries++) {
      const loaded = await this.#load();
      const change = changeOf(loaded);
      const lease = await this.#context.leases.current(this.id);
      const { transaction, prepared, row, step } = prepareSlice(this.#context, loaded, lease, change, stepBefore);
      const [result] = await this.#context.store.commit([transaction]);
      if (result?.status === 'committed') {
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
      this.forget();
      // A lease that ran out during a long slice may be had again; if somebody else has it, theirs comes first.
      if (result?.conflict.kind === 'lease') this.#context.leases.lost(this.id, lease);
      if (tries >= maxTries) throw conflictOn(this.id, result?.conflict.message ?? '');
    }
  }

  async #queue(step: StepRow): Promise<StepRow> {
    const { row, revision } = await this.#load();
    const after = { ...row, nextStep: row.nextStep + 1 };
    const [result] = await this.#context.store.commit([
      {
        checks: [{ kind: 'revision', collection: workspaceRows, key: [this.id], revision }],
        leases: [{ lease: await this.#context.leases.current(this.id), afterwards: 'keep' }],
        writes: [
          { kind: 'put', collection: workspaceRows, key: [this.id], value: after },
          { kind: 'put', collection: stepRows, key: [this.id, step.number], value: step },
          { kind: 'put', collection: readyRows, key: [this.id], value: { since: this.#context.clock.now() } },
        ],
      },
    ]);
    if (result?.status !== 'committed') throw conflictOn(this.id, result?.conflict.message ?? '');
    if (this.#loaded !== undefined) this.#loaded = { ...this.#loaded, row: after, revision: result.revision };
    return step;
  }

  async #nextQueued(): Promise<StepRow | undefined> {
    const { entries } = await this.#context.store.scan(stepRows, { prefix: [this.id] }, { reverse: true, limit: 200 });
    return entries.findLast(({ value }) => value.status === 'queued')?.value;
  }

  async #readyRevision(): Promise<number | undefined> {
    const [entry] = await this.#context.store.read(readyRows, [[this.id]]);
    return entry?.revision;
  }

  #sources(step: StepRow): (number: number) => string | undefined {
    return (number) => {
      if (number === step.number) return step.source;
      const [entry] = this.#context.store.synchronous?.read(stepRows, [[this.id, number]]) ?? [];
      return entry?.value.source;
    };
  }

  #refuseTransient({ heldTokens }: SliceResult, handles: Loaded['handles']): void {
    const held = heldTokens.filter((token) => !handles.isDurable(token));
    if (held.length === 0) return;
    const names = held.map((token) => handles.describe(token)).join(', ');
    throw new NotDurableError(
      `A variable still holds ${names}, which cannot be found again after a restart. Keep its data instead, or register it as a service with Statek.open({ services }).`,
      { objects: names },
    );
  }
}

/** Failures that end the step, and not the workspace or the call. */
function isStepFailure(error: unknown): error is StatekError {
  return (
    error instanceof LimitError ||
    error instanceof DeadlockError ||
    error instanceof NotDurableError ||
    (error instanceof StatekError && !(error instanceof BindingMissingError) && error.code === 'STEP_REFUSED')
  );
}

function place(error: StatekError): Partial<StepError> {
  const { line, column, frame } = error.details;
  return {
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof column === 'number' ? { column } : {}),
    ...(typeof frame === 'string' ? { frame } : {}),
  };
}

/** A step that is over while calls it made go on is probably a forgotten `await`. */
function notAwaited(step: StepRow, futures: readonly FutureRow[]): ConsoleLine[] {
  return futures.map(({ label }) => ({ step: step.number, level: 'warn', text: `Not awaited: ${label}` }));
}
