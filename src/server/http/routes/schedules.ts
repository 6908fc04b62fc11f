// Schedules: jobs that are submitted at times.
import { z } from 'zod';
import type { ScheduleState } from '../../../kit/schedule.ts';
import { jsonOf } from '../../json/values.ts';
import { idText, jsonData, route, type Route } from '../route.ts';
import { time } from '../shapes.ts';

const path = { name: idText };
const scheduleJson = z
  .object({
    name: z.string(),
    role: z.string(),
    timing: z.record(z.string(), z.unknown()),
    missed: z.enum(['skip', 'once', 'all']),
    overlap: z.enum(['queue', 'skip', 'cancel']),
    paused: z.boolean(),
    next: time.optional(),
    waiting: z.array(time),
    last: z.object({ job: z.string(), due: time }).optional(),
    fired: z.int(),
    skipped: z.int(),
  })
  .loose();

const shape = (state: ScheduleState): never => jsonOf({ ...state }) as never;

// eslint-disable-next-line typescript/explicit-function-return-type -- the types of the client are inferred from it
function command<const Verb extends 'pause' | 'resume'>(verb: Verb, summary: string) {
  return route('POST', `/schedules/{name}/${verb}` as const, {
    summary,
    right: 'control',
    path,
    body: z.strictObject({}).optional(),
    answer: scheduleJson,
    async handle({ access, path: { name } }) {
      const schedule = await access.kit('control').findSchedule(name);
      await schedule[verb]();
      return shape(await schedule.state());
    },
  });
}

export const scheduleRoutes = [
  route('GET', '/schedules', {
    summary: 'All schedules, by name.',
    right: 'read',
    answer: z.object({ schedules: z.array(scheduleJson) }),
    async handle({ access }) {
      const schedules: never[] = [];
      for await (const state of access.kit('read').schedules()) schedules.push(shape(state));
      return { schedules };
    },
  }),
  route('GET', '/schedules/{name}', {
    summary: 'One schedule.',
    right: 'read',
    path,
    answer: scheduleJson,
    handle: async ({ access, path: { name } }) => shape(await (await access.kit('read').findSchedule(name)).state()),
  }),
  route('PUT', '/schedules/{name}', {
    summary: 'Makes a schedule, or changes the one there is. One of `cron`, `every` (milliseconds) and `at` is given.',
    right: 'control',
    path,
    body: z.strictObject({
      cron: z.string().min(1).max(200).optional(),
      timeZone: z.string().min(1).max(100).optional(),
      every: z.int().min(1000).optional(),
      at: z.iso.datetime().optional(),
      missed: z.enum(['skip', 'once', 'all']).optional(),
      overlap: z.enum(['queue', 'skip', 'cancel']).optional(),
      submit: z.strictObject({
        role: z.string().min(1).max(200),
        input: jsonData.optional(),
        vars: z.record(z.string(), jsonData).optional(),
        message: jsonData.optional(),
        workspace: idText.optional(),
        labels: z.array(z.string().min(1).max(200)).max(50).optional(),
        priority: z.int().min(-100).max(100).optional(),
        keepFor: z.int().min(0).optional(),
      }),
    }),
    answer: scheduleJson,
    async handle({ access, path: { name }, body: { at, ...options } }) {
      const kit = access.kit('control');
      const schedule = await kit.schedule(name, { ...options, ...(at === undefined ? {} : { at: new Date(at) }) });
      return shape(await schedule.state());
    },
  }),
  command('pause', 'Pauses a schedule: times that pass meanwhile are left out.'),
  command('resume', 'Resumes a schedule.'),
  route('POST', '/schedules/{name}/run', {
    summary: 'Submits a job of a schedule now, whatever its times say.',
    right: 'control',
    path,
    body: z.strictObject({}).optional(),
    answer: z.object({ job: z.string() }),
    status: 201,
    handle: async ({ access, path: { name } }) => ({
      job: await (await access.kit('control').findSchedule(name)).runNow(),
    }),
  }),
  route('DELETE', '/schedules/{name}', {
    summary: 'Deletes a schedule; its jobs stay.',
    right: 'admin',
    path,
    answer: z.object({ deleted: z.string() }),
    async handle({ access, path: { name } }) {
      await (await access.kit('admin').findSchedule(name)).delete();
      return { deleted: name };
    },
  }),
] satisfies readonly Route[];
