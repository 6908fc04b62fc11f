// Deleting a job that is over, with its workspace and everything that was kept of it. May be interrupted and done again:
// the job's own row goes last.
import type { Collection } from '../store/collection.ts';
import { mustCommit } from '../store/must-commit.ts';
import { consoleRows, futureRows, readyRows, runRows, stepRows, workspaceRows } from '../workspace/rows.ts';
import { largeTextRows } from '../workspace/large-texts.ts';
import { removal, type KnownJob } from './change.ts';
import { JobStateError } from './errors.ts';
import { jobCallRows, jobEventRows, jobInboxRows } from './rows.ts';
import type { JobSystem } from './system.ts';

const atOnce = 500;

export async function deleteJob(system: JobSystem, known: KnownJob): Promise<void> {
  const { row } = known;
  if (row.status !== 'DONE')
    throw new JobStateError(
      `The job '${row.id}' is ${row.status}; only a job that is over can be deleted. Cancel it first.`,
      {
        id: row.id,
      },
    );
  const { store, workspaces } = system;
  if (row.hasWorkspace === true) {
    await workspaces.context.history.remove(row.id);
    for (const collection of [stepRows, futureRows, consoleRows]) await removeAll(system, collection, row.id);
    await mustCommit(store, {
      writes: [workspaceRows, runRows, readyRows].map((collection) => ({ kind: 'remove', collection, key: [row.id] })),
    });
  }
  for (const collection of [jobInboxRows, jobCallRows, jobEventRows, largeTextRows, ...system.owned])
    await removeAll(system, collection, row.id);
  const { checks, writes } = removal(known);
  await store.commit([{ checks, writes }]);
}

async function removeAll({ store }: JobSystem, collection: Collection, id: string): Promise<void> {
  for (;;) {
    const { entries } = await store.scan(collection, { prefix: [id] }, { limit: atOnce });
    if (entries.length === 0) return;
    await mustCommit(store, { writes: entries.map(({ key }) => ({ kind: 'remove', collection, key })) });
  }
}
