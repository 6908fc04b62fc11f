// Jobs as the owners of workspaces. Everything here follows from the rows of jobs, so that every process decides alike.
import type { Clock } from '../base/clock.ts';
import type { History } from '../history/door.ts';
import { commitParts, scanAll, type RecordCollection, type Store, type TransactionPart } from '../store/door.ts';
import {
  largeTextRows,
  readyMarks,
  runRows,
  type GoingBack,
  type KeptHistory,
  type LeasePlace,
  type Owner,
  type WorkspaceOwners,
} from '../workspace/door.ts';
import type { ActiveJobs } from './work/active-jobs.ts';
import { placeFrom, readJob, updateJob, wakeJob } from './changes/job-changes.ts';
import { jobGoingBack } from './past/going-back.ts';
import type { Restore } from './past/restored-state.ts';
import { trimJob } from './past/trim.ts';
import { workKey } from './queue-place.ts';
import { jobCallRows, jobInboxRows, jobRows, jobWorkRows } from './rows.ts';
import { SharedValues } from './shared-values.ts';
import { holdersOf, usersOf } from './changes/workspace-holders.ts';

export interface JobOwnersParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly history: History;
  readonly active: ActiveJobs;
  readonly restore: Restore;
}

export class JobOwners implements WorkspaceOwners {
  readonly #parts: JobOwnersParts;

  constructor(parts: JobOwnersParts) {
    this.#parts = parts;
  }

  /**
   * Whoever works on a job holds the lease of its place in the queue; a job that is not in it is put there first. A
   * workspace that jobs are given has a lease of its own, because they come and go.
   */
  async leasePlace(workspace: string): Promise<LeasePlace> {
    const { store, clock } = this.#parts;
    for (;;) {
      const known = await readJob(store, workspace);
      if (known === undefined || known.row.workspace !== undefined) return { collection: runRows, key: [workspace] };
      const { row } = known;
      if (row.at !== null) return { collection: jobWorkRows, key: workKey({ ...row, at: row.at }) };
      const now = clock.now();
      await commitParts(store, [updateJob(known, { at: placeFrom(row, now) }, [], now)]);
    }
  }

  async wake(workspaces: readonly string[], now: number): Promise<ReadonlyMap<string, TransactionPart>> {
    const ids = [...new Set(workspaces)];
    if (ids.length === 0) return new Map();
    const users = await usersOf(this.#parts.store, ids);
    const wakes = new Map<string, TransactionPart>();
    const others: string[] = [];
    for (const [index, id] of ids.entries()) {
      const job = users[index];
      if (job === undefined) others.push(id);
      else wakes.set(id, wakeJob(job, now));
    }
    for (const [id, part] of await readyMarks(this.#parts.store, others, now)) wakes.set(id, part);
    return wakes;
  }

  async wakeOwner(workspace: string, now: number): Promise<TransactionPart | undefined> {
    this.#parts.active.inWorkspace(workspace)?.poke();
    const [job] = await usersOf(this.#parts.store, [workspace]);
    return job && wakeJob(job, now);
  }

  async whyOver(workspace: string, owner: Owner | undefined): Promise<string | undefined> {
    const id = owner?.id ?? workspace;
    const known = await readJob(this.#parts.store, id);
    if (known === undefined) return owner === undefined ? undefined : `The job '${id}' is over, and was deleted.`;
    const { status, outcome = 'failed', workspace: given } = known.row;
    // What has no owner in a workspace that jobs are given is a person's.
    if (status !== 'DONE' || (owner === undefined && given !== undefined)) return undefined;
    const next = outcome === 'completed' ? 'A message starts it again.' : 'Start it again with job.resume().';
    return `The job '${id}' is over (${outcome}). ${next}`;
  }

  async hasLeft(workspace: string, owner: string): Promise<boolean> {
    return (await holdersOf(this.#parts.store, [workspace]))[0] !== owner;
  }

  goBack(going: GoingBack): Promise<TransactionPart> {
    return jobGoingBack(this.#parts, going);
  }

  trim(workspace: string, kept: KeptHistory): Promise<number> {
    return trimJob(this.#parts.store, workspace, kept);
  }

  async *rowsOf(workspace: string): AsyncGenerator<unknown, void, undefined> {
    const { store } = this.#parts;
    for (const collection of [jobRows, jobInboxRows, jobCallRows])
      for await (const { value } of scanAll(store, collection as RecordCollection<unknown>, { prefix: [workspace] }))
        yield value;
  }

  async *objectsHeld(): AsyncGenerator<string, void, undefined> {
    for (const collection of [jobRows, jobInboxRows, jobCallRows, largeTextRows])
      for await (const { value } of scanAll(this.#parts.store, collection as RecordCollection<unknown>, {}))
        yield* SharedValues.objectsIn(value);
  }
}
