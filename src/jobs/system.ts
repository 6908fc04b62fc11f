// What the parts of the jobs layer share in one process.
import type { Clock } from '../base/clock.ts';
import { InvalidOptionError } from '../base/options.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';
import type { Calls } from '../workspace/calls.ts';
import type { KitContext } from '../workspace/context.ts';
import type { WorkspaceLimits } from '../workspace/limits.ts';
import type { LiveWorkspace } from '../workspace/live-workspace.ts';
import type { KnownJob } from './change.ts';
import { checkDriver, type Driver } from './driver.ts';
import { DriverMissingError } from './errors.ts';
import type { Faults } from './faults.ts';
import { jobRows, type RoleRow } from './rows.ts';
import { SharedValues } from './shared-values.ts';
import { KnownRoles } from './known-roles.ts';
import { restoreState, type Restored, type Restoring } from './restored-state.ts';
import { JobWatch } from './watch.ts';

/** What the workspaces of the kit give to the jobs. */
export interface Workspaces {
  readonly context: KitContext;
  readonly calls: Calls;
  readonly limits: Partial<WorkspaceLimits>;
  live(id: string): LiveWorkspace;
}

/** A job this process works on. */
export interface ActiveJob {
  readonly id: string;
  /** Whether this process still has the job's lease. */
  readonly hasLease: boolean;
  /** It runs in a workspace that it was given. */
  readonly isGuest: boolean;
  /** Of its lease. */
  readonly token: number;
  /** Resolves when this process is done with it. */
  readonly ended: Promise<void>;
  /** Something of the job has changed: look again. */
  poke(): void;
}

/** Once may be anybody's bad luck; again and again is worth a warning. */
export type Report = (level: 'info' | 'warn', text: string, data: Readonly<Record<string, unknown>>) => void;

export class JobSystem {
  readonly store: Store;
  readonly clock: Clock;
  readonly shared: SharedValues;
  readonly faults: Faults | undefined;
  readonly watch: JobWatch;
  /** Roles that other processes work on. */
  readonly roles: KnownRoles;
  /** Jobs this process works on now. */
  readonly active = new Map<string, ActiveJob>();
  /** Those of them that use a workspace now, by its name. */
  readonly occupied = new Map<string, ActiveJob>();
  /** Jobs that were taken from this process while it worked on them: it was slow, and did not die of them. How often in a row. */
  readonly #lost = new Map<string, number>();
  /** Milliseconds after which finished jobs are deleted, unless they say so themselves. */
  readonly keep: number | undefined;
  /** Collections of layers above whose keys begin with the id of a job: they go with it. */
  readonly owned: readonly Collection[];
  /** What a job keeps when it goes back to a commit, or begins at one. */
  readonly restore: (restoring: Restoring) => Promise<Restored>;
  readonly #report: Report;
  readonly #drivers = new Map<string, Driver>();
  #workspaces: Workspaces | undefined;
  #lastMoment = Number.NEGATIVE_INFINITY;

  constructor(
    store: Store,
    clock: Clock,
    options: {
      readonly services: ReadonlyMap<string, object>;
      readonly drivers: readonly Driver[];
      readonly keep: number | undefined;
      readonly faults: Faults | undefined;
      readonly owned?: readonly Collection[];
      readonly restore?: ((restoring: Restoring) => Promise<Restored>) | undefined;
      readonly report?: Report | undefined;
    },
  ) {
    this.store = store;
    this.clock = clock;
    this.watch = new JobWatch(store, clock);
    this.roles = new KnownRoles(store);
    this.shared = new SharedValues(options.services, () => this.workspaces.context.objects);
    this.keep = options.keep;
    this.faults = options.faults;
    this.owned = options.owned ?? [];
    this.restore = options.restore ?? restoreState;
    this.#report = options.report ?? (() => undefined);
    for (const driver of options.drivers) {
      checkDriver(driver);
      if (this.#drivers.has(driver.role))
        throw new InvalidOptionError(`There are two drivers of the role '${driver.role}'.`, { name: driver.role });
      this.#drivers.set(driver.role, driver);
    }
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

  /** This process came to a good end with a job. */
  finishedJob(id: string): void {
    this.#lost.delete(id);
  }

  /** This process lost the job and did not die of it. If that happens again and again, it counts as if it had. */
  wasSlow(id: string, most: number): boolean {
    const times = this.#lost.get(id) ?? 0;
    return times > 0 && times <= most;
  }

  attach(workspaces: Workspaces): void {
    this.#workspaces = workspaces;
  }

  get workspaces(): Workspaces {
    if (this.#workspaces === undefined) throw new Error('The kit is not open yet.');
    return this.#workspaces;
  }

  /** The time, a little later than what was told before: jobs that come in one millisecond keep the order in which they came. */
  moment(): number {
    const now = this.clock.now();
    const last = this.#lastMoment;
    // Unless the clock was set back.
    this.#lastMoment = last >= now && last - now < 1000 ? last + 1 / 1024 : now;
    return this.#lastMoment;
  }

  get drivers(): ReadonlyMap<string, Driver> {
    return this.#drivers;
  }

  driver(role: string): Driver {
    const driver = this.#drivers.get(role);
    if (driver !== undefined) return driver;
    const known = [...this.#drivers.keys()].join(', ') || 'none';
    throw new DriverMissingError(
      `There is no driver of the role '${role}' in this process (there are: ${known}). Give it to Statek.open({ drivers }).`,
      { role },
    );
  }

  /** What those who start a job of a role have to know; the process that works on it may be another one. */
  role(role: string): RoleRow {
    return this.#drivers.get(role) ?? this.roles.get(role) ?? this.driver(role);
  }

  /** The same for a role that another process may have told of just now. */
  async learnRole(role: string): Promise<RoleRow> {
    if (!this.#drivers.has(role) && this.roles.get(role) === undefined) await this.roles.look();
    return this.role(role);
  }

  /** Tells other processes which roles this one works on, and learns theirs. */
  async announceRoles(): Promise<void> {
    await this.roles.announce(this.#drivers.values());
  }

  async forgetRole(role: string): Promise<void> {
    if (this.#drivers.has(role))
      throw new InvalidOptionError(`kit.forgetRole: this process works on '${role}'.`, { role });
    await this.roles.forget(role);
  }

  async read(id: string): Promise<KnownJob | undefined> {
    const { synchronous } = this.store;
    const [entry] =
      synchronous === undefined ? await this.store.read(jobRows, [[id]]) : synchronous.read(jobRows, [[id]]);
    return entry && { row: entry.value, revision: entry.revision };
  }
}
