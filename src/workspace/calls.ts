// Calls of asynchronous functions. The intent is in the store before the call is made, and its outcome afterwards. If the
// process ends in between, nobody knows whether the call had its effect, and the program is told so.
import { isDeepStrictEqual } from 'node:util';
import { CallScope } from '../objects/call-scope.ts';
import { ObjectConflictError } from '../objects/errors.ts';
import { mostTries, pause } from '../objects/transact.ts';
import { isAboutObjects } from './conflict.ts';
import type { KitContext } from './context.ts';
import { OutcomeUnknownError } from './errors.ts';
import { callable } from './bridge.ts';
import { BindingMissingError, type HandleTable } from './handle-table.ts';
import { futureId, futureRows, readyRows, workspaceRows, type FutureReference, type FutureRow } from './rows.ts';
import type { Write } from '../store/store.ts';
import { decodeWire } from './wire-decode.ts';
import { encodeWire } from './wire-encode.ts';

export type HandlesFor = (workspace: string) => Promise<HandleTable>;

const retryMilliseconds = 500;

export class Calls {
  readonly #context: KitContext;
  readonly #handlesFor: HandlesFor;
  readonly #settled: (workspaces: readonly string[]) => void;
  readonly #running = new Map<string, Promise<void>>();
  #closed = false;

  /** `settled` is told when the outcome of a call that these workspaces wait for is in the store. */
  constructor(context: KitContext, handlesFor: HandlesFor, settled: (workspaces: readonly string[]) => void) {
    this.#context = context;
    this.#handlesFor = handlesFor;
    this.#settled = settled;
  }

  isRunning(call: FutureReference): boolean {
    return this.#running.has(futureId(call));
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

  start(calls: readonly FutureRow[]): void {
    for (const call of calls) {
      if (this.isRunning(call)) continue;
      // The workspace stays this process's as long as its calls run.
      const running = this.#context.leases
        .take(call.workspace)
        .then(() => this.#run(call).finally(() => this.#context.leases.put(call.workspace)));
      const ended = running.then(
        () => this.#settled([call.workspace, ...call.sharedWith]),
        // It was not started. Whoever looks at the workspace next tries again, and is told why.
        () => undefined,
      );
      this.#running.set(
        futureId(call),
        ended.finally(() => this.#running.delete(futureId(call))),
      );
    }
  }

  async #run(reference: FutureRow): Promise<void> {
    const [entry] = await this.#context.store.read(futureRows, [[reference.workspace, reference.number]]);
    if (entry === undefined || entry.value.outcome !== undefined || entry.value.state === 'cancelled') return;
    const future = entry.value;
    const handles = await this.#handlesFor(future.workspace);
    if (future.state === 'started') {
      const error = new OutcomeUnknownError(
        `The process ended while ${future.label} was running; it may have had its effect or not.`,
        { call: future.label },
      );
      await this.#record(future, { failed: true, value: this.#encode(handles, error) });
      return;
    }
    refuseMissing(handles, future);
    let made: () => unknown;
    try {
      made = callOf(handles, future);
    } catch (error) {
      await this.#record(future, { failed: true, value: this.#encode(handles, error) });
      return;
    }
    const key = [future.workspace, future.number];
    const [started] = await this.#context.store.commit([
      {
        checks: [{ kind: 'revision', collection: futureRows, key, revision: entry.revision }],
        writes: [{ kind: 'put', collection: futureRows, key, value: { ...future, state: 'started' } }],
      },
    ]);
    if (started?.status !== 'committed') return;
    const scope = new CallScope();
    let result: CallResult;
    try {
      result = { failed: false, value: await scope.run(made) };
    } catch (error) {
      result = { failed: true, value: error };
    }
    await this.#recordWith(future, result, scope, handles);
  }

  /** Records the outcome together with the call's last transaction. If objects changed meanwhile, only that runs again. */
  async #recordWith(future: FutureRow, result: CallResult, scope: CallScope, handles: HandleTable): Promise<void> {
    let final = result;
    for (let tries = 1; ; tries++) {
      const outcome = { failed: final.failed, value: this.#encode(handles, errorOr(final)) };
      const conflict = await this.#record(future, outcome, scope);
      if (conflict === undefined) return;
      final = await finalResult(final, scope, tries >= mostTries ? conflict : undefined);
      await pause(tries);
    }
  }

  #encode(handles: HandleTable, value: unknown): string {
    const options = {
      maxBytes: 8 * 1024 * 1024,
      handleFor: (object: object) =>
        handles.isDurable(handles.tokenFor(object)) ? handles.tokenFor(object) : undefined,
    };
    try {
      return encodeWire(value, options);
    } catch (error) {
      return encodeWire(error, options);
    }
  }

  /** The outcome is kept whatever else happens to the future; while the store is out of reach it is tried again. */
  async #record(
    { workspace, number }: FutureReference,
    outcome: NonNullable<FutureRow['outcome']>,
    scope?: CallScope,
  ): Promise<string | undefined> {
    while (!this.#closed) {
      try {
        // Read again: a fork may have begun to share it while the call was under way.
        const [entry] = await this.#context.store.read(futureRows, [[workspace, number]]);
        if (entry === undefined) return undefined;
        const { checks = [], writes = [] } = scope?.part ?? {};
        const [result] = await this.#context.store.commit([
          {
            checks: [{ kind: 'revision', collection: futureRows, key: entry.key, revision: entry.revision }, ...checks],
            writes: [...(await settlement(this.#context, entry.value, outcome)), ...writes],
          },
        ]);
        if (result?.status === 'committed') {
          scope?.committed(result.revision);
          return undefined;
        }
        if (result !== undefined && isAboutObjects(result.conflict)) return result.conflict.message;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
      }
    }
    return undefined;
  }
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

/** Refuses a call whose objects this process was not given. Nothing has happened then, and another process may have them. */
export function refuseMissing(handles: HandleTable, future: FutureRow): void {
  try {
    callOf(handles, future);
  } catch (error) {
    if (error instanceof BindingMissingError) throw error;
  }
}

/** What the call is of, found again by its names. */
function callOf(handles: HandleTable, { call }: FutureRow): () => unknown {
  const { token, method, parameters } = call as NonNullable<FutureRow['call']>;
  const target = handles.objectFor(token);
  const called = callable(target, method);
  const given = decodeWire(parameters, {
    handle: (name) => handles.objectFor(name),
    callback: () => undefined,
    maxBytes: Number.POSITIVE_INFINITY,
  }) as unknown[];
  return () => Reflect.apply(called, method === '' ? undefined : target, given);
}

/** The writes that settle a future and wake everyone who waits for it. */
export async function settlement(
  { store, clock }: KitContext,
  future: FutureRow,
  outcome: NonNullable<FutureRow['outcome']>,
): Promise<Write[]> {
  const now = clock.now();
  const woken = [future.workspace, ...future.sharedWith];
  const known = await store.read(
    workspaceRows,
    woken.map((id) => [id]),
  );
  return [
    {
      kind: 'put',
      collection: futureRows,
      key: [future.workspace, future.number],
      value: { ...future, state: 'settled', outcome, settled: now },
    },
    ...woken
      .filter((_, index) => known[index] !== undefined)
      .map((id): Write => ({ kind: 'put', collection: readyRows, key: [id], value: { since: now } })),
  ];
}
