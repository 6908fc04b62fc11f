// MCP tools for workspaces that do not belong to jobs.
import { z } from 'zod';
import {
  languageNames,
  NotFoundError,
  workspaceRows,
  WorkspaceStateError,
  type Workspace,
} from '../../workspace/door.ts';
import { jobRows } from '../../jobs/door.ts';
import type { Statek } from '../../kit/statek.ts';
import { kitTool, limitOf, waitFor, waitSeconds, type KitCall, type KitTool } from './kit-tool.ts';
import { commitShape, differenceShape, futureShape, stepShape } from '../json/shapes.ts';
import { jsonOf } from '../json/values.ts';

const workspace = z.string().min(1).max(200).describe('the name of a workspace');
const commit = z.string().min(1).max(200).describe('the hash of a commit');

/** An existing workspace; never creates one. */
export async function existing(kit: Statek, name: string): Promise<Workspace> {
  const [row] = await kit.store.read(workspaceRows, [[name]]);
  if (row === undefined) throw new NotFoundError(`There is no workspace '${name}'.`, { workspace: name });
  return kit.workspace(name);
}

/** A workspace that clients may change: not that of a job. */
async function changeable({ kit }: KitCall, name: string): Promise<Workspace> {
  await rejectJobs(kit, name);
  return existing(kit, name);
}

async function rejectJobs(kit: Statek, name: string): Promise<void> {
  const [row] = await kit.store.read(jobRows, [[name]]);
  if (row !== undefined)
    throw new WorkspaceStateError(`'${name}' is the workspace of a job. Send the job a message, or fork it.`, { name });
}

export const workspaceTools: readonly KitTool[] = [
  kitTool(
    'list_workspaces',
    'read',
    'Lists the names of workspaces, including those of jobs.',
    { limit: limitOf(1000, 100) },
    async ({ limit }, { kit }) => {
      const workspaces: string[] = [];
      for await (const name of kit.workspaces()) if (workspaces.push(name) >= limit) break;
      return { workspaces };
    },
  ),
  kitTool(
    'create_workspace',
    'write',
    'Creates a durable workspace, which keeps its variables from step to step. An existing one stays unchanged.',
    {
      workspace,
      language: z.enum(languageNames).optional(),
      vars: z.record(z.string(), z.json()).optional().describe('initial variables, as data'),
    },
    async ({ workspace: name, ...options }, { kit }) => {
      await rejectJobs(kit, name);
      return { workspace: (await kit.workspace(name, options)).id };
    },
  ),
  kitTool(
    'run_step',
    'write',
    'Runs code in a workspace. Top-level declarations are kept, top-level await works, and the value of the last expression is the result.',
    { workspace, code: z.string().max(1_000_000), waitSeconds },
    async ({ workspace: name, code, waitSeconds: seconds }, call) => {
      const found = await changeable(call, name);
      const begun = await found.run(code);
      let step = begun;
      await waitFor(call, seconds, async () => {
        if (step.status === 'suspended' || step.status === 'queued') step = await found.step(begun.number);
        return step.status !== 'suspended' && step.status !== 'queued';
      });
      return stepShape(step);
    },
  ),
  kitTool(
    'show_step',
    'read',
    'Returns a step of a workspace by its number.',
    { workspace, number: z.int().min(1), waitSeconds },
    async ({ workspace: name, number, waitSeconds: seconds }, call) => {
      const found = await existing(call.kit, name);
      let step = await found.step(number);
      await waitFor(call, seconds, async () => {
        step = await found.step(number);
        return step.status !== 'suspended' && step.status !== 'queued';
      });
      return stepShape(step);
    },
  ),
  kitTool(
    'show_workspace',
    'read',
    'Returns what a workspace waits for, and its variables.',
    { workspace },
    async (input, call) => workspaceShape(await existing(call.kit, input.workspace)),
  ),
  kitTool(
    'workspace_console',
    'read',
    'Returns the last lines of the console of a workspace.',
    { workspace, limit: limitOf(2000, 200) },
    async ({ workspace: name, limit }, call) => ({
      lines: (await (await existing(call.kit, name)).console()).slice(-limit),
    }),
  ),
  kitTool(
    'workspace_commits',
    'read',
    'Lists the commits of a workspace, newest first.',
    { workspace, limit: limitOf(500, 50) },
    async ({ workspace: name, limit }, call) => ({
      commits: (await (await existing(call.kit, name)).commits({ limit })).map(commitShape),
    }),
  ),
  kitTool(
    'workspace_diff',
    'read',
    'Returns the variables that changed between two commits of a workspace.',
    { workspace, from: commit, to: commit },
    async ({ workspace: name, from, to }, call) => ({
      changes: differenceShape(await (await existing(call.kit, name)).diff(from, to)),
    }),
  ),
  kitTool(
    'fork_workspace',
    'write',
    'Creates a workspace that starts at a commit of another (default: the latest).',
    { workspace, commit: commit.optional(), name: z.string().min(1).max(200).optional() },
    async ({ workspace: from, commit: hash, name }, call) => ({
      workspace: (await (await existing(call.kit, from)).fork(hash, name)).id,
    }),
  ),
  kitTool(
    'rollback_workspace',
    'write',
    'Restores a workspace to a commit. External effects are neither undone nor repeated.',
    { workspace, commit },
    async ({ workspace: name, commit: hash }, call) => {
      await (await changeable(call, name)).rollback(hash);
      return { workspace: name };
    },
  ),
];

export async function workspaceShape(found: Workspace): Promise<Readonly<Record<string, unknown>>> {
  return {
    workspace: found.id,
    locals: jsonOf(await found.locals()),
    waiting: (await found.waiting()).map(futureShape),
  };
}
