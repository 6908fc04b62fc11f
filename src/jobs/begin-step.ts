// Begins a step of a job's program.
import { dropStep } from '../workspace/drop-step.ts';
import { WorkspaceBusyError } from '../workspace/errors.ts';
import type { Tenancy } from '../workspace/leases.ts';
import type { JobAction, JobRow } from './rows.ts';
import type { JobSystem } from './system.ts';
import { workspaceOf } from './turns.ts';

export async function beginStep(
  system: JobSystem,
  row: JobRow,
  { source, allOrNothing }: Extract<JobAction, { kind: 'run' }>,
  tenancy: Tenancy | undefined,
): Promise<void> {
  const { context, live } = system.workspaces;
  const { id, role } = row;
  const workspace = live(workspaceOf(row));
  const owner = row.workspace === undefined ? undefined : { id, role };
  try {
    await workspace.run(source, { ifBusy: 'refuse', allOrNothing }, { owner, tenancy });
  } catch (error) {
    if (!(error instanceof WorkspaceBusyError) || !(await isStillToBegin(system, id))) throw error;
    // The job was over while an earlier step still waited, and has been opened again: nobody goes on with that one.
    await workspace.inspect((loaded, lease) => dropStep(context, loaded, lease), tenancy);
    await workspace.run(source, { ifBusy: 'refuse', allOrNothing }, { owner, tenancy });
  }
}

/** A step and the job that runs it are written together: if the answer to that was lost, the step that waits is this one. */
async function isStillToBegin(system: JobSystem, id: string): Promise<boolean> {
  const action = (await system.read(id))?.row.action;
  return action?.kind === 'run' && action.step === undefined;
}
