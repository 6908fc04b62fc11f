// What people decide: questions, approvals, signals and events.
import { z } from 'zod';
import { pendingKinds } from '../../../jobs/door.ts';
import { futureShape, jobShape } from '../../json/shapes.ts';
import { idText, jsonData, queryNumber, route, type Route } from '../route.ts';
import { jobJson, pendingJson } from '../shapes.ts';

const path = { id: idText };
const decided = z.object({ id: z.string(), by: z.string() });

export const waitingRoutes = [
  route('GET', '/waiting', {
    summary: 'What jobs wait for.',
    right: 'read',
    query: {
      kind: z.enum(pendingKinds).optional(),
      role: z.string().max(200).optional(),
      people: z
        .stringbool()
        .default(false)
        .describe('only what a person can decide or answer: quick, however many jobs wait for something else'),
      order: z.enum(['newest', 'oldest']).default('oldest'),
      limit: queryNumber(1, 1000, 200),
    },
    answer: z.object({ waiting: z.array(pendingJson), isMore: z.boolean() }),
    async handle({ access, query: { limit, ...filter } }) {
      const waiting: unknown[] = [];
      let isMore = false;
      for await (const future of access.pending(filter)) {
        if (waiting.length >= limit) {
          isMore = true;
          break;
        }
        waiting.push(futureShape(future));
      }
      return { waiting: waiting as never, isMore };
    },
  }),
  route('POST', '/waiting/{id}/answer', {
    summary: 'Answers a question of a program. The second answer is refused and says who answered first.',
    right: 'answer',
    path,
    body: z.strictObject({ value: jsonData }),
    answer: decided,
    async handle({ access, path: { id }, body: { value } }) {
      await access.answer(id, value);
      return { id, by: access.caller.name };
    },
  }),
  route('POST', '/waiting/{id}/approve', {
    summary: 'Approves what a program asked for, or a call that needs consent.',
    right: 'answer',
    path,
    body: z.strictObject({ comment: z.string().max(4000).optional() }).optional(),
    answer: decided,
    async handle({ access, path: { id }, body }) {
      await access.approve(id, body?.comment);
      return { id, by: access.caller.name };
    },
  }),
  route('POST', '/waiting/{id}/deny', {
    summary: 'Denies it; the program gets a DeniedError with the reason.',
    right: 'answer',
    path,
    body: z.strictObject({ reason: z.string().max(4000).optional() }).optional(),
    answer: decided,
    async handle({ access, path: { id }, body }) {
      await access.deny(id, body?.reason);
      return { id, by: access.caller.name };
    },
  }),
  route('POST', '/signals/{name}', {
    summary: 'Sends a signal: it ends the oldest wait for that name, or the next one.',
    right: 'control',
    path: { name: idText },
    body: z.strictObject({ payload: jsonData.optional(), keep: z.enum(['all', 'latest']).optional() }).optional(),
    answer: z.object({ name: z.string() }),
    async handle({ access, path: { name }, body }) {
      await access.kit('control').signal(name, body?.payload, { keep: body?.keep });
      return { name };
    },
  }),
  route('POST', '/queues/{role}', {
    summary: 'Makes a job of an event, in the queue of a role.',
    right: 'control',
    path: { role: idText },
    body: z.strictObject({
      event: jsonData,
      id: idText.optional(),
      labels: z.array(z.string().min(1).max(200)).max(50).optional(),
    }),
    answer: jobJson,
    status: 201,
    handle: async ({ access, path: { role }, body: { event, ...options } }) =>
      jobShape(await access.kit('control').enqueue(role, event, options)) as never,
  }),
] satisfies readonly Route[];
