// An opened Statek: a store, engines, drivers, and the workspaces and jobs in it.
import { refuseUnknownOptions, wholeNumberOption } from '../base/options.ts';
import { WorkspaceKit, type WorkspaceOptions } from '../workspace/kit.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { kitOptionNames, openKit, type KitParts, type WorkspaceKitOptions } from '../workspace/open-kit.ts';
import type { Collection } from '../store/collection.ts';
import { scanAll } from '../store/scan-all.ts';
import { WorkspaceBusyError } from '../workspace/errors.ts';
import { readyRows, workspaceRows, type FutureKind } from '../workspace/rows.ts';
import { fireTimers } from '../workspace/arrivals.ts';
import { KitClosedError } from '../workspace/errors.ts';
import { awakening } from './change.ts';
import { checkDriver, type Driver, type Program } from './driver.ts';
import { DriverMissingError, JobStateError } from './errors.ts';
import { jobEvents, type EventOptions, type JobStreamEvent } from './events.ts';
import { jobExtension } from './extension.ts';
import type { Faults } from './faults.ts';
import { Job, type JobParts } from './job.ts';
import {
  countJobs,
  jobPage,
  pendingFutures,
  type JobFilter,
  type JobPageOptions,
  type PendingFuture,
} from './listing.ts';
import type { SubmitOptions } from './new-job.ts';
import { mustRead } from './requesting.ts';
import { jobCollections, jobRows, turnRows, type JobRow } from './rows.ts';
import { LeasesOfOthers } from './leases-of-others.ts';
import { optionsForRole } from './requests.ts';
import type { Restored, Restoring } from './restored-state.ts';
import { submitAll } from './submit.ts';
import { JobSystem, type Report } from './system.ts';
import { fireJobTimers } from './timers.ts';
import { shareWorkspace, usersOf } from './turns.ts';
import { schedulerOf, Worker, type WorkerOptions } from './worker.ts';

export interface StatekOptions extends WorkspaceKitOptions {
  /** Who drives jobs, by role. Every process that is to work on jobs of a role registers its driver. */
  readonly drivers?: readonly Driver[] | undefined;
  /** Milliseconds after which jobs that are over are deleted; kept for good unless told, or the job says so itself. */
  readonly keepJobsFor?: number | undefined;
  /** Where something can be made to go wrong, for tests. */
  readonly faults?: Faults | undefined;
}

export const jobKitOptionNames: readonly string[] = [...kitOptionNames, 'drivers', 'keepJobsFor', 'faults'];

export interface JobPage {
  readonly jobs: readonly Job[];
  /** Give it to the next call; undefined when there is no more. */
  readonly cursor: string | undefined;
}

export class Statek extends WorkspaceKit {
  readonly #system: JobSystem;
  readonly #jobParts: JobParts;
  #worker: Worker | undefined;
  /** Works for those who wait for a result while nobody has started a worker. */
  #helper: { readonly worker: Worker; users: number } | undefined;
  #idle: Promise<void> | undefined;

  /** Opens a store and everything needed to run what is in it. */
  static async open(options: StatekOptions): Promise<Statek> {
    refuseUnknownOptions('Statek.open', options, jobKitOptionNames);
    return openKit(options, jobCollections, async (parts) => {
      const kit = new Statek(parts, options);
      await kit.jobSystem.announceRoles();
      return kit;
    });
  }

  /** `owned` are collections of a layer above whose keys begin with the id of a job; `restore` is what it adds to going back. */
  protected constructor(
    parts: KitParts,
    options: StatekOptions,
    above: {
      readonly owned?: readonly Collection[];
      readonly restore?: (restoring: Restoring) => Promise<Restored>;
      readonly report?: Report;
    } = {},
  ) {
    if (options.keepJobsFor !== undefined)
      wholeNumberOption('Statek.open', 'keepJobsFor', options.keepJobsFor, 0, Number.MAX_SAFE_INTEGER);
    const system = new JobSystem(parts.store, parts.clock, {
      services: parts.services,
      drivers: options.drivers ?? [],
      keep: options.keepJobsFor,
      faults: options.faults,
      ...above,
    });
    super(parts, options, jobExtension(system));
    this.#system = system;
    const { context, calls, limits, live, workspaceOver } = this.parts;
    system.attach({ context, calls, limits, live });
    this.#jobParts = {
      system,
      workspace: workspaceOver,
      job: (id) => this.job(id),
      driven: (action) => this.#driven(action),
    };
  }

  /** A workspace by name: made if it is new, and otherwise as it was left, whichever process left it. */
  override async workspace(name: string, options: WorkspaceOptions = {}): Promise<Workspace> {
    const job = await this.#system.read(name);
    if (
      job?.row.workspace === undefined &&
      job !== undefined &&
      (await this.store.read(workspaceRows, [[name]]))[0] === undefined
    )
      throw new JobStateError(
        `'${name}' is a job that has not begun, and its workspace is made when it begins. Choose another name, or wait.`,
        { id: name },
      );
    return super.workspace(name, options);
  }

  /**
   * Deletes a workspace that nobody needs any more: its variables, steps, console and history. What it waited for is
   * forgotten. Refused while a call of it is under way, or a job uses it; the workspace of a job is deleted with the job.
   */
  override async deleteWorkspace(name: string): Promise<void> {
    const own = await this.#system.read(name);
    if (own !== undefined && own.row.workspace === undefined)
      throw new JobStateError(`'${name}' is the workspace of a job. Delete the job, and it goes with it.`, {
        id: name,
      });
    const [user] = await usersOf(this.#system, [name]);
    if (user !== undefined && user.row.status !== 'DONE')
      throw new JobStateError(
        `The job '${user.row.id}' uses the workspace '${name}'. Cancel it, or wait for its end.`,
        {
          id: user.row.id,
        },
      );
    await super.deleteWorkspace(name);
    // The name is free again, for a job as well.
    const [turn] = await this.store.read(turnRows, [[name]]);
    if (turn !== undefined)
      await this.store.commit([
        {
          checks: [{ kind: 'revision', collection: turnRows, key: [name], revision: turn.revision }],
          writes: [{ kind: 'remove', collection: turnRows, key: [name] }],
        },
      ]);
  }

  /** Submits a job. It is started by whichever process works on its role. */
  async submit<Result = unknown>(driver: Program<Result> | string, options: SubmitOptions = {}): Promise<Job<Result>> {
    const [job] = await this.submitAll(driver, [options]);
    return job as Job<Result>;
  }

  /** Submits many jobs in one durable write. */
  async submitAll<Result = unknown>(
    driver: Program<Result> | string,
    all: readonly SubmitOptions[],
  ): Promise<readonly Job<Result>[]> {
    const role = await this.#role(driver);
    // What a driver of this process wants in its input, it was given.
    const given = this.#system.drivers.has(role)
      ? all
      : all.map((options) => optionsForRole(this.#system.role(role), options));
    const ids = await submitAll(this.#system, role, given, 'kit.submit');
    return Promise.all(ids.map(async (id) => (await this.job(id)) as Job<Result>));
  }

  /** Makes a job of an event, in the queue of its role. */
  async enqueue<Result = unknown>(
    driver: Program<Result> | string,
    event: unknown,
    options: Omit<SubmitOptions, 'input'> = {},
  ): Promise<Job<Result>> {
    return this.submit(driver, { ...options, input: event });
  }

  /** A job by its id. */
  async job(id: string): Promise<Job> {
    return this.jobOver(this.#jobParts, (await mustRead(this.#system, id)).row);
  }

  /** Jobs, the latest first; at most 100 unless told. */
  async jobs(options: JobPageOptions = {}): Promise<readonly Job[]> {
    return (await this.jobPage(options)).jobs;
  }

  /** One page of jobs. */
  async jobPage(options: JobPageOptions = {}): Promise<JobPage> {
    const { rows, cursor } = await jobPage(this.#system, options);
    return { jobs: rows.map((row) => this.jobOver(this.#jobParts, row)), cursor };
  }

  /** How many jobs there are. */
  async countJobs(filter: JobFilter = {}): Promise<number> {
    return countJobs(this.#system, filter);
  }

  /** What everyone is waiting for. */
  pending(
    filter: { readonly kind?: FutureKind | undefined; readonly role?: string | undefined } = {},
  ): AsyncIterable<PendingFuture> {
    refuseUnknownOptions('kit.pending', filter, ['kind', 'role']);
    return pendingFutures(this.#system, filter);
  }

  /**
   * Forgets a role that no process works on any more: no job can be started for it, and no agent finds it. Its jobs stay. A process
   * that opens a kit with the role makes it known again.
   */
  async forgetRole(role: string): Promise<void> {
    await this.#system.forgetRole(role);
  }

  /** What happens to jobs, in the order in which it was committed. */
  events(options: EventOptions = {}): AsyncIterable<JobStreamEvent> {
    refuseUnknownOptions('kit.events', options, ['job', 'since', 'signal']);
    return jobEvents(this.#system, options);
  }

  /** Starts working on jobs and workspaces, until the worker is stopped. A kit has one worker at a time. */
  start(options: WorkerOptions = {}): Worker {
    if (this.parts.closed)
      throw new KitClosedError('kit.start: this kit was closed. Open another one with Statek.open.');
    this.#worker ??= this.#newWorker(options, () => {
      this.#worker = undefined;
    });
    return this.#worker;
  }

  /** Does everything in the store that can be done now, and returns when nothing is left. */
  override async runUntilIdle(): Promise<void> {
    // Two at once would each wait for what the other has taken.
    while (this.#idle !== undefined) await this.#idle;
    this.#idle = this.#runUntilIdle().finally(() => {
      this.#idle = undefined;
    });
    return this.#idle;
  }

  override async close(options: { readonly graceMilliseconds?: number | undefined } = {}): Promise<void> {
    await Promise.all([this.#worker?.stop(options), this.#helper?.worker.stop(options)]);
    await super.close(options);
  }

  /** @internal Makes a workspace one that jobs are given; if it is a job's own, what that one is doing comes to its end first. */
  async shareWorkspace(id: string): Promise<void> {
    const [own] = await this.store.read(jobRows, [[id]]);
    if (own === undefined || own.value.workspace !== undefined) return;
    await this.#driven(() => shareWorkspace(this.#system, id, Number.POSITIVE_INFINITY));
  }

  /** @internal Does something with a workspace between two jobs. */
  async whenFree(workspace: string, action: () => Promise<void>): Promise<void> {
    for (;;) {
      const [user] = await usersOf(this.#system, [workspace]);
      if (user === undefined || user.row.status === 'DONE') {
        try {
          await action();
          return;
        } catch (error) {
          // A job came in between.
          if (!(error instanceof WorkspaceBusyError)) throw error;
        }
      } else {
        const { id } = user.row;
        const isOver = async (): Promise<boolean> => ((await this.#system.read(id))?.row.status ?? 'DONE') === 'DONE';
        await this.#driven(() => this.#system.watch.until(id, isOver));
      }
    }
  }

  /** @internal The jobs of a workspace, oldest first; that of a workspace's own, too. */
  async *jobsIn(workspace: string): AsyncGenerator<Job, void, undefined> {
    const [own] = await this.store.read(jobRows, [[workspace]]);
    if (own !== undefined && own.value.workspace === undefined) yield this.jobOver(this.#jobParts, own.value);
    let cursor: string | undefined;
    do {
      const page = await this.jobPage({ workspace, order: 'oldest', limit: 500, cursor });
      yield* page.jobs;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  /** @internal Workspaces whose names begin with something. */
  async *workspacesNamed(beginning: string): AsyncGenerator<Workspace, void, undefined> {
    const range = { from: [beginning], to: [`${beginning}\u{10ffff}`] };
    for await (const { value } of scanAll(this.store, workspaceRows, range)) yield this.parts.workspaceOver(value.id);
  }

  /** @internal What stands for a job in this kit; a layer above may know more of it. */
  protected jobOver(parts: JobParts, row: JobRow): Job {
    return Job.over(parts, row);
  }

  /** @internal What a layer above builds on. */
  protected get jobSystem(): JobSystem {
    return this.#system;
  }

  /** @internal */
  protected override async continueWorkspace(id: string): Promise<void> {
    this.#system.occupied.get(id)?.poke();
    const [job] = await usersOf(this.#system, [id]);
    if (job === undefined) {
      await super.continueWorkspace(id);
      return;
    }
    // A job is found through its queue.
    const [mark] = await this.store.read(readyRows, [[id]]);
    if (mark === undefined) return;
    const { checks, writes } = awakening(job, this.parts.context.clock.now());
    await this.store.commit([{ checks, writes: [...writes, { kind: 'remove', collection: readyRows, key: [id] }] }]);
  }

  #newWorker(options: WorkerOptions, onStop: () => void): Worker {
    return new Worker(this.#system, options, {
      continueWorkspace: (id) => void this.continueWorkspace(id).catch(() => undefined),
      onStop,
    });
  }

  /** Makes sure that somebody works in this process while something is waited for. */
  async #driven<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#worker !== undefined || this.parts.closed) return action();
    const helper = (this.#helper ??= { worker: this.#newWorker({}, () => undefined), users: 0 });
    helper.users++;
    try {
      return await action();
    } finally {
      if (--helper.users === 0) {
        this.#helper = undefined;
        await helper.worker.stop();
      }
    }
  }

  async #runUntilIdle(): Promise<void> {
    const scheduler = schedulerOf(this.#system, {}, 'kit.runUntilIdle');
    const others = new LeasesOfOthers(this.#system);
    // A worker hears of the roles of processes that came later; nobody else does.
    if (this.#system.drivers.size > 0) await this.#system.roles.look();
    try {
      for (;;) {
        await super.runUntilIdle();
        if (this.#system.drivers.size === 0) return;
        await fireTimers(this.parts.context);
        await fireJobTimers(this.#system);
        await scheduler.kick();
        if (scheduler.activeCount > 0) {
          await scheduler.any();
          continue;
        }
        // The queue could not be read, so idleness is unproven.
        if (scheduler.trouble !== undefined) throw scheduler.trouble;
        // A job may stand under the lease of a process that has died.
        if (!(await others.mayEnd())) return;
      }
    } finally {
      await scheduler.stop(0);
    }
  }

  async #role(driver: Driver | string): Promise<string> {
    if (typeof driver === 'string') {
      await this.#system.learnRole(driver);
      return driver;
    }
    checkDriver(driver);
    if (this.#system.drivers.get(driver.role) !== driver)
      throw new DriverMissingError(
        `The driver '${driver.role}' was not given to Statek.open({ drivers }), so no process would find it again.`,
        { role: driver.role },
      );
    return driver.role;
  }
}
