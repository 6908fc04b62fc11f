// Jobs as an extension of workspaces.
import type { RecordCollection } from '../store/collection.ts';
import { scanAll } from '../store/scan-all.ts';
import { WorkspaceTakenError } from '../workspace/errors.ts';
import {
  readyMarks,
  type Also,
  type CommittingSlice,
  type Extension,
  type JoinedToSlice,
} from '../workspace/extension.ts';
import { largeTextRows } from '../workspace/large-texts.ts';
import { futureRows, runRows, type Owner } from '../workspace/rows.ts';
import { alteration, awakening, placeFrom, workKey } from './change.ts';
import { jobGoingBack } from './going-back.ts';
import { joinSlice } from './joining.ts';
import { requestOf } from './requests.ts';
import { jobCallRows, jobInboxRows, jobRows, jobWorkRows, turnQueueRows, turnRows } from './rows.ts';
import { SharedValues } from './shared-values.ts';
import type { ActiveJob, JobSystem } from './system.ts';
import { holdersOf, usersOf } from './turns.ts';

export function jobExtension(system: JobSystem): Extension {
  return {
    isAttended: (workspace) => system.occupied.has(workspace),
    hasLeft: async (workspace, owner) => (await holdersOf(system, [workspace]))[0] !== owner,
    request: (workspace, owner, kind, parameters) => {
      const runner = system.occupied.get(workspace);
      // In a workspace that jobs are given, what has no owner is a person's, who has no job to ask with.
      if (runner === undefined || (runner.isGuest && owner?.id !== runner.id)) return undefined;
      return requestOf(system, kind, parameters);
    },
    join: async (slice) => {
      const { workspace, owner, token } = slice;
      const runner = system.occupied.get(workspace);
      if (owner !== undefined) return joinGuest(system, slice, owner, runner);
      // In a workspace that jobs are given, what has no owner is a person's.
      if (runner === undefined || runner.isGuest) return undefined;
      // A lease that was lost and claimed again is not the one under which it was decided what to run.
      if (token !== runner.token) throw taken(workspace, runner.id);
      return joinSlice(system, slice, runner);
    },
    joinedCollections: new Set([jobRows, futureRows, turnRows, turnQueueRows].map(({ name }) => name)),

    goBack: (going) => jobGoingBack(system, going),

    objectsHeld: async function* () {
      for (const collection of [jobRows, jobInboxRows, jobCallRows, largeTextRows])
        for await (const { value } of scanAll(system.store, collection as RecordCollection<unknown>, {}))
          yield* SharedValues.objectsIn(value);
    },

    wake: async (workspaces, now) => {
      const ids = [...new Set(workspaces)];
      if (ids.length === 0) return new Map();
      const users = await usersOf(system, ids);
      const wakes = new Map<string, Also>();
      const others: string[] = [];
      for (const [index, id] of ids.entries()) {
        const job = users[index];
        if (job === undefined) others.push(id);
        else wakes.set(id, awakening(job, now));
      }
      for (const [id, also] of await readyMarks(system.store, others, now)) wakes.set(id, also);
      return wakes;
    },

    // Whoever works on a job holds the lease of its place in the queue. A job that is not in it is put there first. A
    // workspace that jobs are given has a lease of its own, because they come and go.
    leasePlace: async (workspace) => {
      for (;;) {
        const known = await system.read(workspace);
        if (known === undefined || known.row.workspace !== undefined) return { collection: runRows, key: [workspace] };
        const { row } = known;
        if (row.at !== null) return { collection: jobWorkRows, key: workKey({ ...row, at: row.at }) };
        const now = system.clock.now();
        const { checks, writes } = alteration(known, { at: placeFrom(row, now) }, [], now);
        await system.store.commit([{ checks, writes }]);
      }
    },
  };
}

/**
 * A slice of a job in a workspace that it was given. Its process may have been slow: then it is somebody else's turn, and
 * nothing of it stands. What an earlier job left running has nobody to join it.
 */
async function joinGuest(
  system: JobSystem,
  slice: CommittingSlice,
  owner: Owner,
  runner: ActiveJob | undefined,
): Promise<JoinedToSlice | undefined> {
  const joined =
    runner?.isGuest === true && runner.hasLease && runner.id === owner.id
      ? await joinSlice(system, slice, runner)
      : undefined;
  if (joined !== undefined || (slice.step === undefined && slice.kind !== 'variables')) return joined;
  throw taken(slice.workspace, owner.id);
}

function taken(workspace: string, job: string): WorkspaceTakenError {
  return new WorkspaceTakenError(`Another process has worked on the job '${job}' meanwhile.`, { workspace, job });
}
