// A call of a driver's. It was recorded together with the decision to make it, under the lease of the process that is
// going to make it; its outcome is recorded together with the driver's next decision.
import { emptyPart } from '../../store/door.ts';
import { after } from '../../base/clock.ts';
import { toolAttributes, traced } from '../../base/telemetry.ts';
import {
  callOptionsOf,
  callWith,
  loadText,
  offloadText,
  OutcomeUnknownError,
  pauseAfter,
  TimeoutError,
  type CallAttempt,
  type CallContext,
  type CallOptions,
  type WireMessage,
} from '../../workspace/door.ts';
import { advance } from './advance.ts';
import type { KnownJob } from '../changes/job-changes.ts';
import type { EndedCall } from '../driver.ts';
import { jobErrorOf, type PlannedChange } from '../changes/ending.ts';
import { DriverMissingError } from '../errors.ts';
import { cancelledEnd } from './joining.ts';
import { isStopped, tooLate } from '../changes/overdue.ts';
import { jobCallRows, type JobAction, type JobCallRow, type JobRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

type Call = Extract<JobAction, { kind: 'call' }>;

interface Outcome {
  readonly failed: boolean;
  /** The value or error. */
  readonly value: WireMessage;
  readonly ended: number;
  /** It is certain that the attempt has failed; otherwise nobody knows. */
  readonly known: boolean;
}

/** What is to be called, and by whom. */
interface CallTurn {
  readonly known: KnownJob;
  readonly action: Call;
  /** Of the lease under which it is made. */
  readonly token: number;
  /** What is in the journal, if that is known. */
  readonly recorded: JobCallRow | undefined;
  /** The job as it is when the call is over. */
  look(): Promise<KnownJob | undefined>;
}

export class DriverCall {
  readonly number: number;
  readonly #system: JobSystem;
  readonly #job: string;
  #outcome: Outcome | undefined;
  #controller = new AbortController();

  constructor(system: JobSystem, job: string, number: number) {
    this.#system = system;
    this.#job = job;
    this.number = number;
  }

  abort(reason?: Error): void {
    this.#controller.abort(reason);
  }

  /**
   * Makes the call if it is to be made now, and tells the change of the job that follows; undefined if the job has to be
   * looked at again. `wait` waits for the call.
   */
  async next(
    { known, action, token, recorded, look }: CallTurn,
    wait: (made: Promise<void>) => Promise<void>,
  ): Promise<{ known: KnownJob; planned: PlannedChange } | undefined> {
    const { clock } = this.#system;
    const call = recorded?.number === this.number ? recorded : await this.#read();
    const called = this.#system.driver(known.row.role).calls?.[action.name];
    const options = called === undefined ? {} : callOptionsOf(called);
    // The failure is in the journal, and another attempt follows.
    if (action.notBefore !== undefined) this.#outcome = undefined;
    if (this.#outcome === undefined) {
      if (action.notBefore !== undefined) {
        if (action.notBefore > clock.now()) return { known, planned: this.#later(known, action) };
        return { known, planned: this.#again(known, action, call, token) };
      }
      if (action.token !== token) {
        // Another process was going to make it, and nobody knows how far it came.
        if (options.idempotent === true) return { known, planned: this.#again(known, action, call, token) };
        const error = new OutcomeUnknownError(
          `The process ended while '${action.name}' was being called; it may have had its effect or not.`,
          { call: action.name },
        );
        this.#outcome = { failed: true, value: this.#encodeError(error), ended: clock.now(), known: false };
      } else if (called === undefined) {
        const error = new DriverMissingError(`The driver '${known.row.role}' has no call '${action.name}'.`);
        this.#outcome = { failed: true, value: this.#encodeError(error), ended: clock.now(), known: true };
      } else {
        const until = await this.#spentUntil(known.row, action);
        if (until !== undefined) return { known, planned: this.#postponed(known, action, call, until) };
        await this.#system.faults?.hit('call.before', this.#job);
        this.#controller = new AbortController();
        await wait(
          traced(`execute_tool ${action.name}`, 'statek.call.duration', toolAttributes(action.name), () =>
            this.#make(called, call, options),
          ),
        );
        await this.#system.faults?.hit('call.after', this.#job);
      }
    }
    const latest = await look();
    if (latest === undefined || latest.row.action?.kind !== 'call' || latest.row.action.number !== this.number)
      return undefined;
    return { known: latest, planned: await this.#over(latest, action, call, options, token) };
  }

  async #read(): Promise<JobCallRow> {
    const [entry] = await this.#system.store.read(jobCallRows, [[this.#job, this.number]]);
    if (entry === undefined)
      throw new Error(`The call ${this.number} of the job '${this.#job}' is not in the journal.`);
    return entry.value;
  }

  /** Calls it once. What it threw is an outcome. */
  async #make(
    called: (input: never, call: CallContext) => unknown,
    call: JobCallRow,
    { timeout }: CallOptions,
  ): Promise<void> {
    const { clock, shared } = this.#system;
    const { signal } = this.#controller;
    let cancel: (() => void) | undefined;
    try {
      const context: CallContext = {
        workspace: this.#job,
        idempotencyKey: `${this.#job}/call/${this.number}`,
        attempt: call.attempts.length,
        abortSignal: signal,
      };
      const input = shared.decode(await loadText(this.#system.store, this.#job, call.input));
      const direct = (): unknown => called(input as never, context);
      const isTool = Object.keys(callOptionsOf(called)).length > 0;
      const result = Promise.resolve(
        isTool ? callWith(called as (...parameters: unknown[]) => unknown, undefined, [input], context) : direct(),
      );
      const late = new Promise<never>((_, reject) => {
        if (timeout === undefined) return;
        cancel = after(clock, timeout, () => {
          reject(new TimeoutError(`'${call.name}' took longer than ${timeout} ms.`, { call: call.name, timeout }));
          this.#controller.abort();
        });
      });
      const value = shared.encode(await Promise.race([result, late]), `What '${call.name}' returned`);
      this.#outcome = { failed: false, value, ended: clock.now(), known: true };
    } catch (error) {
      this.#outcome = { failed: true, value: this.#encodeError(error), ended: clock.now(), known: true };
    } finally {
      cancel?.();
    }
  }

  /** The call is over: another attempt, or the driver's next decision. */
  async #over(
    known: KnownJob,
    action: Call,
    call: JobCallRow,
    { retry }: CallOptions,
    token: number,
  ): Promise<PlannedChange> {
    const outcome = this.#outcome as Outcome;
    const { failed, value, ended } = outcome;
    const error = failed ? jobErrorOf(this.#system.shared.decode(value)) : undefined;
    const last: CallAttempt = { ...(call.attempts.at(-1) as CallAttempt), ended };
    const pause =
      failed && outcome.known && !isStopped(known.row) ? pauseAfter(retry, call.attempts.length) : undefined;
    if (pause !== undefined) {
      const attempts = [...call.attempts.slice(0, -1), { ...last, error: error?.message ?? '' }];
      const notBefore = this.#system.clock.now() + pause;
      const { token: _token, ...rest } = action;
      return {
        change: { action: { ...rest, notBefore } },
        events: [],
        also: { checks: [], writes: [this.#put({ ...call, attempts })] },
      };
    }
    const told: EndedCall = {
      name: call.name,
      failed,
      value: failed ? undefined : this.#system.shared.decode(value),
      error,
    };
    const planned = await this.#next(known, told, token);
    const kept = offloadText(this.#job, value);
    const journal = this.#put({
      ...call,
      attempts: [...call.attempts.slice(0, -1), last],
      outcome: { failed, value: kept.text },
      ended,
    });
    return {
      change: planned.change,
      events: [{ kind: 'called', data: { name: call.name, number: call.number, failed } }, ...planned.events],
      also: { checks: planned.also.checks, writes: [...planned.also.writes, journal, ...kept.writes] },
    };
  }

  /** A job that is to end does not go on, whatever the call brought. */
  async #next(known: KnownJob, told: EndedCall, token: number): Promise<PlannedChange> {
    if (known.row.cancelling !== undefined) return cancelledEnd(this.#system, known.row, []);
    if (isStopped(known.row)) return tooLate(this.#system, known.row, []);
    return advance(this.#system, known, { kind: 'call', call: told }, token);
  }

  /** Records that it is going to be made by this process. */
  #again({ row }: KnownJob, action: Call, call: JobCallRow, token: number): PlannedChange {
    const { notBefore: _notBefore, ...rest } = action;
    const { wake: _wake, ...timers } = row.timers;
    const attempts = [...call.attempts, { started: this.#system.clock.now() }];
    return {
      change: { action: { ...rest, token }, timers },
      events: [],
      also: { checks: [], writes: [this.#put({ ...call, attempts })] },
    };
  }

  /** Leaves the queue until it is time for the next attempt. */
  #later({ row }: KnownJob, { notBefore }: Call): PlannedChange {
    return {
      change: { at: null, timers: { ...row.timers, ...(notBefore === undefined ? {} : { wake: notBefore }) } },
      events: [],
      also: emptyPart,
    };
  }

  async #spentUntil(row: JobRow, { name }: Call): Promise<number | undefined> {
    if (this.#system.driver(row.role).paidCalls?.includes(name) !== true) return undefined;
    return this.#system.tenants.spentUntil(row);
  }

  /** Its tenant has used up its day. The call was not made, and the journal says so. */
  #postponed({ row }: KnownJob, action: Call, call: JobCallRow, until: number): PlannedChange {
    const { token: _token, ...rest } = action;
    return {
      change: {
        action: { ...rest, notBefore: until },
        at: null,
        status: 'SUSPENDED',
        limited: true,
        timers: { ...row.timers, wake: until },
      },
      events: row.limited === true ? [] : [{ kind: 'limited', data: { call: action.name, until } }],
      also: { checks: [], writes: [this.#put({ ...call, attempts: call.attempts.slice(0, -1) })] },
    };
  }

  #put(value: JobCallRow): PlannedChange['also']['writes'][number] {
    return { kind: 'put', collection: jobCallRows, key: [this.#job, this.number], value };
  }

  #encodeError(error: unknown): WireMessage {
    const { name, message, code } = jobErrorOf(error);
    const plain: Error & { code?: string } = new Error(message.slice(0, 20_000));
    plain.name = name;
    if (code !== undefined) plain.code = code;
    return this.#system.shared.encode(plain, 'An error');
  }
}
