// Jobs as an extension of workspaces.
import type { RecordCollection } from '../store/collection.ts';
import { scanAll } from '../store/scan-all.ts';
import { WorkspaceTakenError } from '../workspace/errors.ts';
import { readyMarks, type Also, type Extension } from '../workspace/extension.ts';
import { largeTextRows } from '../workspace/large-texts.ts';
import { runRows } from '../workspace/rows.ts';
import { alteration, awakening, placeFrom, workKey } from './change.ts';
import { joinSlice } from './joining.ts';
import { requestOf } from './requests.ts';
import { jobCallRows, jobInboxRows, jobRows, jobWorkRows } from './rows.ts';
import { SharedValues } from './shared-values.ts';
import type { JobSystem } from './system.ts';

export function jobExtension(system: JobSystem): Extension {
  return {
    isAttended: (workspace) => system.active.has(workspace),
    request: (workspace, kind, parameters) =>
      system.active.has(workspace) ? requestOf(system, kind, parameters) : undefined,
    join: async (slice) => {
      const runner = system.active.get(slice.workspace);
      if (runner === undefined) return undefined;
      // A lease that was lost and claimed again is not the one under which it was decided what to run.
      if (slice.token !== runner.token)
        throw new WorkspaceTakenError(`Another process has worked on the job '${slice.workspace}' meanwhile.`, {
          workspace: slice.workspace,
        });
      return joinSlice(system, slice, runner.token);
    },
    joinedCollections: new Set(['jobs', 'futures']),

    objectsHeld: async function* () {
      for (const collection of [jobRows, jobInboxRows, jobCallRows, largeTextRows])
        for await (const { value } of scanAll(system.store, collection as RecordCollection<unknown>, {}))
          yield* SharedValues.objectsIn(value);
    },

    wake: async (workspaces, now) => {
      const ids = [...new Set(workspaces)];
      const jobs =
        ids.length === 0
          ? []
          : await system.store.read(
              jobRows,
              ids.map((id) => [id]),
            );
      const wakes = new Map<string, Also>();
      const others: string[] = [];
      for (const [index, id] of ids.entries()) {
        const job = jobs[index];
        if (job === undefined) others.push(id);
        else wakes.set(id, awakening({ row: job.value, revision: job.revision }, now));
      }
      for (const [id, also] of await readyMarks(system.store, others, now)) wakes.set(id, also);
      return wakes;
    },

    // Whoever works on a job holds the lease of its place in the queue. A job that is not in it is put there first.
    leasePlace: async (workspace) => {
      for (;;) {
        const known = await system.read(workspace);
        if (known === undefined) return { collection: runRows, key: [workspace] };
        const { row } = known;
        if (row.at !== null) return { collection: jobWorkRows, key: workKey({ ...row, at: row.at }) };
        const now = system.clock.now();
        const { checks, writes } = alteration(known, { at: placeFrom(row, now) }, [], now);
        await system.store.commit([{ checks, writes }]);
      }
    },
  };
}
