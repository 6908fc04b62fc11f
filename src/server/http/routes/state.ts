// The state facade: named values, workflows, teams, knowledge, tools and speech, page by page, with what people may decide about
// them. Only callers who are not limited to some jobs see any of it.
import { z } from 'zod';
import { AudioSessionStatus, WorkflowStatus } from '../../../state/door.ts';
import { NotFoundError } from '../../../workspace/door.ts';
import { partOf } from '../../json/part-of.ts';
import { jsonOf } from '../../json/values.ts';
import { idText, queryNumber, route, type Route } from '../route.ts';
import { cursor, time } from '../shapes.ts';

const record = z.record(z.string(), z.unknown());
const pageQuery = { cursor, limit: queryNumber(1, 1000, 100) };
const path = { id: idText };
const keyText = z.string().min(1).max(1000);
const sinceQuery = z.iso.datetime().optional();

function dateOf(since: string | undefined): Date | undefined {
  return since === undefined ? undefined : new Date(since);
}

const missing = (what: string, id: string): NotFoundError => new NotFoundError(`There is no ${what} '${id}'.`, { id });

const workflowJson = z.object({ workflowId: z.string(), name: z.string(), status: z.string() }).loose();

export const stateRoutes = [
  route('GET', '/state/keys', {
    summary: 'The keys of named values: those that begin with a prefix, or match a pattern such as `agent:*`.',
    right: 'read',
    query: { ...pageQuery, prefix: z.string().max(1000).optional(), pattern: z.string().max(1000).optional() },
    answer: z.object({ keys: z.array(z.string()), cursor: z.string().optional() }),
    async handle({ access, query: { prefix = '', pattern, ...page } }) {
      const { keys, cursor: next } = await access.kit('read').state.listKeys(pattern ?? { prefix }, page);
      return { keys: [...keys], cursor: next };
    },
  }),
  route('GET', '/state/keys/{key}', {
    summary: 'A named value with its version; with `path`, the members of a part of it from `offset` on.',
    right: 'read',
    path: { key: keyText },
    query: {
      path: z.string().max(4000).optional(),
      offset: queryNumber(0, 10_000_000, 0),
      limit: queryNumber(1, 1000, 1000),
    },
    answer: z.object({
      key: z.string(),
      version: z.int(),
      created: time,
      updated: time,
      value: z.unknown(),
      total: z.int().optional(),
    }),
    async handle({ access, path: { key }, query }) {
      const entry = await access.kit('read').state.getEntry(key);
      if (entry === undefined) throw missing('value', key);
      const { value, version, created, updated } = entry;
      return { key, version, created: created.toISOString(), updated: updated.toISOString(), ...partOf(value, query) };
    },
  }),
  route('DELETE', '/state/keys/{key}', {
    summary: 'Deletes a named value; with `ifVersion`, only if it has not changed since.',
    right: 'admin',
    path: { key: keyText },
    query: { ifVersion: z.coerce.number().int().min(0).optional() },
    answer: z.object({ deleted: z.string() }),
    async handle({ access, path: { key }, query: { ifVersion } }) {
      const { state } = access.kit('admin');
      if ((await state.getEntry(key)) === undefined) throw missing('value', key);
      await state.delete(key, { ifVersion });
      return { deleted: key };
    },
  }),
  route('GET', '/state/workflows', {
    summary: 'Workflows, jobs included, newest first.',
    right: 'read',
    query: { ...pageQuery, status: z.enum(Object.values(WorkflowStatus)).optional() },
    answer: z.object({ workflows: z.array(workflowJson), cursor: z.string().optional() }),
    handle: async ({ access, query }) => jsonOf(await access.kit('read').workflows.list(query)) as never,
  }),
  route('GET', '/state/workflows/{id}', {
    summary: 'A workflow with its steps and checkpoints.',
    right: 'read',
    path,
    answer: workflowJson.extend({ checkpoints: z.array(record) }),
    async handle({ access, path: { id } }) {
      const { workflows } = access.kit('read');
      return jsonOf({ ...(await workflows.get(id)), checkpoints: await workflows.listCheckpoints(id) }) as never;
    },
  }),
  route('POST', '/state/workflows/{id}/pause', {
    summary: 'Pauses a workflow.',
    right: 'control',
    path,
    body: z.strictObject({}).optional(),
    answer: workflowJson,
    handle: async ({ access, path: { id } }) => jsonOf(await access.kit('control').workflows.pause(id)) as never,
  }),
  route('POST', '/state/workflows/{id}/resume', {
    summary: 'Resumes a paused workflow.',
    right: 'control',
    path,
    body: z.strictObject({}).optional(),
    answer: workflowJson,
    handle: async ({ access, path: { id } }) => jsonOf(await access.kit('control').workflows.resume(id)) as never,
  }),
  route('POST', '/state/workflows/{id}/cancel', {
    summary: 'Cancels a workflow, with a reason.',
    right: 'control',
    path,
    body: z.strictObject({ reason: z.string().min(1).max(2000).optional() }).optional(),
    answer: workflowJson,
    handle: async ({ access, path: { id }, body }) =>
      jsonOf(await access.kit('control').workflows.cancel(id, body?.reason)) as never,
  }),
  route('POST', '/state/workflows/{id}/checkpoint', {
    summary: 'Keeps a workflow as it is now; of a job, names its latest commit.',
    right: 'control',
    path,
    body: z.strictObject({ checkpoint: idText.optional() }).optional(),
    answer: z.object({ checkpointId: z.string() }).loose(),
    status: 201,
    handle: async ({ access, path: { id }, body }) =>
      jsonOf(await access.kit('control').workflows.checkpoint(id, { checkpointId: body?.checkpoint })) as never,
  }),
  route('POST', '/state/workflows/{id}/resume-from', {
    summary: 'Makes a workflow that goes on from a checkpoint of this one.',
    right: 'control',
    path,
    body: z.strictObject({ checkpoint: idText, id: idText.optional() }),
    answer: workflowJson,
    status: 201,
    handle: async ({ access, path: { id }, body }) =>
      jsonOf(await access.kit('control').workflows.resumeFrom(id, body.checkpoint, { id: body.id })) as never,
  }),
  route('GET', '/state/teams', {
    summary: 'Teams, by name.',
    right: 'read',
    query: pageQuery,
    answer: z.object({ teams: z.array(z.object({ teamId: z.string() }).loose()), cursor: z.string().optional() }),
    handle: async ({ access, query }) => jsonOf(await access.kit('read').teams.listTeams(query)) as never,
  }),
  route('GET', '/state/teams/{id}', {
    summary: 'A team: its members, and its queue with the first tasks of each status.',
    right: 'read',
    path,
    query: { limit: queryNumber(1, 1000, 100) },
    answer: z.object({ teamId: z.string(), agents: record, taskQueue: record }).loose(),
    async handle({ access, path: { id }, query: { limit } }) {
      const { teams } = access.kit('read');
      const team = await teams.getTeam(id);
      if (team === undefined) throw missing('team', id);
      return jsonOf({ ...team, taskQueue: await teams.getQueueStatus(id, { limit }) }) as never;
    },
  }),
  route('GET', '/state/teams/{id}/tasks/{task}', {
    summary: 'A task of a team.',
    right: 'read',
    path: { id: idText, task: idText },
    answer: z.object({ taskId: z.string(), status: z.string() }).loose(),
    async handle({ access, path: { id, task } }) {
      const found = await access.kit('read').teams.getTask(id, task);
      if (found === undefined) throw missing('task', task);
      return jsonOf(found) as never;
    },
  }),
  route('POST', '/state/teams/{id}/tasks/{task}/cancel', {
    summary: 'Cancels a task of a team. Whoever works on it loses it.',
    right: 'control',
    path: { id: idText, task: idText },
    body: z.strictObject({ reason: z.string().min(1).max(2000).optional() }).optional(),
    answer: z.object({ taskId: z.string(), status: z.string() }).loose(),
    handle: async ({ access, path: { id, task }, body }) =>
      jsonOf(await access.kit('control').teams.cancelTask(id, task, body?.reason)) as never,
  }),
  route('GET', '/state/knowledge', {
    summary: 'Knowledge bases, by name.',
    right: 'read',
    query: pageQuery,
    answer: z.object({
      knowledgeBases: z.array(z.object({ knowledgeBaseId: z.string() }).loose()),
      cursor: z.string().optional(),
    }),
    handle: async ({ access, query }) => jsonOf(await access.kit('read').knowledge.listKnowledgeBases(query)) as never,
  }),
  route('GET', '/state/knowledge/{id}', {
    summary: 'A knowledge base: what it adds up to, its sources, and how far indexing has come.',
    right: 'read',
    path,
    answer: z.object({ knowledgeBaseId: z.string(), sources: z.array(record), indexing: record.optional() }).loose(),
    async handle({ access, path: { id } }) {
      const { knowledge } = access.kit('read');
      const base = await knowledge.getKnowledgeBaseState(id);
      if (base === undefined) throw missing('knowledge base', id);
      return jsonOf({ ...base, sources: await knowledge.getSources(id) }) as never;
    },
  }),
  route('GET', '/state/knowledge/{id}/search', {
    summary: 'The documents of a knowledge base that fit a query, best first.',
    right: 'read',
    path,
    query: { query: z.string().min(1).max(2000), limit: queryNumber(1, 100, 10) },
    answer: z.object({ results: z.array(record) }).loose(),
    handle: async ({ access, path: { id }, query: { query, limit } }) =>
      jsonOf(await access.kit('read').knowledge.search(id, query, { limit })) as never,
  }),
  route('GET', '/state/tools', {
    summary: 'Statistics of calls, by tool, role, hour or day.',
    right: 'read',
    query: {
      by: z.enum(['tool', 'role', 'hour', 'day']).default('tool'),
      tool: z.string().min(1).max(400).optional(),
      role: z.string().min(1).max(200).optional(),
      since: sinceQuery,
    },
    answer: z.object({ total: record, stats: z.array(record) }),
    async handle({ access, query: { by, tool, role, since } }) {
      const { tools } = access.kit('read');
      const filter = { role, since: dateOf(since) };
      return jsonOf({
        total: await tools.getToolStats(tool, filter),
        stats: await tools.listToolStats({ ...filter, by, toolName: tool }),
      }) as never;
    },
  }),
  route('GET', '/state/tools/history', {
    summary: 'Calls of tools, newest first.',
    right: 'read',
    query: {
      ...pageQuery,
      tool: z.string().min(1).max(400).optional(),
      role: z.string().min(1).max(200).optional(),
      since: sinceQuery,
    },
    answer: z.object({ executions: z.array(record), cursor: z.string().optional() }),
    handle: async ({ access, query: { tool, since, ...query } }) =>
      jsonOf(
        await access.kit('read').tools.getExecutionHistory({ ...query, toolName: tool, since: dateOf(since) }),
      ) as never,
  }),
  route('GET', '/state/speech', {
    summary: 'Sessions of speech, newest first.',
    right: 'read',
    query: { ...pageQuery, status: z.enum(Object.values(AudioSessionStatus)).optional() },
    answer: z.object({ sessions: z.array(z.object({ sessionId: z.string() }).loose()), cursor: z.string().optional() }),
    handle: async ({ access, query }) => jsonOf(await access.kit('read').speech.listSessions(query)) as never,
  }),
  route('GET', '/state/speech/{id}', {
    summary: 'A session of speech: its state, and what was said.',
    right: 'read',
    path,
    answer: z.object({ sessionId: z.string(), status: z.string(), transcript: z.array(record) }).loose(),
    async handle({ access, path: { id } }) {
      const { speech } = access.kit('read');
      const session = await speech.getSession(id);
      if (session === undefined) throw missing('session', id);
      return jsonOf({ ...session, ...(await speech.getConversationState(id)) }) as never;
    },
  }),
] satisfies readonly Route[];
