// The jobs this process works on now.

/** A job this process works on. */
export interface ActiveJob {
  readonly id: string;
  /** Resolves when this process is done with it. */
  readonly ended: Promise<void>;
  /** Something of the job has changed: look again. */
  poke(): void;
}

export class ActiveJobs {
  readonly #jobs = new Map<string, ActiveJob>();
  /** Those of them that use a workspace now, by its name. */
  readonly #byWorkspace = new Map<string, ActiveJob>();

  get(id: string): ActiveJob | undefined {
    return this.#jobs.get(id);
  }

  has(id: string): boolean {
    return this.#jobs.has(id);
  }

  add(job: ActiveJob): void {
    this.#jobs.set(job.id, job);
  }

  remove(job: ActiveJob, workspace: string): void {
    this.#jobs.delete(job.id);
    this.leave(job, workspace);
  }

  /** The job uses the workspace from now on. */
  enter(job: ActiveJob, workspace: string): void {
    this.#byWorkspace.set(workspace, job);
  }

  leave(job: ActiveJob, workspace: string): void {
    if (this.#byWorkspace.get(workspace) === job) this.#byWorkspace.delete(workspace);
  }

  /** The job that uses a workspace in this process. */
  inWorkspace(workspace: string): ActiveJob | undefined {
    return this.#byWorkspace.get(workspace);
  }
}
