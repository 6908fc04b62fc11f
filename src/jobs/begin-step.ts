// Begins a step of a job's program.
import { dropStep } from '../workspace/drop-step.ts';
import { WorkspaceBusyError } from '../workspace/errors.ts';
import type { Tenancy } from '../workspace/leases.ts';
import type { JobAction } from './rows.ts';
import type { JobSystem } from './system.ts';

export async function beginStep(
  system: JobSystem,
  tenancy: Tenancy,
  { source, allOrNothing }: Extract<JobAction, { kind: 'run' }>,
): Promise<void> {
  const id = tenancy.workspace;
  const { context, live } = system.workspaces;
  const workspace = live(id);
  try {
    await workspace.run(source, { ifBusy: 'refuse', allOrNothing }, tenancy);
  } catch (error) {
    if (!(error instanceof WorkspaceBusyError) || !(await isStillToBegin(system, id))) throw error;
    // The job was over while an earlier step still waited, and has been opened again: nobody goes on with that one.
    await workspace.inspect((loaded, lease) => dropStep(context, loaded, lease), tenancy);
    await workspace.run(source, { ifBusy: 'refuse', allOrNothing }, tenancy);
  }
}

/** A step and the job that runs it are written together: if the answer to that was lost, the step that waits is this one. */
async function isStillToBegin(system: JobSystem, id: string): Promise<boolean> {
  const action = (await system.read(id))?.row.action;
  return action?.kind === 'run' && action.step === undefined;
}
