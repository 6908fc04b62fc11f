// What the parts of the jobs layer share: the store, the workspaces that programs of jobs run in, and the drivers.
import type { Clock } from '../base/clock.ts';
import { InvalidOptionError } from '../base/options.ts';
import { count } from '../base/telemetry.ts';
import type { History } from '../history/door.ts';
import type { Collection, Store } from '../store/door.ts';
import type { Workspaces } from '../workspace/door.ts';
import type { ActiveJobs } from './work/active-jobs.ts';
import { BackPressure, type MaxQueueAge } from './changes/back-pressure.ts';
import { readJob, type KnownJob } from './changes/job-changes.ts';
import type { Driver } from './driver.ts';
import type { Drivers } from './drivers.ts';
import type { Faults } from './faults.ts';
import { KnownRoles } from './roles.ts';
import type { Restore } from './past/restored-state.ts';
import { SlowSlices } from './journal/slow-slices.ts';
import type { RoleRow, SlowSliceFacts } from './rows.ts';
import { SharedValues } from './shared-values.ts';
import { Tenants } from './tenants/tenants.ts';
import { JobWatch } from './work/watch.ts';

/** Once may be anybody's bad luck; again and again is worth a warning. */
export type Report = (level: 'info' | 'warn', text: string, data: Readonly<Record<string, unknown>>) => void;

const maxDamageTold = 10_000;

/** What jobs are built on. */
export interface JobsParts {
  readonly workspaces: Workspaces;
  readonly drivers: Drivers;
  readonly active: ActiveJobs;
  readonly restore: Restore;
}

export interface JobsOptions {
  /** Milliseconds after which jobs that are over are deleted; by default they are kept. */
  readonly keep?: number | undefined;
  readonly faults?: Faults | undefined;
  /** Collections of layers above whose keys begin with the id of a job: they go with it. */
  readonly owned?: readonly Collection[];
  readonly report?: Report | undefined;
  readonly slowSliceMilliseconds: number;
  readonly maxQueueAge?: MaxQueueAge | undefined;
}

export class JobSystem {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: History;
  readonly workspaces: Workspaces;
  readonly drivers: Drivers;
  readonly shared: SharedValues;
  readonly faults: Faults | undefined;
  readonly watch: JobWatch;
  /** Roles that other processes work on. */
  readonly roles: KnownRoles;
  /** Jobs this process works on now. */
  readonly active: ActiveJobs;
  /** Jobs that were taken from this process while it worked on them: it was slow, and did not die of them. How often in a row. */
  readonly #lost = new Map<string, number>();
  /** Milliseconds after which finished jobs are deleted, unless they say so themselves. */
  readonly keep: number | undefined;
  readonly owned: readonly Collection[];
  readonly restore: Restore;
  readonly tenants: Tenants;
  readonly backPressure: BackPressure;
  /** From how many milliseconds on a slice is slow. */
  readonly slowSliceMilliseconds: number;
  readonly #slowSlices: SlowSlices;
  readonly #report: Report;
  /** Damage that was told. */
  readonly #damage = new Set<string>();
  #lastMoment = Number.NEGATIVE_INFINITY;

  constructor({ workspaces, drivers, active, restore }: JobsParts, options: JobsOptions) {
    const { store, clock, history, services, objects } = workspaces.context;
    this.store = store;
    this.clock = clock;
    this.history = history;
    this.workspaces = workspaces;
    this.drivers = drivers;
    this.active = active;
    this.restore = restore;
    this.tenants = new Tenants(store, clock);
    this.backPressure = new BackPressure({ store, clock, drivers, maxAge: options.maxQueueAge });
    this.#slowSlices = new SlowSlices(store, clock);
    this.watch = new JobWatch(store, clock);
    this.roles = new KnownRoles(store);
    this.shared = new SharedValues(services, objects);
    this.keep = options.keep;
    this.faults = options.faults;
    this.owned = options.owned ?? [];
    this.slowSliceMilliseconds = options.slowSliceMilliseconds;
    this.#report = options.report ?? (() => undefined);
  }

  /** A job was taken away from this process while it worked on it. */
  lostJob(id: string): void {
    const times = (this.#lost.get(id) ?? 0) + 1;
    this.#lost.set(id, times);
    this.again('a job was taken over by another process while this one worked on it', { job: id, times });
  }

  /** Says aloud what is tried again, so that nothing goes in circles unseen. */
  again(text: string, data: { readonly times: number } & Readonly<Record<string, unknown>>): void {
    this.#report(data.times > 1 ? 'warn' : 'info', text, data);
  }

  /**
   * A program took long for one slice. It is noted in the store, where commands, metrics and the inspector find it. In the log it is no
   * warning: on a busy machine any program may take long, and what it writes to its error stream must not depend on that.
   */
  async slow(job: string, facts: SlowSliceFacts): Promise<void> {
    count('statek.slices.slow', { role: facts.role });
    this.#report('info', 'a slice took long', { job, ...facts });
    await this.faults?.hit('slice.slow', job);
    await this.#slowSlices.note(job, facts);
  }

  /** A job was quarantined: somebody has to look at it. */
  quarantined(text: string, data: { readonly job: string; readonly role: string }): void {
    count('statek.jobs.quarantined', { role: data.role });
    this.#report('warn', text, data);
  }

  /** Something in the store cannot be read: said once, and harms only whom it belongs to. */
  damaged(text: string, data: Readonly<Record<string, unknown>>): void {
    if (this.#damage.has(text)) return;
    if (this.#damage.size < maxDamageTold) this.#damage.add(text);
    this.#report('warn', text, data);
  }

  /** This process came to a good end with a job. */
  finishedJob(id: string): void {
    this.#lost.delete(id);
  }

  /** This process lost the job and did not die of it. If that happens again and again, it counts as if it had. */
  wasSlow(id: string, most: number): boolean {
    const times = this.#lost.get(id) ?? 0;
    return times > 0 && times <= most;
  }

  /** The time, a little later than what was told before: jobs that come in one millisecond keep the order in which they came. */
  moment(): number {
    const now = this.clock.now();
    const last = this.#lastMoment;
    // Unless the clock was set back.
    this.#lastMoment = last >= now && last - now < 1000 ? last + 1 / 1024 : now;
    return this.#lastMoment;
  }

  /** The version of the code that works on a role in this process. */
  versionOf(role: string): string | undefined {
    return this.drivers.versionOf(role);
  }

  driver(role: string): Driver {
    return this.drivers.must(role);
  }

  /** What those who start a job of a role have to know; the process that works on it may be another one. */
  role(role: string): RoleRow {
    return this.drivers.get(role) ?? this.roles.get(role) ?? this.driver(role);
  }

  /** The same for a role that another process may have told of just now. */
  async learnRole(role: string): Promise<RoleRow> {
    return (await this.knownRole(role)) ?? this.role(role);
  }

  /** Undefined for a role that no process has told of, such as that of a job from another store. */
  async knownRole(role: string): Promise<RoleRow | undefined> {
    if (!this.drivers.has(role) && this.roles.get(role) === undefined) await this.roles.look();
    return this.drivers.get(role) ?? this.roles.get(role);
  }

  /** Tells other processes which roles this one works on, and learns theirs. */
  async announceRoles(): Promise<void> {
    await this.roles.announce(this.drivers.values());
  }

  async forgetRole(role: string): Promise<void> {
    if (this.drivers.has(role))
      throw new InvalidOptionError(`kit.forgetRole: this process works on '${role}'.`, { role });
    await this.roles.forget(role);
  }

  read(id: string): Promise<KnownJob | undefined> {
    return readJob(this.store, id);
  }
}
