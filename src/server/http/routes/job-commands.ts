// What can be done with one job.
import { z } from 'zod';
import type { Job } from '../../../agents/door.ts';
import type { Right } from '../../access/rights.ts';
import { jobShape } from '../../json/shapes.ts';
import { idText, jsonData, route, type Route } from '../route.ts';
import { jobJson } from '../shapes.ts';

// eslint-disable-next-line typescript/explicit-function-return-type -- the types of the client are inferred from it
function command<const Verb extends string, Body extends z.ZodType>(
  verb: Verb,
  right: Right,
  summary: string,
  body: Body,
  act: (job: Job, body: z.output<Body>) => Promise<void>,
) {
  return route('POST', `/jobs/{id}/${verb}` as const, {
    summary,
    right,
    path: { id: idText },
    body: body.optional(),
    answer: jobJson,
    async handle({ access, path: { id }, body: given }) {
      const job = await access.job(id, right);
      await act(job, given ?? body.parse({}));
      return jobShape(await job.refresh()) as never;
    },
  });
}

const nothing = z.strictObject({});

export const jobCommandRoutes = [
  command('say', 'answer', 'Sends a message to a job.', z.strictObject({ message: jsonData }), (job, { message }) =>
    job.say(message),
  ),
  command(
    'cancel',
    'control',
    'Cancels a job: what it waits for is rejected, so that its finally blocks run.',
    z.strictObject({ reason: z.string().min(1).max(2000).optional() }),
    (job, { reason }) => job.cancel(reason),
  ),
  command('pause', 'control', 'Pauses a job: nobody works on it until it is resumed.', nothing, (job) => job.pause()),
  command('resume', 'control', 'Resumes a job that is paused, was cancelled or reached a limit.', nothing, (job) =>
    job.resume(),
  ),
  command(
    'rollback',
    'control',
    'Takes a job back to one of its commits. Effects are neither undone nor repeated.',
    z.strictObject({ commit: idText }),
    (job, { commit }) => job.rollback(commit),
  ),
  route('POST', '/jobs/{id}/retry', {
    summary: 'Submits a new job with what this one was given.',
    right: 'control',
    path: { id: idText },
    body: z.strictObject({ id: idText.optional() }).optional(),
    answer: z.object({ id: z.string() }),
    status: 201,
    handle: async ({ access, path, body }) => ({
      id: await (await access.job(path.id, 'control')).again(body?.id === undefined ? {} : { id: body.id }),
    }),
  }),
  route('POST', '/jobs/{id}/fork', {
    summary:
      'Makes a job that begins at a commit of this one (default: the latest), with other variables, another model or prompt, or a message.',
    right: 'control',
    path: { id: idText },
    body: z
      .strictObject({
        commit: idText.optional(),
        id: idText.optional(),
        vars: z.record(z.string().min(1).max(200), jsonData).optional(),
        model: z.string().min(1).max(1000).optional(),
        prompt: z.string().min(1).max(500_000).optional(),
        message: jsonData.optional(),
      })
      .optional(),
    answer: jobJson,
    status: 201,
    async handle({ access, path, body: { commit, ...edits } = {} }) {
      return jobShape(await (await access.job(path.id, 'control')).fork(commit, edits)) as never;
    },
  }),
] satisfies readonly Route[];
