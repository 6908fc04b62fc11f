// Calls of asynchronous functions. The intent is in the store before the call is made, and its outcome afterwards. If the
// process ends in between, nobody knows whether the call had its effect, and the program is told so.
import { emptyPart, type Check, type Entry, type Write } from '../../store/door.ts';
import { isDeepStrictEqual } from 'node:util';
import { after } from '../../base/clock.ts';
import { toolAttributes, traced } from '../../base/telemetry.ts';
import { CallScope, maxTries, ObjectConflictError, pause } from '../../objects/door.ts';
import { isAboutObjects } from '../slices/retries.ts';
import type { WorkspaceContext } from '../context.ts';
import { OutcomeUnknownError, TimeoutError } from '../errors.ts';
import { callable } from '../bridge/bridge.ts';
import { cachedOutcome, cacheKey, cacheWrites } from './call-cache.ts';
import { endOf, kitScope, logWrite, toolName, type LoggedCall } from './call-log.ts';
import { callOptionsOf, callWith, pauseAfter, type CallOptions, type ParameterStage } from '../bridge/call-options.ts';
import { CallSlots } from './call-slots.ts';
import { exposureOf } from '../bridge/exposure.ts';
import { BindingMissingError, type HandleTable } from '../bridge/handle-table.ts';
import { isWhole, loadText } from '../large-texts.ts';
import type { Tenancy } from '../leases.ts';
import {
  callLoadRows,
  futureId,
  futureRows,
  mayBeMade,
  parseFutureId,
  type CallAttempt,
  type FutureId,
  type FutureReference,
  type CallRow,
  type FutureRow,
  workspaceRows,
} from '../rows.ts';
import { askedOfPeople } from './questions.ts';
import { settlement } from './settlement.ts';
import { SharedLoads, type Fetched } from './shared-loads.ts';
import { decodeWire } from '../wire/decode.ts';
import { encodeWire, type EncodeOptions } from '../wire/encode.ts';
import { WireValueError } from '../wire/errors.ts';
import type { WireMessage } from '../wire/wire.ts';

export type HandlesFor = (workspace: string, tenancy?: Tenancy) => Promise<HandleTable>;

const retryMilliseconds = 500;
const maxRoles = 10_000;

export class Calls {
  readonly #context: WorkspaceContext;
  readonly #handlesFor: HandlesFor;
  readonly #settled: (workspaces: readonly string[]) => void;
  readonly #running = new Map<FutureId, Promise<void>>();
  readonly #aborts = new Map<FutureId, AbortController>();
  readonly #slots = new CallSlots();
  readonly #loads: SharedLoads;
  /** Roles of workspaces, which never change. */
  readonly #roles = new Map<string, string>();
  #closed = false;

  /** `settled` is told when the outcome of a call that these workspaces wait for is in the store. */
  constructor(context: WorkspaceContext, handlesFor: HandlesFor, settled: (workspaces: readonly string[]) => void) {
    this.#context = context;
    const { store, clock, leases } = context;
    const { leaseMilliseconds } = leases;
    this.#loads = new SharedLoads({
      store,
      clock,
      collection: callLoadRows,
      leaseMilliseconds,
      owner: () => leases.owner(),
    });
    this.#handlesFor = handlesFor;
    this.#settled = settled;
  }

  isRunning(call: FutureReference): boolean {
    return this.#running.has(futureId(call));
  }

  /** Whether calls of this workspace are under way. */
  isBusy(workspace: string): boolean {
    for (const id of this.#running.keys()) if (parseFutureId(id)?.workspace === workspace) return true;
    return false;
  }

  /** How many calls are under way. */
  get count(): number {
    return this.#running.size;
  }

  /** Resolves when one of the calls under way has ended. */
  async any(): Promise<void> {
    await Promise.race(this.#running.values());
  }

  /** Waits for the calls under way, for so long at most. What comes later is not recorded. */
  async close(graceMilliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMilliseconds)));
    await Promise.race([Promise.all(this.#running.values()), grace]);
    clearTimeout(timer);
    this.#closed = true;
  }

  /** Makes calls that a program of this process asked for. Without the lease nothing begins: they are for its next holder. */
  start(calls: readonly CallRow[], tenancy: Tenancy): void {
    for (const call of calls) {
      if (this.isRunning(call) || !mayBeMade(call) || !tenancy.isHeld) continue;
      // The workspace stays this process's as long as its calls run.
      tenancy.retain();
      this.#running.set(futureId(call), this.#make(call, tenancy));
    }
  }

  /** Makes a call; then whoever waits for it looks again. */
  async #make(call: CallRow, tenancy: Tenancy): Promise<void> {
    try {
      await this.#run(call, tenancy).finally(() => tenancy.release());
    } catch {
      // It was not started, or not all of it is in the store. Whoever looks at the workspace next tries again, and is told why;
      // without a pause they would do so again and again while the store cannot write.
      await this.#pause();
    }
    this.#running.delete(futureId(call));
    if (!this.#closed) this.#settled([call.workspace, ...call.sharedWith]);
  }

  /** Tells the calls of a workspace that this process makes them no longer. */
  abandon(workspace: string): void {
    for (const [id, controller] of this.#aborts) if (parseFutureId(id)?.workspace === workspace) controller.abort();
  }

  /** Tells the calls of a workspace that were cancelled, and why. */
  async abortCancelled(workspace: string, reason: Error | undefined): Promise<void> {
    for (const [id, controller] of this.#aborts) {
      const reference = parseFutureId(id);
      if (reference?.workspace !== workspace || controller.signal.aborted) continue;
      const entry = await this.#read(reference);
      if (entry?.value.state === 'cancelled') controller.abort(reason);
    }
  }

  async #run(reference: CallRow, tenancy: Tenancy): Promise<void> {
    const { store, clock } = this.#context;
    for (;;) {
      const entry = await this.#read(reference);
      if (entry === undefined || entry.value.outcome !== undefined || !mayBeMade(entry.value)) return;
      const future = entry.value;
      const handles = await this.#handlesFor(future.workspace, tenancy);
      const parameters = await loadText(store, future.workspace, future.call.parameters);
      refuseMissing(handles, future, parameters);
      let made: FoundCall;
      try {
        made = { ...callOf(handles, future), parameters: parametersOf(handles, parameters) };
      } catch (error) {
        await this.#record(future, { failed: true, value: this.#encode(handles, error) });
        return;
      }
      if (future.state === 'started' && made.options.idempotent !== true) {
        await this.#unknown(handles, entry, made);
        return;
      }
      await this.#until(future.notBefore);
      const fetched = await this.#fetched(future, made.options, tenancy);
      if (fetched === undefined) return;
      if ('known' in fetched) {
        await this.#record({ ...future, cached: true }, { failed: false, value: fetched.known });
        return;
      }
      const free = await this.#slots.take(made.called, made.options.concurrency);
      try {
        const attempts = [...(future.attempts ?? []), { started: clock.now() }];
        const [started] = await store.commit([
          { checks: [at(entry)], writes: [put({ ...future, state: 'started', attempts })] },
        ]);
        if (started?.status !== 'committed') return;
        const scope = new CallScope();
        const name = future.label.replace('(…)', '');
        const attempt = await traced(`execute_tool ${name}`, 'statek.call.duration', toolAttributes(name), () =>
          this.#attempt(scope, future, made, attempts.length),
        );
        const ended = [...attempts.slice(0, -1), { ...(attempts.at(-1) as CallAttempt), ended: clock.now() }];
        const isUnknown = attempt.value instanceof OutcomeUnknownError && made.options.idempotent !== true;
        if (isUnknown && made.options.onUnknown === 'ask') {
          scope.drop();
          await this.#doubt({ ...future, attempts: ended });
          return;
        }
        // What may have been done is not done again.
        const wait = attempt.failed && !isUnknown ? pauseAfter(made.options.retry, attempts.length) : undefined;
        if (wait === undefined) {
          await this.#recordWith({ ...future, attempts: ended }, attempt, scope, handles);
          return;
        }
        scope.drop();
        await this.#again(future, ended, attempt.value, clock.now() + wait);
      } finally {
        free();
        await fetched.release();
      }
    }
  }

  /** The outcome of the same call, once somebody has made it; otherwise the right to make it. Undefined if it is too late. */
  async #fetched(future: CallRow, options: CallOptions, tenancy: Tenancy): Promise<Fetched<WireMessage> | undefined> {
    const key = await cacheKey(this.#context, future, options);
    if (key === undefined) return { release: () => Promise.resolve() };
    return this.#loads.fetch(
      key,
      () => cachedOutcome(this.#context, key),
      () => this.#closed || !tenancy.isHeld,
    );
  }

  /** Calls the function once; what it threw is an outcome. */
  async #attempt(
    scope: CallScope,
    future: CallRow,
    { called, target, parameters, stage, options: { timeout } }: FoundCall,
    attempt: number,
  ): Promise<CallResult> {
    const controller = new AbortController();
    const id = futureId(future);
    this.#aborts.set(id, controller);
    let cancel: (() => void) | undefined;
    try {
      const call = {
        workspace: future.owner?.id ?? future.workspace,
        idempotencyKey: id,
        attempt,
        abortSignal: controller.signal,
      };
      const result = scope.run(() => callWith(called, target, parameters, call, stage));
      const late = new Promise<never>((_, reject) => {
        if (timeout === undefined) return;
        cancel = after(this.#context.clock, timeout, () => {
          reject(new TimeoutError(`${future.label} took longer than ${timeout} ms.`, { call: future.label, timeout }));
          controller.abort();
        });
      });
      return { failed: false, value: await Promise.race([result, late]) };
    } catch (error) {
      return { failed: true, value: error };
    } finally {
      cancel?.();
      this.#aborts.delete(id);
    }
  }

  /** Nobody knows whether the call was made: the program is told, or somebody is asked. */
  async #unknown(handles: HandleTable, entry: Entry<CallRow>, { options }: FoundCall): Promise<void> {
    const future = entry.value;
    if (options.onUnknown === 'ask') {
      await this.#context.store.commit([{ checks: [at(entry)], writes: inDoubt(future) }]);
      return;
    }
    const error = new OutcomeUnknownError(
      `The process ended while ${future.label} was running; it may have had its effect or not.`,
      { call: future.label },
    );
    await this.#record(future, { failed: true, value: this.#encode(handles, error) });
  }

  /** The function itself does not know what came of it: somebody decides. */
  async #doubt({ workspace, number, attempts = [] }: CallRow): Promise<void> {
    const entry = await this.#read({ workspace, number });
    if (entry === undefined || entry.value.outcome !== undefined) return;
    await this.#context.store.commit([{ checks: [at(entry)], writes: inDoubt({ ...entry.value, attempts }) }]);
  }

  /** The attempt has failed for certain; another one follows, in this process or another. */
  async #again(future: CallRow, attempts: readonly CallAttempt[], thrown: unknown, notBefore: number): Promise<void> {
    const entry = await this.#read(future);
    if (entry === undefined || entry.value.outcome !== undefined) return;
    const error = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).slice(0, 500);
    const last = { ...(attempts.at(-1) as CallAttempt), error };
    const value = { ...entry.value, state: 'waiting' as const, attempts: [...attempts.slice(0, -1), last], notBefore };
    await this.#context.store.commit([{ checks: [at(entry)], writes: [put(value)] }]);
  }

  async #until(time: number | undefined): Promise<void> {
    const milliseconds = (time ?? 0) - this.#context.clock.now();
    if (milliseconds <= 0) return;
    await new Promise<void>((resolve) => after(this.#context.clock, milliseconds, resolve));
  }

  /** Records the outcome together with the call's last transaction. If objects changed meanwhile, only that runs again. */
  async #recordWith(future: CallRow, result: CallResult, scope: CallScope, handles: HandleTable): Promise<void> {
    let final = result;
    for (let tries = 1; ; tries++) {
      const outcome = await this.#outcomeOf(future, handles, final);
      const conflict = await this.#record(future, outcome, scope);
      if (conflict === undefined) return;
      final = await finalResult(final, scope, tries >= maxTries ? conflict : undefined);
      await pause(tries);
    }
  }

  /**
   * What was returned and cannot cross is no result: the program is told so by an error. An object that only this process
   * has crosses as its fields, as far as code of the role may see them.
   */
  async #outcomeOf(future: CallRow, handles: HandleTable, result: CallResult): Promise<CallOutcome> {
    const options = this.#crossing(handles);
    try {
      try {
        return { failed: result.failed, value: encodeWire(errorOr(result), options) };
      } catch (error) {
        if (!(error instanceof WireValueError)) throw error;
        const role = future.owner?.role ?? (await this.#roleOf(future.workspace));
        const value = encodeWire(errorOr(result), { ...options, snapshotOf: (object) => fieldsOf(object, role) });
        // Another role may see less of it.
        return { failed: result.failed, value, isForRole: true };
      }
    } catch (error) {
      return { failed: true, value: this.#encode(handles, error) };
    }
  }

  async #roleOf(workspace: string): Promise<string | undefined> {
    const [entry] = await this.#context.store.read(workspaceRows, [[workspace]]);
    return entry?.value.role;
  }

  #crossing(handles: HandleTable): EncodeOptions {
    return {
      maxBytes: 8 * 1024 * 1024,
      handleFor: (object) => (handles.isDurable(handles.tokenFor(object)) ? handles.tokenFor(object) : undefined),
    };
  }

  #encode(handles: HandleTable, value: unknown): WireMessage {
    const options = this.#crossing(handles);
    try {
      return encodeWire(value, options);
    } catch (error) {
      return encodeWire(error, options);
    }
  }

  /** The outcome is kept whatever else happens to the future; while the store is out of reach it is tried again. */
  async #record(
    future: CallRow,
    { failed, value, isForRole }: CallOutcome,
    scope?: CallScope,
  ): Promise<string | undefined> {
    const { workspace, number, attempts, cached } = future;
    while (!this.#closed) {
      try {
        // Read again: a fork may have begun to share it while the call was under way.
        const entry = await this.#read({ workspace, number });
        if (entry === undefined) return undefined;
        const now: CallRow = {
          ...entry.value,
          ...(attempts === undefined ? {} : { attempts }),
          ...(cached === undefined ? {} : { cached }),
        };
        const part = scope?.part ?? emptyPart;
        const { checks, writes } = await settlement(this.#context, now, { failed, value });
        const cache =
          failed || cached === true || isForRole === true
            ? []
            : await cacheWrites(this.#context, now, await this.#options(now), value);
        const log = entry.value.outcome === undefined ? await this.#logged(now, { failed, value }) : [];
        const [result] = await this.#context.store.commit([
          { checks: [at(entry), ...checks, ...part.checks], writes: [...writes, ...cache, ...log, ...part.writes] },
        ]);
        if (result?.status === 'committed') {
          if (log.length > 0) this.#context.callsLogged(1);
          scope?.committed(result.revision);
          return undefined;
        }
        if (result !== undefined && isAboutObjects(result.conflict)) return result.conflict.message;
      } catch {
        await this.#pause();
      }
    }
    return undefined;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => after(this.#context.clock, retryMilliseconds, resolve));
  }

  /** What the log of calls is told with the outcome. */
  async #logged(future: CallRow, { failed, value }: CallOutcome): Promise<Write[]> {
    const { workspace, label, call, owner, created, attempts = [], cached } = future;
    const ended = this.#context.clock.now();
    const role = owner?.role ?? (await this.#knownRole(workspace));
    const id = futureId(future);
    const logged: LoggedCall = {
      id,
      tool: toolName(label, call.method !== ''),
      job: owner?.id ?? workspace,
      role,
      started: cached === true ? ended : (attempts.at(-1)?.started ?? created),
      ended,
      ...endOf(failed, value),
      ...(cached === true ? { cached } : {}),
      ...(attempts.length > 1 ? { attempts: attempts.length } : {}),
    };
    return logWrite(kitScope, ended, id, [logged]);
  }

  async #knownRole(workspace: string): Promise<string> {
    const known = this.#roles.get(workspace);
    if (known !== undefined) return known;
    const role = (await this.#roleOf(workspace)) ?? '';
    if (this.#roles.size >= maxRoles) this.#roles.clear();
    this.#roles.set(workspace, role);
    return role;
  }

  /** A call as it is in the store. */
  async #read({ workspace, number }: FutureReference): Promise<Entry<CallRow> | undefined> {
    const [entry] = await this.#context.store.read(futureRows, [[workspace, number]]);
    if (entry?.value.kind !== 'call') return undefined;
    return { ...entry, value: entry.value };
  }

  async #options(future: CallRow): Promise<CallOptions> {
    try {
      return callOf(await this.#handlesFor(future.workspace), future).options;
    } catch {
      return {};
    }
  }
}

interface CallOutcome {
  readonly failed: boolean;
  readonly value: WireMessage;
  /** It holds what one role may see, and is not for others. */
  readonly isForRole?: true;
}

/** The fields of an object of the application that code of a role may see. */
function fieldsOf(object: object, role: string | undefined): Record<string, unknown> | undefined {
  const { form, fields } = exposureOf(object, role);
  if (form !== 'object') return undefined;
  return Object.fromEntries(fields.map(({ name }) => [name, (object as Record<string, unknown>)[name]]));
}

interface CallResult {
  readonly failed: boolean;
  readonly value: unknown;
}

function errorOr({ failed, value }: CallResult): unknown {
  return failed && !(value instanceof Error) ? new Error(String(value)) : value;
}

/** What a call ends with after its last transaction had to run again. The call itself is over, and is not repeated. */
async function finalResult(result: CallResult, scope: CallScope, givenUp: string | undefined): Promise<CallResult> {
  const failure = (message: string): CallResult => {
    scope.drop();
    return { failed: true, value: new ObjectConflictError(message) };
  };
  if (givenUp !== undefined)
    return failure(`The call was made, but its last change of objects could not be kept: ${givenUp}`);
  try {
    const ran = await scope.runAgain();
    if (ran === undefined || result.failed || isDeepStrictEqual(ran.before, ran.after)) return result;
    if (ran.before === result.value) return { failed: false, value: ran.after };
    return failure(
      'The call was made, but objects changed before its last transaction could be kept, and that would now give something else. Nothing of it was kept.',
    );
  } catch (error) {
    scope.drop();
    return { failed: true, value: error };
  }
}

function at({ key, revision }: Entry<unknown>): Check {
  return { kind: 'revision', collection: futureRows, key, revision };
}

/** Somebody has to say what is to be done about it. */
function inDoubt(future: CallRow): Write[] {
  const value: CallRow = { ...future, doubt: true };
  return [put(value), ...askedOfPeople(value)];
}

function put(future: FutureRow): Write {
  return { kind: 'put', collection: futureRows, key: [future.workspace, future.number], value: future };
}

/** Calls whose objects this process was given; of the others, what the last one lacks. */
export function startableCalls(
  handles: HandleTable,
  calls: readonly CallRow[],
): { readonly startable: readonly CallRow[]; readonly missing: Error | undefined } {
  let missing: Error | undefined;
  const startable = calls.filter((call) => {
    try {
      refuseMissing(handles, call);
      return true;
    } catch (error) {
      missing = error instanceof Error ? error : new Error(String(error));
      return false;
    }
  });
  return { startable, missing };
}

/** Refuses a call whose objects this process was not given. Nothing has happened then, and another process may have them. */
function refuseMissing(handles: HandleTable, future: CallRow, parameters = future.call.parameters): void {
  try {
    callOf(handles, future);
    // Large ones that were not read yet are looked at before the call is made.
    if (isWhole(parameters)) parametersOf(handles, parameters);
  } catch (error) {
    if (error instanceof BindingMissingError) throw error;
  }
}

interface FoundCall {
  readonly called: (...parameters: unknown[]) => unknown;
  readonly target: object | undefined;
  readonly parameters: readonly unknown[];
  readonly stage: ParameterStage;
  readonly options: CallOptions;
}

/** What the call is of, found again by its names. */
function callOf(handles: HandleTable, { call }: CallRow): Omit<FoundCall, 'parameters'> {
  const { token, method, stage = 'given' } = call;
  const target = handles.objectFor(token);
  const called = callable(target, method);
  return { called, target: method === '' ? undefined : target, stage, options: callOptionsOf(called) };
}

function parametersOf(handles: HandleTable, parameters: WireMessage): readonly unknown[] {
  return decodeWire(parameters, {
    handle: (name) => handles.objectFor(name),
    callback: () => undefined,
    maxBytes: Number.POSITIVE_INFINITY,
  }) as unknown[];
}
