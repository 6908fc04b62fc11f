// A worker: does whatever is to be done in the store, for as long as it is told to. It hears of new work through the
// store and of time through one timer; it looks only at what is ready and never at jobs that wait.
import { after } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import { scanAll, type Key } from '../../store/door.ts';
import { ClockSteps, moveTimers, readyRows, runRows, timerRows } from '../../workspace/door.ts';
import { attendanceItems, jobTimerRows, jobWorkRows, roleRows } from '../rows.ts';
import { Attendance, isQuestion } from './attendance.ts';
import { isEndOfStore } from './outages.ts';
import { Scheduler } from './scheduler.ts';
import type { JobSystem } from '../system.ts';
import { tenantRows, tenantSlotRows } from '../tenants/rows.ts';
import { scheduleTimerRows } from '../schedules/rows.ts';
import { fireSchedules } from '../schedules/schedules.ts';
import { fireJobTimers, moveJobTimers } from './timers.ts';

/** How much a worker takes on. */
export interface WorkerOptions {
  /** Jobs this process works on at once; default: 100. */
  readonly concurrency?: number | undefined;
  /** How often processes may die of one job in a row before it fails; default: 3. */
  readonly maxCrashes?: number | undefined;
}

const optionNames: OptionNames<WorkerOptions> = { concurrency: true, maxCrashes: true };
const followAgainMilliseconds = 500;
const watchForDeadMilliseconds = 250;

export function schedulerOf(system: JobSystem, options: WorkerOptions, where: string): Scheduler {
  refuseUnknownOptions(where, options, optionNames);
  const { concurrency = 100, maxCrashes = 3 } = options;
  return new Scheduler(system, {
    concurrency: wholeNumberOption(where, 'concurrency', concurrency, 1, 100_000),
    maxCrashes: wholeNumberOption(where, 'maxCrashes', maxCrashes, 1, 1000),
  });
}

/** Works on jobs until it is stopped. `kit.start()` makes it. */
export class Worker {
  readonly #system: JobSystem;
  readonly #scheduler: Scheduler;
  readonly #attendance: Attendance;
  readonly #stopping = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #due = Number.POSITIVE_INFINITY;
  #firing: Promise<void> | undefined;
  #fireAgain = false;
  readonly #clockSteps: ClockSteps;
  #isSetBack = false;
  #stopped: Promise<void> | undefined;
  readonly #onStop: () => void;
  readonly #end = Promise.withResolvers<void>();

  /** @internal */
  constructor(system: JobSystem, options: WorkerOptions, onStop: () => void) {
    this.#system = system;
    this.#scheduler = schedulerOf(system, options, 'kit.start');
    this.#attendance = new Attendance(system);
    this.#onStop = onStop;
    this.#clockSteps = new ClockSteps(system.clock);
    // Whoever does not wait for the end gets a warning instead.
    this.#end.promise.catch(() => undefined);
    void this.#follow();
    this.#lookAtEverything();
    this.#pollSlowly();
    this.#watchForDead();
  }

  /**
   * Resolves when the worker was stopped. Rejects with `StoreRolledBackError` if it stopped by itself, because the server of
   * the store lost commits on which this process had relied: restart the process.
   */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Jobs at work in this process. */
  get activeJobs(): number {
    return this.#scheduler.activeCount;
  }

  /**
   * Takes nothing more, lets every job come to a point where it can be left, and gives the leases back. Calls under way
   * get so long to end (default: 5,000 ms); what becomes of those that do not is unknown, as after a crash.
   */
  stop(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    refuseUnknownOptions('worker.stop', options, { graceMilliseconds: true });
    const { graceMilliseconds = 5000 } = options;
    wholeNumberOption('worker.stop', 'graceMilliseconds', graceMilliseconds, 0, 3_600_000);
    this.#stopped ??= (async () => {
      this.#stopping.abort();
      this.#cancelTimer?.();
      this.#cancelPoll?.();
      this.#cancelWatch?.();
      await this.#scheduler.stop(graceMilliseconds);
      await this.#firing;
      await this.#attendance.leave();
      this.#onStop();
      this.#end.resolve();
    })();
    return this.#stopped;
  }

  /** What this process knows may be wrong, so it must not work on. */
  #giveUp(error: Error): void {
    this.#end.reject(error);
    process.emitWarning(`A worker stopped: ${error.message}`, 'StatekWarning');
    void this.stop({ graceMilliseconds: 0 });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      try {
        const changes = this.#system.store.follow({
          collections: [
            ...[jobWorkRows, jobTimerRows, scheduleTimerRows, timerRows, readyRows, roleRows],
            ...[tenantRows, tenantSlotRows, attendanceItems],
          ],
          signal,
        });
        for await (const set of changes) {
          if (signal.aborted) return;
          this.#heard(set.changes);
        }
      } catch (error) {
        if (isEndOfStore(error)) {
          if ((error as { code?: string }).code !== 'STORE_CLOSED') this.#giveUp(error as Error);
          return;
        }
        await new Promise<void>((resolve) => after(this.#system.clock, followAgainMilliseconds, resolve));
        // Whatever was committed meanwhile made no sound here.
        this.#lookAtEverything();
      }
      if (signal.aborted) return;
    }
  }

  #heard(changes: readonly { readonly kind: string; readonly collection: string; readonly key: Key }[]): void {
    let isWanted = false;
    for (const { kind, collection, key } of changes) {
      if (collection === tenantRows.name || collection === tenantSlotRows.name) {
        // There is room for jobs that had to wait, maybe.
        this.#scheduler.lookAgain();
        isWanted = true;
      } else if (collection === roleRows.name) {
        void this.#system.roles.look().catch(() => undefined);
      } else if (kind === 'remove') {
        continue;
      } else if (collection === attendanceItems.name) {
        if (isQuestion(key)) void this.#attendance.look();
      } else if (collection === jobWorkRows.name) {
        const runner = this.#system.active.get(String(key.at(-1)));
        if (!this.#system.drivers.has(String(key[0]))) continue;
        this.#scheduler.heard(key);
        if (runner === undefined) isWanted = true;
        else runner.poke();
      } else if (collection === readyRows.name) {
        this.#system.workspaces.continueSoon(String(key[0]));
      } else if ((key[0] as number) < this.#due) {
        this.#rearm(key[0] as number);
      }
    }
    if (isWanted) void this.#scheduler.kick();
  }

  /** What has become due is done; then the timer is set for the next time. */
  #fire(): Promise<void> {
    this.#fireAgain = true;
    this.#firing ??= (async () => {
      try {
        while (this.#fireAgain && !this.#stopping.signal.aborted) {
          this.#fireAgain = false;
          this.#due = Number.POSITIVE_INFINITY;
          await this.#followClock();
          const times = await Promise.all([
            this.#system.workspaces.fireTimers(),
            fireJobTimers(this.#system),
            fireSchedules(this.#system),
          ]);
          this.#rearm(Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY)));
          void this.#scheduler.kick();
        }
      } catch {
        // The store is out of reach; the slow poll comes back to it.
      } finally {
        this.#firing = undefined;
      }
    })();
    return this.#firing;
  }

  async #followClock(): Promise<void> {
    this.#isSetBack ||= this.#clockSteps.wasSetBack();
    if (!this.#isSetBack) return;
    await moveTimers(this.#system.workspaces.context);
    await moveJobTimers(this.#system);
    this.#isSetBack = false;
  }

  #rearm(due: number): void {
    if (this.#stopping.signal.aborted || due >= this.#due) return;
    this.#due = due;
    this.#cancelTimer?.();
    const milliseconds = Math.max(0, due - this.#system.clock.now());
    this.#cancelTimer = after(this.#system.clock, milliseconds, () => void this.#fire());
  }

  /** The one place where a worker finds what it has not heard of: at its start, after an outage, and now and then. */
  #lookAtEverything(): void {
    if (this.#stopping.signal.aborted) return;
    this.#scheduler.lookAgain();
    void this.#scheduler.kick();
    void this.#fire();
    void this.#continueReady();
    void this.#attendance.look();
  }

  async #continueReady(): Promise<void> {
    try {
      for await (const { key } of scanAll(this.#system.store, readyRows, {}))
        this.#system.workspaces.continueSoon(String(key[0]));
    } catch {
      // The store is out of reach; the slow poll comes back to it.
    }
  }

  /** Leases that run out make no sound, and a wake-up may be lost. */
  #pollSlowly(): void {
    const { leaseMilliseconds } = this.#system.workspaces.context.leases;
    this.#cancelPoll = after(this.#system.clock, leaseMilliseconds / 2, () => {
      if (this.#stopping.signal.aborted) return;
      this.#lookAtEverything();
      this.#pollSlowly();
    });
  }

  /** What a process held that has died is taken over soon, not when its leases run out. */
  #watchForDead(): void {
    const { store, clock } = this.#system;
    if (store.expireDead === undefined || this.#stopping.signal.aborted) return;
    this.#cancelWatch = after(clock, watchForDeadMilliseconds, () => {
      void (async () => {
        try {
          const jobs = (await store.expireDead?.(jobWorkRows)) ?? 0;
          const workspaces = (await store.expireDead?.(runRows)) ?? 0;
          const slots = (await store.expireDead?.(tenantSlotRows)) ?? 0;
          if (jobs + workspaces + slots > 0) this.#lookAtEverything();
        } catch {
          // The store is out of reach; it is looked at again soon.
        }
        this.#watchForDead();
      })();
    });
  }
}
