// What can be seen of one job. Lists come page by page, and large values are cut here and not in the client.
import { z } from 'zod';
import type { JobCall } from '../../../jobs/door.ts';
import type { KitAccess } from '../../access/kit-access.ts';
import { NotFoundError } from '../../../workspace/door.ts';
import { cutTexts } from '../../json/cut-texts.ts';
import { callShape, jobShape } from '../../json/shapes.ts';
import { jsonOf } from '../../json/values.ts';
import { idText, queryNumber, route, type Route } from '../route.ts';
import { callJson, cursor, eventJson, jobJson, listOf, listQuery, maxText, pageJson } from '../shapes.ts';
import { programViews } from './program-views.ts';

const path = { id: idText };

const partedOf = <Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ shared: z.ZodInt; a: z.ZodArray<Item>; b: z.ZodArray<Item> }> =>
  z.object({ shared: z.int(), a: z.array(item), b: z.array(item) });

export const jobViewRoutes = [
  ...programViews('/jobs/{id}', {
    noun: 'a job',
    path,
    viewed: (access, { id }) => access.job(id, 'read'),
    workspace: async (access, { id }) => (await access.job(id, 'read')).workspace(),
  }),
  route('GET', '/jobs/{id}/result', {
    summary: 'The result of a job, once it is DONE; waits up to `wait` seconds for it.',
    right: 'read',
    path,
    query: { wait: z.coerce.number().min(0).max(3600).default(0) },
    answer: jobJson.extend({ result: z.unknown() }),
    async handle({ access, path: { id }, query: { wait }, signal, maxWait }) {
      // Before the job is read, so that its end cannot fall between the two.
      const since = await access.revision();
      const job = await access.job(id, 'read');
      const milliseconds = Math.min(wait * 1000, maxWait);
      if (job.status !== 'DONE' && milliseconds > 0) await untilDone(access, { job: id, since, signal }, milliseconds);
      await job.refresh();
      const isCompleted = job.status === 'DONE' && job.outcome === 'completed';
      return { ...jobShape(job), result: isCompleted ? (jsonOf(await job.result()) ?? null) : undefined } as never;
    },
  }),
  route('GET', '/jobs/{id}/chat', {
    summary: 'The conversation of a job, item by item; at a commit, as it was then.',
    right: 'read',
    path,
    query: { ...listQuery, undone: z.stringbool().default(false), commit: idText.optional() },
    answer: listOf(z.unknown()),
    handle: async ({ access, path: { id }, query: { maxText: max, ...options } }) =>
      pageJson(await (await access.job(id, 'read')).chatPage(options), max),
  }),
  route('GET', '/jobs/{id}/calls', {
    summary:
      'The calls of tools and models of a job, in the order in which they were asked for; at a commit, those until then.',
    right: 'read',
    path,
    query: { ...listQuery, undone: z.stringbool().default(false), commit: idText.optional() },
    answer: listOf(callJson),
    async handle({ access, path: { id }, query: { maxText: max, ...options } }) {
      const page = await (await access.job(id, 'read')).callPage(options);
      return pageJson({ ...page, items: page.items.map(callShape) }, max);
    },
  }),
  route('GET', '/jobs/{id}/calls/{call}', {
    summary: 'One call of a job, with what it was given and what it returned.',
    right: 'read',
    path: { id: idText, call: idText },
    query: { maxText },
    answer: callJson,
    async handle({ access, path: { id, call: wanted }, query: { maxText: max } }) {
      const call = await (await access.job(id, 'read')).call(wanted);
      if (call === undefined) throw new NotFoundError(`The job '${id}' has no call '${wanted}'.`, { id, call: wanted });
      const whole = await wholeCall(call);
      return (max === undefined ? whole : cutTexts(whole, max)) as never;
    },
  }),
  route('GET', '/jobs/{id}/events', {
    summary: 'What has happened to a job so far.',
    right: 'read',
    path,
    query: listQuery,
    answer: listOf(eventJson),
    handle: async ({ access, path: { id }, query: { maxText: max, ...options } }) =>
      pageJson(await (await access.job(id, 'read')).eventPage(options), max),
  }),
  route('GET', '/jobs/{id}/children', {
    summary: 'The jobs that a job has started.',
    right: 'read',
    path,
    query: { limit: queryNumber(1, 1000, 100), cursor },
    answer: z.object({ jobs: z.array(jobJson), cursor: z.string().optional() }),
    async handle({ access, path: { id }, query }) {
      await access.job(id, 'read');
      const page = await access.jobPage({ parent: id, ...query });
      return { jobs: page.jobs.map(jobShape), cursor: page.cursor } as never;
    },
  }),
  route('GET', '/jobs/{id}/export', {
    summary:
      'A job as one file, for `statek inspect` and `statek import`: its program with all commits, conversation and calls.',
    right: 'read',
    path,
    answer: 'application/gzip',
    async handle({ access, path: { id } }) {
      const name = `${id.replaceAll(/[^\w.-]+/g, '_').slice(0, 100)}.statek`;
      const bytes = await access.exported(id);
      // The first piece decides whether there is a file at all.
      const first = await bytes.next();
      return new Response(streamOf(first, bytes), {
        headers: { 'content-type': 'application/gzip', 'content-disposition': `attachment; filename="${name}"` },
      });
    },
  }),
  route('GET', '/compare', {
    summary: 'In what two jobs differ: variables, conversation, calls and usage, and where they part.',
    right: 'read',
    query: { a: idText, b: idText },
    answer: z.object({
      a: jobJson,
      b: jobJson,
      base: z.string().optional(),
      variables: z.array(z.object({ name: z.string(), change: z.string() }).loose()),
      chat: partedOf(z.unknown()),
      calls: partedOf(callJson),
      usage: z.object({ a: z.unknown(), b: z.unknown() }),
    }),
    async handle({ access, query }) {
      const [a, b] = [await access.job(query.a, 'read'), await access.job(query.b, 'read')];
      const { base, variables, chat, calls, usage } = await a.compare(b);
      return {
        a: jobShape(a),
        b: jobShape(b),
        ...(base === undefined ? {} : { base }),
        variables,
        chat: { shared: chat.shared, a: chat.a.map((item) => jsonOf(item)), b: chat.b.map((item) => jsonOf(item)) },
        calls: { shared: calls.shared, a: calls.a.map(callShape), b: calls.b.map(callShape) },
        usage: jsonOf({ ...usage }),
      } as never;
    },
  }),
  route('GET', '/jobs/{id}/usage', {
    summary: 'What a job has used of models: tokens, cost and time, turn by turn and in all.',
    right: 'read',
    path,
    answer: z.record(z.string(), z.unknown()),
    handle: async ({ access, path: { id } }) => jsonOf(await (await access.job(id, 'read')).usage()) as never,
  }),
  route('GET', '/jobs/{id}/requests/{turn}', {
    summary: 'The exact request of a turn, as it was sent to the model.',
    right: 'read',
    path: { id: idText, turn: z.coerce.number().int().min(1) },
    query: { maxText },
    answer: z.record(z.string(), z.unknown()),
    async handle({ access, path: { id, turn }, query: { maxText: max } }) {
      const request = jsonOf(await (await access.job(id, 'read')).request(turn));
      return (max === undefined ? request : cutTexts(request, max)) as never;
    },
  }),
] satisfies readonly Route[];

async function wholeCall(call: JobCall): Promise<unknown> {
  return { ...callShape(call), input: jsonOf(await call.input()), output: jsonOf(await call.output()) };
}

/** Resolves when the job has ended, or the time is up. */
async function untilDone(
  access: KitAccess,
  { signal, ...of }: { readonly job: string; readonly since: number; readonly signal: AbortSignal },
  milliseconds: number,
): Promise<void> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  for await (const { kind } of access.events({ ...of, signal: end })) if (kind === 'done') return;
}

function streamOf(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): ReadableStream<Uint8Array> {
  let next: IteratorResult<Uint8Array, void> | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = next ?? (await rest.next());
      next = undefined;
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await rest.return()),
  });
}
