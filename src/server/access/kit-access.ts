// What one caller can do with a kit. Routes and tools are given this and never the kit, so a new one cannot forget to check: each
// way to a job says what it is for, and asks for the right that needs.
import { NotFoundError } from '../../workspace/door.ts';
import type { Workspace } from '../../workspace/door.ts';
import type { Job, SubmitOptions } from '../../agents/door.ts';
import { JobStateError, tenantLabel } from '../../jobs/door.ts';
import type {
  JobFilter,
  JobPageOptions,
  JobStreamEvent,
  PendingFilter,
  PendingFuture,
  TenantState,
} from '../../jobs/door.ts';
import type { Statek } from '../../kit/statek.ts';
import type { ChangeNotice } from './change-notice.ts';
import type { EventHub } from './event-hub.ts';
import { ForbiddenError, requireRight, sees, type Caller, type Right } from './rights.ts';

/** Labels of jobs never change, so those that were looked up are remembered. */
const maxRemembered = 10_000;
/** Jobs that one search looks at, and reads at once. */
const maxLookedAt = 2000;
const searchedAtOnce = 200;

export class KitAccess {
  readonly caller: Caller;
  readonly #kit: Statek;
  readonly #hub: EventHub;
  readonly #visible = new Map<string, boolean>();

  constructor(kit: Statek, hub: EventHub, caller: Caller) {
    this.#kit = kit;
    this.#hub = hub;
    this.caller = caller;
  }

  /** The revision of the store; throws if it cannot be reached. Anybody may ask. */
  async revision(): Promise<number> {
    return this.#kit.store.revision();
  }

  /** The whole kit, for what belongs to no job: only for callers who are not limited to some jobs. */
  kit(right: Right): Statek {
    requireRight(this.caller, right);
    if (this.caller.labels !== undefined)
      throw new ForbiddenError(`${this.caller.name} may only use jobs labelled ${this.caller.labels.join(', ')}.`);
    return this.#kit;
  }

  /** The agents that jobs can be submitted to, which are no secret to those who may submit some. */
  agents(): ReturnType<Statek['agents']['list']> {
    requireRight(this.caller, 'read');
    return this.#kit.agents.list();
  }

  /** A job, to do what a right allows. A job the caller may not see is not there. */
  async job(id: string, right: Right): Promise<Job> {
    requireRight(this.caller, right);
    const job = await this.#kit.job(id);
    if (sees(this.caller, job.labels)) return job;
    throw new NotFoundError(`There is no job '${id}'.`, { id });
  }

  /** Whether there is a job that the caller may not see: its id is taken. */
  async isHidden(id: string, right: Right): Promise<boolean> {
    requireRight(this.caller, right);
    return this.#isHidden(id);
  }

  /** A job as a file, without its secrets. */
  async exported(id: string): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
    await this.job(id, 'read');
    return this.#kit.exportJob(id);
  }

  /** A page of the jobs the caller may see. */
  async jobPage(
    options: JobPageOptions,
  ): Promise<{ readonly jobs: readonly Job[]; readonly cursor: string | undefined }> {
    requireRight(this.caller, 'read');
    const { jobs, cursor } = await this.#kit.jobPage(this.#narrowed(options));
    return { jobs: jobs.filter(({ labels }) => sees(this.caller, labels)), cursor };
  }

  /**
   * Looks through the jobs until enough fit, or enough were looked at; the cursor goes on from there. A page may be short, or
   * empty, and still have one.
   */
  async findJobs(
    options: JobPageOptions,
    limit: number,
    fits: (job: Job) => boolean,
  ): Promise<{ readonly jobs: readonly Job[]; readonly cursor: string | undefined }> {
    requireRight(this.caller, 'read');
    const wanted = this.#narrowed(options);
    const found: Job[] = [];
    let { cursor } = wanted;
    for (let lookedAt = 0; lookedAt < maxLookedAt; lookedAt += searchedAtOnce) {
      const page = await this.#kit.jobPage({ ...wanted, limit: searchedAtOnce, cursor });
      for (const [index, job] of page.jobs.entries()) {
        if (!sees(this.caller, job.labels) || !fits(job)) continue;
        found.push(job);
        // The next page begins after the last one that was found.
        if (found.length >= limit)
          return { jobs: found, cursor: (await this.#kit.jobPage({ ...wanted, limit: index + 1, cursor })).cursor };
      }
      ({ cursor } = page);
      if (cursor === undefined) break;
    }
    return { jobs: found, cursor };
  }

  async countJobs(filter: JobFilter): Promise<number> {
    requireRight(this.caller, 'read');
    const { labels } = this.caller;
    if (labels === undefined || (labels.length === 1 && filter.label === undefined))
      return this.#kit.countJobs(this.#narrowed(filter));
    let count = 0;
    for await (const _job of this.eachJob(filter)) count++;
    return count;
  }

  /** All jobs of a filter that the caller may see, page by page. */
  async *eachJob(filter: JobFilter): AsyncGenerator<Job, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.jobPage({ ...filter, limit: 200, cursor });
      yield* page.jobs;
      ({ cursor } = page);
    } while (cursor !== undefined);
  }

  /** Submits a job. Callers who are limited to labels submit jobs that have them. */
  async submit(role: string, options: SubmitOptions): Promise<Job> {
    requireRight(this.caller, 'control');
    const { labels } = this.caller;
    if (labels !== undefined && !sees(this.caller, options.labels ?? []))
      throw new ForbiddenError(`${this.caller.name} may only submit jobs labelled ${labels.join(', ')}.`);
    if (labels !== undefined && options.workspace !== undefined)
      throw new ForbiddenError(`${this.caller.name} may not submit jobs to a given workspace.`);
    if (options.id !== undefined && (await this.#isHidden(options.id))) throw taken(options.id);
    const job = await this.#kit.submit(role, options);
    // Somebody whose jobs this caller may not see has made the same submission meanwhile.
    if (!sees(this.caller, job.labels)) throw taken(job.id);
    return job;
  }

  /** What a tenant may use and what it uses: for callers who see all jobs, and for those who see the jobs of the tenant. */
  async tenant(name: string): Promise<TenantState> {
    requireRight(this.caller, 'read');
    const { labels } = this.caller;
    if (labels !== undefined && !labels.includes(`${tenantLabel}${name}`))
      throw new NotFoundError(`There is no tenant '${name}'.`, { tenant: name });
    return this.#kit.tenants.state(name);
  }

  /** What the jobs wait for that the caller may see. */
  async *pending(filter: PendingFilter): AsyncGenerator<PendingFuture, void, undefined> {
    requireRight(this.caller, 'read');
    for await (const future of this.#kit.pending(filter)) if (await this.#sees(future.job)) yield future;
  }

  /** Who decides is who calls, whatever the request says. */
  async answer(id: string, value: unknown, key?: string): Promise<void> {
    await this.#mayDecide(id);
    await this.#kit.answer(id, value, { by: this.caller.name, key });
  }

  async approve(id: string, comment: string | undefined): Promise<void> {
    await this.#mayDecide(id);
    await this.#kit.approve(id, { by: this.caller.name, comment });
  }

  async deny(id: string, why: string | undefined): Promise<void> {
    await this.#mayDecide(id);
    await this.#kit.deny(id, why, { by: this.caller.name });
  }

  async workspace(name: string, right: Right): Promise<Workspace> {
    const found = await this.kit(right).findWorkspace(name);
    if (found === undefined) throw new NotFoundError(`There is no workspace '${name}'.`, { workspace: name });
    return found;
  }

  /** What happens to the jobs the caller may see. */
  async *events(options: {
    readonly job?: string | undefined;
    readonly since?: number | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<JobStreamEvent, void, undefined> {
    requireRight(this.caller, 'read');
    if (options.job !== undefined) await this.job(options.job, 'read');
    for await (const event of this.#hub.events(options)) if (await this.#sees(event.job)) yield event;
  }

  /** The same, and what has changed besides; only those who see all jobs are told of what belongs to none. */
  async *everything(options: {
    readonly since?: number | undefined;
    readonly signal: AbortSignal;
  }): AsyncGenerator<JobStreamEvent | ChangeNotice, void, undefined> {
    requireRight(this.caller, 'read');
    for await (const event of this.#hub.everything(options)) {
      // The labels of a job that was deleted are known if it was seen before.
      const isSeen = event.kind === 'changed' ? this.caller.labels === undefined : await this.#sees(event.job);
      if (isSeen) yield event;
    }
  }

  /** The pieces of replies of a job, as they arrive. */
  async onDelta(id: string, listener: Parameters<Job['onDelta']>[0]): Promise<() => void> {
    return (await this.job(id, 'read')).onDelta(listener);
  }

  async #isHidden(id: string): Promise<boolean> {
    if (this.caller.labels === undefined) return false;
    try {
      return !sees(this.caller, (await this.#kit.job(id)).labels);
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #mayDecide(id: string): Promise<void> {
    requireRight(this.caller, 'answer');
    if (this.caller.labels === undefined) return;
    for (const job of await this.#kit.askers(id)) if (await this.#sees(job)) return;
    throw new NotFoundError(`Nobody waits for '${id}'.`, { id });
  }

  async #sees(job: string): Promise<boolean> {
    if (this.caller.labels === undefined) return true;
    let visible = this.#visible.get(job);
    if (visible === undefined) {
      visible = await this.#kit.job(job).then(
        ({ labels }) => sees(this.caller, labels),
        () => false,
      );
      if (this.#visible.size >= maxRemembered) this.#visible.clear();
      this.#visible.set(job, visible);
    }
    return visible;
  }

  /** One label is looked up in its index. */
  #narrowed<Filter extends JobFilter>(filter: Filter): Filter {
    const { labels } = this.caller;
    return labels?.length === 1 && filter.label === undefined ? { ...filter, label: labels[0] } : filter;
  }
}

/** Says nothing of the job that has the id. */
function taken(id: string): JobStateError {
  return new JobStateError(`The id '${id}' is taken. Choose another one.`, { id });
}
