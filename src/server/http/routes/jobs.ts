// Jobs: submitting, finding and deleting them, one or many.
import { z } from 'zod';
import type { Job } from '../../../agents/door.ts';
import { jobOutcomes, jobStatuses, type JobFilter } from '../../../jobs/door.ts';
import type { KitAccess } from '../../access/kit-access.ts';
import { jobShape, jobWithDetail, jobWithWaits } from '../../json/shapes.ts';
import { idText, jsonData, queryNumber, route, type Route } from '../route.ts';
import { cursor, jobJson, jobWithDetailJson, jobWithWaitsJson } from '../shapes.ts';

const label = z.string().min(1).max(200);

const submission = z.strictObject({
  role: z.string().min(1).max(200),
  input: jsonData.optional(),
  vars: z.record(z.string(), jsonData).optional(),
  message: jsonData.optional(),
  workspace: idText.optional(),
  labels: z.array(label).max(50).optional(),
  priority: z.int().min(-100).max(100).optional(),
  startAt: z.iso.datetime().optional(),
  deadline: z.iso.datetime().optional(),
  metadata: z.record(z.string(), jsonData).optional(),
  keepFor: z.int().min(0).optional(),
});

const filterShape = {
  status: z.enum(jobStatuses).optional(),
  outcome: z.enum(jobOutcomes).optional(),
  role: z.string().max(200).optional(),
  parent: idText.optional(),
  label: label.optional(),
  workspace: idText.optional(),
  since: z.iso.datetime().optional(),
  before: z.iso.datetime().optional(),
};

type FilterGiven = z.output<z.ZodObject<typeof filterShape>>;

function filterOf({ since, before, ...rest }: FilterGiven): JobFilter {
  return {
    ...rest,
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(before === undefined ? {} : { before: new Date(before) }),
  };
}

async function submit(access: KitAccess, given: z.output<typeof submission>, id?: string): Promise<Job> {
  const { role, startAt, deadline, metadata, ...rest } = given;
  return access.submit(role, {
    ...rest,
    ...(id === undefined ? {} : { id }),
    ...(startAt === undefined ? {} : { startAt: new Date(startAt) }),
    ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
    ...(metadata === undefined ? {} : { metadata: metadata }),
  });
}

const verbs = ['cancel', 'pause', 'resume', 'retry', 'delete'] as const;
type Verb = (typeof verbs)[number];

async function carryOut(job: Job, verb: Verb, reason: string | undefined): Promise<void> {
  switch (verb) {
    case 'cancel':
      await job.cancel(reason);
      break;
    case 'pause':
      await job.pause();
      break;
    case 'resume':
      await job.resume();
      break;
    case 'retry':
      await job.again();
      break;
    case 'delete':
      await job.delete();
      break;
  }
}

export const jobRoutes = [
  route('GET', '/jobs', {
    summary:
      'Lists jobs, newest first, page by page. With `text`, those whose id, role, labels or error have it; a page may then have fewer jobs than `limit`, or none, and still a cursor.',
    right: 'read',
    query: {
      ...filterShape,
      text: z.string().min(1).max(200).optional(),
      limit: queryNumber(1, 1000, 100),
      cursor,
      detail: z.stringbool().default(false).describe('with what each job waits for and has used'),
    },
    answer: z.object({ jobs: z.array(jobWithDetailJson), cursor: z.string().optional() }),
    async handle({ access, query: { text, limit, cursor: from, detail, ...filter } }) {
      const wanted = { ...filterOf(filter), limit, cursor: from };
      const page =
        text === undefined
          ? await access.jobPage(wanted)
          : await access.findJobs(wanted, limit, (job) => mentions(job, text));
      const shapes = detail ? await Promise.all(page.jobs.map(jobWithDetail)) : page.jobs.map(jobShape);
      return { jobs: shapes, cursor: page.cursor } as never;
    },
  }),
  route('GET', '/jobs/counts', {
    summary: 'Counts jobs by status and outcome.',
    right: 'read',
    query: { role: filterShape.role, label: filterShape.label },
    answer: z.object({ statuses: z.record(z.string(), z.int()), outcomes: z.record(z.string(), z.int()) }),
    async handle({ access, query }) {
      const count = async (filter: JobFilter): Promise<number> => access.countJobs({ ...query, ...filter });
      const statuses = await Promise.all(jobStatuses.map(async (status) => [status, await count({ status })] as const));
      const outcomes = await Promise.all(
        jobOutcomes.map(async (outcome) => [outcome, await count({ outcome })] as const),
      );
      return { statuses: Object.fromEntries(statuses), outcomes: Object.fromEntries(outcomes) };
    },
  }),
  route('POST', '/jobs', {
    summary: 'Submits a job under a random id.',
    right: 'control',
    body: submission,
    answer: jobJson,
    status: 201,
    handle: async ({ access, body }) => jobShape(await submit(access, body)) as never,
  }),
  route('PUT', '/jobs/{id}', {
    summary: 'Submits a job under an id. Submitting it again makes no second job.',
    right: 'control',
    path: { id: idText },
    body: submission,
    answer: jobJson,
    handle: async ({ access, path: { id }, body }) => jobShape(await submit(access, body, id)) as never,
  }),
  route('POST', '/jobs/bulk', {
    summary: 'Does one thing with all jobs of a filter. A dry run only counts them.',
    right: 'control',
    body: z.strictObject({
      verb: z.enum(verbs),
      filter: z.strictObject(filterShape),
      reason: z.string().max(2000).optional(),
      dryRun: z.boolean().default(false),
    }),
    answer: z.object({
      jobs: z.int(),
      done: z.int(),
      refused: z.array(z.object({ id: z.string(), why: z.string() })),
    }),
    async handle({ access, body: { verb, filter, reason, dryRun } }) {
      if (dryRun) return { jobs: await access.countJobs(filterOf(filter)), done: 0, refused: [] };
      const refused: { id: string; why: string }[] = [];
      // The ids first: what is done to a job may move it out of the page that is read.
      const ids: string[] = [];
      for await (const { id } of access.eachJob(filterOf(filter))) ids.push(id);
      let done = 0;
      for (const id of ids) {
        try {
          await carryOut(await access.job(id, verb === 'delete' ? 'admin' : 'control'), verb, reason);
          done++;
        } catch (error) {
          if (refused.length < 100) refused.push({ id, why: (error as Error).message });
        }
      }
      return { jobs: ids.length, done, refused };
    },
  }),
  route('GET', '/jobs/{id}', {
    summary: 'Shows a job and what it waits for.',
    right: 'read',
    path: { id: idText },
    answer: jobWithWaitsJson,
    handle: async ({ access, path: { id } }) => (await jobWithWaits(await access.job(id, 'read'))) as never,
  }),
  route('DELETE', '/jobs/{id}', {
    summary: 'Deletes a job that is DONE, with everything that was kept of it.',
    right: 'admin',
    path: { id: idText },
    answer: z.object({ deleted: z.string() }),
    async handle({ access, path: { id } }) {
      await (await access.job(id, 'admin')).delete();
      return { deleted: id };
    },
  }),
] satisfies readonly Route[];

function mentions({ id, role, labels, error }: Job, text: string): boolean {
  const wanted = text.toLowerCase();
  return [id, role, error?.message ?? '', ...labels].some((part) => part.toLowerCase().includes(wanted));
}
