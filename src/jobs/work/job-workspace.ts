// The workspace of a job: made when its first code is to run, or given to it. In one that was there before, the job finds
// the variables as others left them, and its own besides.
import { emptyPart } from '../../store/door.ts';
import {
  dropStep,
  limitsWith,
  loadText,
  stepRows,
  variablesOf,
  WorkspaceBusyError,
  workspaceRows,
  type Acting,
  type WorkspaceSetUp,
} from '../../workspace/door.ts';
import type { PlannedChange } from '../changes/ending.ts';
import type { JobAction, JobRow } from '../rows.ts';
import { scheduleOf } from '../scheduled.ts';
import type { JobSystem } from '../system.ts';
import { takeWorkspace, workspaceOf } from '../changes/workspace-holders.ts';

/** A step that a driver wants to run. */
export type StepToBegin = Extract<JobAction, { kind: 'run'; step?: undefined }>;

/** Begins a step of a job's program. The first one makes the workspace and gives it the job's variables, in the same commit. */
export async function beginStep(
  system: JobSystem,
  row: JobRow,
  { source, allOrNothing }: StepToBegin,
  acting: Acting,
): Promise<void> {
  const { workspaces } = system;
  const workspace = workspaces.live(workspaceOf(row));
  const setUp = row.hasWorkspace === true && row.anew !== true ? undefined : await setUpOf(system, row);
  // A given workspace must be there before its lease can be acquired.
  if (setUp !== undefined && row.workspace !== undefined && row.anew !== true)
    await workspaces.ensure(row.workspace, setUp.traits);
  const run = async (): Promise<void> => {
    await workspace.run(source, { ifBusy: 'refuse', allOrNothing }, acting, setUp);
  };
  try {
    await run();
  } catch (error) {
    if (!(error instanceof WorkspaceBusyError) || !(await isStillToBegin(system, row.id))) throw error;
    // The job was over while an earlier step still waited, and has been opened again: nobody goes on with that one.
    await workspace.change((loaded, lease) => dropStep(workspaces.context, loaded, lease), acting.tenancy);
    await run();
  }
}

/** A step and the job that runs it are written together: if the answer to that was lost, the step that waits is this one. */
async function isStillToBegin(system: JobSystem, id: string): Promise<boolean> {
  const action = (await system.read(id))?.row.action;
  return action?.kind === 'run' && action.step === undefined;
}

async function setUpOf(system: JobSystem, row: JobRow): Promise<WorkspaceSetUp> {
  const { role, state } = row;
  const driver = system.driver(role);
  const isGiven = row.workspace !== undefined;
  const own = typeof driver.limits === 'function' ? driver.limits(state) : driver.limits;
  const limits = limitsWith({ ...system.workspaces.limits, ...own });
  const ofRole = typeof driver.vars === 'function' ? driver.vars(state) : driver.vars;
  return {
    traits: {
      language: (typeof driver.language === 'function' ? driver.language(state) : driver.language) ?? 'typescript',
      limits,
      // Whose code runs in a given workspace is said with each step.
      role: isGiven ? undefined : role,
    },
    given: variablesOf({ ...ofRole, ...(await givenVariables(system, row)) }, workspaceOf(row)),
    limits: (before) => (isGiven ? limits : before),
    again: isGiven || row.anew === true,
  };
}

/** The variables a job was given when it was submitted. One that a schedule submitted has `schedule` too, unless it was given another. */
export async function givenVariables(
  { shared, store }: JobSystem,
  row: Pick<JobRow, 'id' | 'vars' | 'schedule' | 'due'>,
): Promise<Readonly<Record<string, unknown>>> {
  const given = shared.decode(await loadText(store, row.id, row.vars)) as Map<string, unknown>;
  const schedule = scheduleOf(row);
  return { ...(schedule === undefined ? {} : { schedule }), ...Object.fromEntries(given) };
}

/** Whether somebody who is not a job has a step under way in the workspace the job was given. It is waited for. */
export async function isUsedByOthers({ store }: JobSystem, row: JobRow): Promise<boolean> {
  if (row.workspace === undefined) return false;
  const [workspace] = await store.read(workspaceRows, [[row.workspace]]);
  const current = workspace?.value.state.current ?? null;
  if (current === null) return false;
  const [step] = await store.read(stepRows, [[row.workspace, current]]);
  return step !== undefined && step.value.owner === undefined;
}

/** A job that has something to do in a workspace that it does not hold: it takes the workspace, or waits for it. */
export async function waitForWorkspace(system: JobSystem, row: JobRow): Promise<PlannedChange> {
  // Whoever passes the workspace on puts the job back into its queue.
  if (typeof row.turn === 'number') return { change: { at: null }, events: [], also: emptyPart };
  const workspace = workspaceOf(row);
  const { turn, also } = await takeWorkspace(system, row.id, workspace);
  if (turn !== 'held') return { change: { turn, at: null }, events: [], also };
  const { action } = row;
  if (action?.kind !== 'run' || action.step === undefined) return { change: { turn }, events: [], also };
  // The step that it would go on with may have been dropped by others who held the workspace meanwhile.
  const [entry] = await system.store.read(workspaceRows, [[workspace]]);
  const isThere = entry?.value.state.current === action.step;
  return {
    change: { turn, ...(isThere ? {} : { action: { kind: 'wait', until: system.clock.now() } }) },
    events: [],
    also,
  };
}
