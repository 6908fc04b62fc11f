// The jobs of one filter, newest first, as far as somebody has scrolled: loaded page by page, kept up to date by events, with
// the children of opened rows below them. What has changed and is not in sight is asked for when it comes into sight.
import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import { at, get, Refusal } from '../../api/request.ts';
import type { Job, JobEvent, JobPage } from '../../api/types.ts';
import { matches, mayBringIn, type Filter } from './filter.ts';

const pageSize = 100;
/** Pages that a search looks through before it asks whether to go on. */
const pagesOfSearch = 20;
const askedAtOnce = 8;

export interface Row {
  readonly job: Job;
  readonly level: number;
}

interface Branch {
  readonly jobs: readonly Job[];
  readonly isLoading: boolean;
}

export class JobList {
  readonly filter: Filter;
  readonly error = signal<Error | undefined>(undefined);
  readonly isLoading = signal(false);
  readonly isComplete = signal(false);
  /** How many jobs a search has looked at. */
  readonly searched = signal(0);
  readonly open = signal<ReadonlyMap<string, Branch>>(new Map());
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly #jobs = signal<readonly Job[]>([]);
  readonly #known = new Map<string, Job>();
  /** Listed jobs that are not any more as they are shown. */
  readonly #changed = new Set<string>();
  /** Jobs that may have come to match. */
  readonly #missing = new Set<string>();
  #cursor: string | undefined;
  #inSight: ReadonlySet<string> = new Set();
  #asking = 0;
  #topIsOld = false;
  #isAskingTop = false;
  readonly #ended = new AbortController();

  constructor(filter: Filter) {
    this.filter = filter;
    this.rows = computed(() => this.#flattened());
    void this.more();
  }

  close(): void {
    this.#ended.abort();
  }

  get isEmpty(): boolean {
    return this.isComplete.value && this.#jobs.value.length === 0;
  }

  /** Loads the next page; for a search, as many as it needs to find something. */
  async more(): Promise<void> {
    if (this.isLoading.value || this.isComplete.value) return;
    this.isLoading.value = true;
    try {
      let found = 0;
      for (let page = 0; page < pagesOfSearch && found < 30; page++) {
        const { jobs, cursor } = await this.#page(this.#cursor);
        this.#cursor = cursor;
        found += jobs.length;
        batch(() => {
          this.searched.value += pageSize;
          this.#merge(jobs);
          if (cursor === undefined) this.isComplete.value = true;
          this.error.value = undefined;
        });
        if (cursor === undefined) break;
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) this.error.value = error as Error;
    } finally {
      this.isLoading.value = false;
    }
  }

  /** Takes note of what has happened; asks for what is in sight or new. */
  heard(events: readonly JobEvent[]): void {
    const listed = new Set(this.#jobs.value.map(({ id }) => id));
    for (const { job, kind } of events) {
      if (kind === 'submitted') this.#topIsOld = true;
      // Of jobs that are not listed, only what may bring them into the list is of interest.
      if (listed.has(job) || this.#shown.has(job)) this.#changed.add(job);
      else if (mayBringIn(this.filter, kind)) this.#missing.add(job);
    }
    // A new job may be a child of an opened one.
    if (this.#topIsOld) for (const id of this.open.value.keys()) void this.#loadChildren(id);
    this.#refresh();
  }

  /** These are not there any more. */
  deleted(ids: readonly string[]): void {
    if (ids.length > 0) this.#remove(new Set(ids));
  }

  /** The connection was away: everything may have changed. */
  healed(): void {
    for (const id of this.#known.keys()) this.#changed.add(id);
    this.#topIsOld = true;
    this.#refresh();
  }

  see(ids: ReadonlySet<string>): void {
    this.#inSight = ids;
    if (this.#changed.size > 0) this.#refresh();
  }

  async toggle(id: string): Promise<void> {
    const next = new Map(this.open.value);
    if (next.delete(id)) {
      this.open.value = next;
      return;
    }
    this.open.value = next.set(id, { jobs: [], isLoading: true });
    await this.#loadChildren(id);
  }

  async #loadChildren(id: string): Promise<void> {
    try {
      const { jobs } = await get<JobPage>(at`/jobs/${id}/children`, { limit: 200 }, this.#ended.signal);
      for (const job of jobs) this.#known.set(job.id, { ...this.#known.get(job.id), ...job });
      if (this.open.value.has(id))
        this.open.value = new Map(this.open.value).set(id, { jobs: jobs.toReversed(), isLoading: false });
    } catch (error) {
      if (!this.#ended.signal.aborted) this.error.value = error as Error;
    }
  }

  #refresh(): void {
    if (this.#topIsOld) void this.#askTop();
    for (const id of this.#changed) {
      if (this.#asking >= askedAtOnce) return;
      if (!this.#inSight.has(id)) continue;
      this.#changed.delete(id);
      void this.#ask(id);
    }
    for (const id of this.#missing) {
      if (this.#asking >= askedAtOnce) return;
      this.#missing.delete(id);
      void this.#ask(id);
    }
  }

  /** The newest page again, for jobs that are new. */
  async #askTop(): Promise<void> {
    if (this.#isAskingTop) return;
    this.#isAskingTop = true;
    this.#topIsOld = false;
    try {
      const { jobs } = await this.#page(undefined);
      for (const { id } of jobs) {
        this.#changed.delete(id);
        this.#missing.delete(id);
      }
      this.#merge(jobs);
    } catch {
      // It is asked for again with the next event.
    } finally {
      this.#isAskingTop = false;
      this.#refresh();
    }
  }

  async #ask(id: string): Promise<void> {
    this.#asking++;
    try {
      const { waiting, ...job } = await get<Job>(at`/jobs/${id}`, undefined, this.#ended.signal);
      this.#merge([{ ...job, waits: waiting ?? [] }]);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) this.#remove(new Set([id]));
    } finally {
      this.#asking--;
      this.#refresh();
    }
  }

  async #page(cursor: string | undefined): Promise<JobPage> {
    return get<JobPage>('/jobs', { ...this.filter, limit: pageSize, cursor, detail: true }, this.#ended.signal);
  }

  #merge(jobs: readonly Job[]): void {
    const listed = new Map(this.#jobs.value.map((job) => [job.id, job]));
    for (const job of jobs) {
      const merged = { ...this.#known.get(job.id), ...job };
      // What is over has no outcome any more once it is opened again.
      if (job.outcome === undefined) delete (merged as { outcome?: unknown }).outcome;
      this.#known.set(job.id, merged);
      if (!matches(merged, this.filter)) listed.delete(job.id);
      else if (listed.has(job.id) || this.#isInRange(merged)) listed.set(job.id, merged);
    }
    this.#jobs.value = [...listed.values()].toSorted(newestFirst);
    const ids = new Set(jobs.map(({ id }) => id));
    for (const [id, branch] of this.open.value)
      if (branch.jobs.some((child) => ids.has(child.id)))
        this.open.value = new Map(this.open.value).set(id, {
          ...branch,
          jobs: branch.jobs.map((child) => this.#known.get(child.id) ?? child),
        });
  }

  /** Children below opened rows, wherever they are in the list. */
  get #shown(): ReadonlySet<string> {
    return new Set([...this.open.value.values()].flatMap((branch) => branch.jobs.map(({ id }) => id)));
  }

  /** Whether a job lies in the part of the list that is loaded. */
  #isInRange(job: Job): boolean {
    const last = this.#jobs.value.at(-1);
    return this.isComplete.value || last === undefined || job.created >= last.created || this.isLoading.value;
  }

  #remove(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      this.#known.delete(id);
      this.#changed.delete(id);
      this.#missing.delete(id);
    }
    batch(() => {
      this.#jobs.value = this.#jobs.value.filter(({ id }) => !ids.has(id));
      for (const [parent, branch] of this.open.value)
        if (branch.jobs.some(({ id }) => ids.has(id)))
          this.open.value = new Map(this.open.value).set(parent, {
            ...branch,
            jobs: branch.jobs.filter(({ id }) => !ids.has(id)),
          });
    });
  }

  #flattened(): readonly Row[] {
    const open = this.open.value;
    const jobs = this.#jobs.value;
    if (open.size === 0) return jobs.map((job) => ({ job, level: 0 }));
    // A child is shown below its parent once that is opened, and not a second time where it was created.
    const shownBelow = new Set([...open.values()].flatMap((branch) => branch.jobs.map(({ id }) => id)));
    const rows: Row[] = [];
    const add = (job: Job, level: number): void => {
      rows.push({ job, level });
      for (const child of open.get(job.id)?.jobs ?? []) add(child, level + 1);
    };
    for (const job of jobs) if (!shownBelow.has(job.id)) add(job, 0);
    return rows;
  }
}

/** As the server lists them. ISO times are in order as texts, which is quick for many. */
function newestFirst(a: Job, b: Job): number {
  if (a.created !== b.created) return a.created < b.created ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
