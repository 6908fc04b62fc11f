// Calls of asynchronous functions. The intent is in the store before the call is made, and its outcome afterwards. If the
// process ends in between, nobody knows whether the call had its effect, and the program is told so.
import type { KitContext } from './context.ts';
import { OutcomeUnknownError } from './errors.ts';
import { callable } from './bridge.ts';
import type { HandleTable } from './handle-table.ts';
import { futureId, futureRows, readyRows, workspaceRows, type FutureReference, type FutureRow } from './rows.ts';
import type { Write } from '../store/store.ts';
import { decodeWire } from './wire-decode.ts';
import { encodeWire } from './wire-encode.ts';

export type HandlesFor = (workspace: string) => Promise<HandleTable>;

const retryMilliseconds = 500;

export class Calls {
  readonly #context: KitContext;
  readonly #handlesFor: HandlesFor;
  readonly #settled: (workspace: string) => void;
  readonly #running = new Map<string, Promise<void>>();

  /** `settled` is told when an outcome of a call of this workspace is in the store. */
  constructor(context: KitContext, handlesFor: HandlesFor, settled: (workspace: string) => void) {
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

  start(calls: readonly FutureRow[]): void {
    for (const call of calls) {
      if (this.isRunning(call)) continue;
      // The workspace stays this process's as long as its calls run.
      const running = this.#context.leases
        .take(call.workspace)
        .then(() => this.#run(call).finally(() => this.#context.leases.put(call.workspace)));
      this.#running.set(
        futureId(call),
        running
          .catch(() => undefined)
          .finally(() => {
            this.#running.delete(futureId(call));
            this.#settled(call.workspace);
          }),
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
    // Looked up before the call counts as started: what is missing in this process leaves everything as it was.
    const { token, method, parameters } = future.call as NonNullable<FutureRow['call']>;
    const target = handles.objectFor(token);
    const called = callable(target, method);
    const given = decodeWire(parameters, {
      handle: (name) => handles.objectFor(name),
      callback: () => undefined,
      maxBytes: Number.POSITIVE_INFINITY,
    }) as unknown[];
    const [started] = await this.#context.store.commit([
      {
        checks: [
          {
            kind: 'revision',
            collection: futureRows,
            key: [future.workspace, future.number],
            revision: entry.revision,
          },
        ],
        writes: [
          {
            kind: 'put',
            collection: futureRows,
            key: [future.workspace, future.number],
            value: { ...future, state: 'started' },
          },
        ],
      },
    ]);
    if (started?.status !== 'committed') return;
    let outcome: NonNullable<FutureRow['outcome']>;
    try {
      const value = await (Reflect.apply(called, method === '' ? undefined : target, given) as Promise<unknown>);
      outcome = { failed: false, value: this.#encode(handles, value) };
    } catch (error) {
      outcome = {
        failed: true,
        value: this.#encode(handles, error instanceof Error ? error : new Error(String(error))),
      };
    }
    await this.#record({ ...future, state: 'started' }, outcome);
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

  /** The outcome is kept whatever else happens; while the store is out of reach it is tried again. */
  async #record(future: FutureRow, outcome: NonNullable<FutureRow['outcome']>): Promise<void> {
    for (;;) {
      try {
        await this.#context.store.commit([{ writes: await settlement(this.#context, future, outcome) }]);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, retryMilliseconds));
      }
    }
  }
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
