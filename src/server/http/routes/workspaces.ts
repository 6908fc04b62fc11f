// Workspaces used by themselves.
import { z } from 'zod';
import { languageNames } from '../../../workspace/door.ts';
import { futureShape, stepShape } from '../../json/shapes.ts';
import { idText, jsonData, queryNumber, route, type Route } from '../route.ts';
import { stepJson, waitJson } from '../shapes.ts';
import { programViews } from './program-views.ts';

const path = { name: idText };

export const workspaceRoutes = [
  ...programViews('/workspaces/{name}', {
    noun: 'a workspace',
    path,
    viewed: (access, { name }) => access.workspace(name, 'read'),
    workspace: (access, { name }) => access.workspace(name, 'read'),
  }),
  route('GET', '/workspaces', {
    summary: 'The names of all workspaces, those of jobs included.',
    right: 'read',
    query: { limit: queryNumber(1, 10_000, 1000) },
    answer: z.object({ names: z.array(z.string()), isMore: z.boolean() }),
    async handle({ access, query: { limit } }) {
      const names: string[] = [];
      for await (const name of access.kit('read').workspaces()) {
        if (names.length >= limit) return { names, isMore: true };
        names.push(name);
      }
      return { names, isMore: false };
    },
  }),
  route('PUT', '/workspaces/{name}', {
    summary: 'Makes a workspace, or opens the one there is.',
    right: 'control',
    path,
    body: z
      .strictObject({ language: z.enum(languageNames).optional(), vars: z.record(z.string(), jsonData).optional() })
      .optional(),
    answer: z.object({ name: z.string() }),
    async handle({ access, path: { name }, body }) {
      await access.kit('control').workspace(name, body ?? {});
      return { name };
    },
  }),
  route('DELETE', '/workspaces/{name}', {
    summary: 'Deletes a workspace that no job uses.',
    right: 'admin',
    path,
    answer: z.object({ deleted: z.string() }),
    async handle({ access, path: { name } }) {
      await access.kit('admin').deleteWorkspace(name);
      return { deleted: name };
    },
  }),
  route('POST', '/workspaces/{name}/run', {
    summary: 'Runs a step. Answers when it is done, has failed, or waits for something.',
    right: 'control',
    path,
    body: z.strictObject({
      code: z.string().max(1_000_000),
      ifBusy: z.enum(['queue', 'refuse']).optional(),
      allOrNothing: z.boolean().optional(),
    }),
    answer: stepJson,
    async handle({ access, path: { name }, body: { code, ...options } }) {
      return stepShape(await (await access.workspace(name, 'control')).run(code, options)) as never;
    },
  }),
  route('GET', '/workspaces/{name}/waiting', {
    summary: 'What the program of a workspace waits for.',
    right: 'read',
    path,
    answer: z.object({ waiting: z.array(waitJson) }),
    handle: async ({ access, path: { name } }) => ({
      waiting: (await (await access.workspace(name, 'read')).waiting()).map((future) => futureShape(future) as never),
    }),
  }),
  route('POST', '/workspaces/{name}/fork', {
    summary:
      'Makes a workspace that begins at a commit of this one (default: the latest), with other variables if they are given.',
    right: 'control',
    path,
    body: z
      .strictObject({
        commit: idText.optional(),
        name: idText.optional(),
        vars: z.record(z.string().min(1).max(200), jsonData).optional(),
      })
      .optional(),
    answer: z.object({ name: z.string() }),
    status: 201,
    async handle({ access, path: { name }, body }) {
      const workspace = await access.workspace(name, 'control');
      return { name: (await workspace.fork(body?.commit, { id: body?.name, vars: body?.vars })).id };
    },
  }),
  route('POST', '/workspaces/{name}/rollback', {
    summary: 'Takes a workspace back to a commit; nothing is destroyed.',
    right: 'control',
    path,
    body: z.strictObject({ commit: idText }),
    answer: z.object({ name: z.string() }),
    async handle({ access, path: { name }, body: { commit } }) {
      await (await access.workspace(name, 'control')).rollback(commit);
      return { name };
    },
  }),
] satisfies readonly Route[];
