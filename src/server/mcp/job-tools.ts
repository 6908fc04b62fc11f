// MCP tools for jobs.
import { z } from 'zod';
import { lastItems } from '../../base/list-page.ts';
import type { Job } from '../../agents/door.ts';
import { jobOutcomes, jobStatuses } from '../../jobs/door.ts';
import { kitTool, limitOf, waitFor, waitSeconds, type KitCall, type KitTool } from './kit-tool.ts';
import { callShape, commitShape, differenceShape } from '../json/shapes.ts';
import { jobShape, jobWithWaits } from './job-shapes.ts';
import { jsonOf } from '../json/values.ts';

const job = z.string().min(1).max(200).describe('the id of a job');
const commit = z.string().min(1).max(200).describe('the hash of a commit');
const data = z.record(z.string(), z.json());

const found = (id: string, { kit }: KitCall): Promise<Job> => kit.job(id);

export const jobTools: readonly KitTool[] = [
  kitTool('list_agents', 'read', 'Lists the agents that jobs can be submitted to.', {}, async (_input, { kit }) => ({
    agents: kit.agents.list().map(({ role, description, language }) => ({ agent: role, description, language })),
  })),
  kitTool(
    'submit_job',
    'write',
    'Submits a job to an agent. It runs in the background; follow it with show_job and job_result.',
    {
      agent: z.string().describe('the role of the agent'),
      message: z.string().optional().describe('the task'),
      vars: data.optional().describe('initial variables of its program, as data'),
      workspace: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          'the workspace it runs in (default: its own); jobs in one workspace run one after another and share its variables',
        ),
      id: z.string().min(1).max(200).optional().describe('submitting the same id twice creates one job'),
      labels: z.array(z.string()).max(20).optional(),
      priority: z.int().min(-100).max(100).optional(),
    },
    async ({ agent, ...options }, { kit }) => jobShape(await kit.submit(agent, options)),
  ),
  kitTool(
    'list_jobs',
    'read',
    'Lists jobs, newest first.',
    {
      status: z.enum(jobStatuses).optional(),
      outcome: z.enum(jobOutcomes).optional(),
      agent: z.string().optional(),
      parent: z.string().optional(),
      label: z.string().optional(),
      workspace: z.string().optional(),
      limit: limitOf(200, 50),
      cursor: z.string().optional(),
    },
    async ({ agent: role, ...filter }, { kit }) => {
      const { jobs, cursor } = await kit.jobPage({ ...filter, ...(role === undefined ? {} : { role }) });
      return { jobs: jobs.map(jobShape), cursor };
    },
  ),
  kitTool('show_job', 'read', 'Shows a job and what it waits for.', { job }, async (input, call) => {
    const one = await found(input.job, call);
    return jobWithWaits(one);
  }),
  kitTool(
    'job_result',
    'read',
    'Returns the result of a job when it is DONE.',
    { job, waitSeconds },
    async (input, call) => {
      const one = await found(input.job, call);
      await waitFor(call, input.waitSeconds, async () => (await one.refresh()).status === 'DONE');
      if (one.status !== 'DONE') return jobWithWaits(one);
      return one.outcome === 'completed' ? { ...jobShape(one), result: jsonOf(await one.result()) } : jobShape(one);
    },
  ),
  kitTool('say', 'write', 'Sends a message to a job.', { job, message: z.string() }, async (input, call) => {
    const one = await found(input.job, call);
    await one.say(input.message);
    return jobShape(one);
  }),
  kitTool(
    'cancel_job',
    'write',
    'Cancels a job.',
    { job, reason: z.string().optional() },
    async ({ job: id, reason }, call) => {
      const one = await found(id, call);
      await one.cancel(reason);
      return jobShape(one);
    },
  ),
  kitTool('pause_job', 'write', 'Pauses a job: workers skip it until it is resumed.', { job }, async (input, call) => {
    const one = await found(input.job, call);
    await one.pause();
    return jobShape(one);
  }),
  kitTool(
    'resume_job',
    'write',
    'Resumes a paused job, or one that was cancelled or reached a limit.',
    { job },
    async (input, call) => {
      const one = await found(input.job, call);
      await one.resume();
      return jobShape(one);
    },
  ),
  kitTool(
    'job_chat',
    'read',
    'Returns the last items of the conversation of a job.',
    { job, limit: limitOf(500, 50) },
    async ({ job: id, limit }, call) => {
      const of = await found(id, call);
      return { items: (await lastItems(limit, (page) => of.chatPage(page))).map((item) => jsonOf(item)) };
    },
  ),
  kitTool(
    'job_calls',
    'read',
    'Returns the last tool calls of a job.',
    { job, limit: limitOf(500, 50) },
    async ({ job: id, limit }, call) => {
      const of = await found(id, call);
      return { calls: (await lastItems(limit, (page) => of.callPage(page))).map(callShape) };
    },
  ),
  kitTool(
    'job_console',
    'read',
    'Returns the last lines of the console of a job.',
    { job, limit: limitOf(2000, 200) },
    async ({ job: id, limit }, call) => {
      const of = await found(id, call);
      return { lines: await lastItems(limit, (page) => of.consolePage(page)) };
    },
  ),
  kitTool('job_locals', 'read', 'Returns the variables of a job.', { job }, async (input, call) => ({
    locals: jsonOf(await (await found(input.job, call)).locals()),
  })),
  kitTool(
    'job_commits',
    'read',
    'Lists the commits of a job, newest first.',
    { job, limit: limitOf(500, 50) },
    async ({ job: id, limit }, call) => ({
      commits: (await (await found(id, call)).commits({ limit })).map(commitShape),
    }),
  ),
  kitTool(
    'job_diff',
    'read',
    'Returns the variables that changed between two commits of a job.',
    { job, from: commit, to: commit },
    async ({ job: id, from, to }, call) => ({ changes: differenceShape(await (await found(id, call)).diff(from, to)) }),
  ),
  kitTool(
    'fork_job',
    'write',
    'Creates a job of the same agent that starts at a commit of a job (default: the latest), with its variables and its conversation. Send it a message to continue.',
    { job, commit: commit.optional(), name: z.string().min(1).max(200).optional() },
    async ({ job: id, commit: hash, name }, call) => ({
      job: (await (await found(id, call)).fork(hash, name)).id,
    }),
  ),
  kitTool(
    'rollback_job',
    'write',
    'Restores a job to a commit: variables, console and conversation. External effects are neither undone nor repeated.',
    { job, commit },
    async ({ job: id, commit: hash }, call) => {
      const one = await found(id, call);
      await one.rollback(hash);
      return jobShape(one);
    },
  ),
];
