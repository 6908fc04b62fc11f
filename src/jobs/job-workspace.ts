// The workspace of a job: made when its first code is to run, or given to it. In one that was there before, the job finds
// the variables as others left them, and its own besides.
import { createWorkspace } from '../workspace/create.ts';
import { wholeText } from '../workspace/large-texts.ts';
import type { Tenancy } from '../workspace/leases.ts';
import { limitsWith } from '../workspace/limits.ts';
import { stepRows, workspaceRows } from '../workspace/rows.ts';
import { variablesOf } from '../workspace/variables.ts';
import type { PlannedChange } from './ending.ts';
import type { JobRow } from './rows.ts';
import type { JobSystem } from './system.ts';
import { takeTurn, workspaceOf } from './turns.ts';

export async function makeWorkspace(system: JobSystem, row: JobRow, tenancy: Tenancy | undefined): Promise<void> {
  const { role, state } = row;
  const { context, limits: defaults, live } = system.workspaces;
  const driver = system.driver(role);
  const name = workspaceOf(row);
  const isGiven = row.workspace !== undefined;
  const own = typeof driver.limits === 'function' ? driver.limits(state) : driver.limits;
  const limits = limitsWith({ ...defaults, ...own });
  const { isFresh } = await createWorkspace(context, name, {
    language: (typeof driver.language === 'function' ? driver.language(state) : driver.language) ?? 'typescript',
    limits,
    timeZone: undefined,
    // Whose code runs in a given workspace is said with each step.
    role: isGiven ? undefined : role,
    seed: undefined,
  });
  if (!isFresh && !isGiven) return;
  const given = variablesOf({ ...driver.vars, ...(await givenVariables(system, row)) }, name);
  await live(name).bind(given, (before) => (isGiven ? limits : before), {
    again: isGiven,
    owner: isGiven ? { id: row.id, role } : undefined,
    tenancy,
  });
}

/** The variables a job was given when it was submitted. */
export async function givenVariables(
  { shared, store }: JobSystem,
  { id, vars }: Pick<JobRow, 'id' | 'vars'>,
): Promise<Readonly<Record<string, unknown>>> {
  return Object.fromEntries(shared.decode(await wholeText(store, id, vars)) as Map<string, unknown>);
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

/** A job that has something to do in a workspace whose turn it has not: it takes the turn, or waits for it. */
export async function waitForTurn(system: JobSystem, row: JobRow): Promise<PlannedChange> {
  // Whoever passes the turn on puts the job back into its queue.
  if (typeof row.turn === 'number') return { change: { at: null }, events: [], also: { checks: [], writes: [] } };
  const workspace = workspaceOf(row);
  const { turn, also } = await takeTurn(system, row.id, workspace);
  if (turn !== 'held') return { change: { turn, at: null }, events: [], also };
  const { action } = row;
  if (action?.kind !== 'run' || action.step === undefined) return { change: { turn }, events: [], also };
  // The step that it would go on with may have been dropped by others who had the turn meanwhile.
  const [entry] = await system.store.read(workspaceRows, [[workspace]]);
  const isThere = entry?.value.state.current === action.step;
  return {
    change: { turn, ...(isThere ? {} : { action: { kind: 'wait', until: system.clock.now() } }) },
    events: [],
    also,
  };
}
