// What a job did over time, for a picture of it.
import { z } from 'zod';
import { timelineLanes } from '../../../jobs/door.ts';
import { NotFoundError } from '../../../workspace/door.ts';
import { idText, queryNumber, route, type Route } from '../route.ts';

const moment = z.coerce.number().min(0).optional().describe('milliseconds since 1970');

export const timelineRoutes = [
  route('GET', '/jobs/{id}/timeline', {
    summary:
      'What a job did over time, in lanes. Each lane has at most `pieces` spans: what would lie on each other is put together.',
    right: 'read',
    path: { id: idText },
    query: { from: moment, to: moment, pieces: queryNumber(10, 2000, 400) },
    answer: z.object({
      from: z.number(),
      to: z.number(),
      isOver: z.boolean(),
      commits: z.object({ last: z.int() }).optional(),
      lanes: z.array(
        z.object({
          lane: z.enum(timelineLanes),
          spans: z.array(
            z.object({
              start: z.number(),
              end: z.number().optional(),
              label: z.string(),
              state: z.string(),
              id: z.string().optional(),
              commit: z.string().optional(),
              step: z.number().optional(),
              count: z.int(),
            }),
          ),
        }),
      ),
    }),
    async handle({ access, path: { id }, query }) {
      const job = await access.job(id, 'read');
      const { lanes, from, to } = await job.timeline(query);
      const last = await job.commits({ limit: 1 }).catch((error: unknown) => {
        // Before its first code it has no commits.
        if (error instanceof NotFoundError) return [];
        throw error;
      });
      return {
        from,
        to,
        isOver: job.status === 'DONE',
        ...(last[0] === undefined ? {} : { commits: { last: last[0].sequence } }),
        lanes: lanes.map(({ lane, spans }) => ({
          lane,
          spans: spans.map((span) => ({ ...span, label: cut(span.label) })),
        })),
      };
    },
  }),
] satisfies readonly Route[];

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
