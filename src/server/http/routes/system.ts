// The system as a whole: agents, queues, workers, usage, health, metrics, and everything that happens.
import { z } from 'zod';
import type { Job } from '../../../agents/door.ts';
import { packageVersion } from '../../../base/package.ts';
import type { KitAccess } from '../../access/kit-access.ts';
import { rights } from '../../access/rights.ts';
import { jobShape } from '../../json/shapes.ts';
import { jsonOf } from '../../json/values.ts';
import { eventStream, type ServerEvent } from '../event-stream.ts';
import { metricsText, type RequestCounts } from '../metrics.ts';
import { RequestError } from '../problem.ts';
import type { Rates } from '../rates.ts';
import { idText, route, type Route } from '../route.ts';
import { jobJson, time } from '../shapes.ts';

export interface SystemParts {
  readonly requests: RequestCounts;
  readonly rates: Rates;
}

const maxUsageJobs = 2000;

const errorCounts = {
  retries: z.int().describe('requests that failed and were made again'),
  failedJobs: z.int().describe('jobs that an error of a model ended'),
};

// eslint-disable-next-line typescript/explicit-module-boundary-types, typescript/explicit-function-return-type -- the types of the client are inferred from it
export function systemRoutes({ requests, rates }: SystemParts) {
  return [
    route('GET', '/caller', {
      summary: 'Who is calling, and what they may do.',
      right: 'read',
      answer: z.object({
        name: z.string(),
        rights: z.array(z.enum(rights)),
        labels: z.array(z.string()).optional(),
        version: z.string(),
      }),
      handle: ({ access: { caller } }) =>
        Promise.resolve({
          name: caller.name,
          rights: [...caller.rights],
          ...(caller.labels === undefined ? {} : { labels: [...caller.labels] }),
          version: packageVersion(),
        }),
    }),
    route('GET', '/agents', {
      summary: 'The agents that jobs can be submitted to.',
      right: 'read',
      answer: z.object({ agents: z.array(z.object({ role: z.string() }).loose()) }),
      handle: async ({ access }) => ({
        agents: access
          .kit('read')
          .agents.list()
          .map((agent) => ({ ...agent })),
      }),
    }),
    route('GET', '/queues', {
      summary: 'What waits to be worked on, by role.',
      right: 'read',
      answer: z.object({ queues: z.array(z.object({ role: z.string(), jobs: z.int(), claimed: z.int() }).loose()) }),
      handle: async ({ access }) => ({ queues: (await access.kit('read').queues()).map((queue) => ({ ...queue })) }),
    }),
    route('GET', '/workers', {
      summary: 'The processes that work on jobs now.',
      right: 'read',
      answer: z.object({ workers: z.array(z.object({ owner: z.string(), jobs: z.int() }).loose()) }),
      handle: async ({ access }) => ({
        workers: (await access.kit('read').workers()).map((worker) => jsonOf({ ...worker }) as never),
      }),
    }),
    route('GET', '/leases', {
      summary:
        'Which process holds which job or workspace. A lease that has ended is there until another process takes it.',
      right: 'read',
      answer: z.object({
        leases: z.array(
          z.object({
            owner: z.string(),
            job: z.string().optional(),
            workspace: z.string().optional(),
            role: z.string().optional(),
            since: time.optional().describe('since when the job has had something to do'),
            until: time,
          }),
        ),
      }),
      handle: async ({ access }) => ({
        leases: (await access.kit('read').leases()).map((lease) => jsonOf({ ...lease }) as never),
      }),
    }),
    route('GET', '/system', {
      summary:
        'The version, the store and its size hour by hour, what retention keeps, the processes that died over jobs, slices that took long, durable objects that many change at the same time, and the jobs that are quarantined: around them something failed again and again.',
      right: 'read',
      answer: z.object({
        version: z.string(),
        store: z.object({ engine: z.string(), revision: z.int(), bytes: z.int().optional() }).loose(),
        sizes: z.array(z.object({ time, bytes: z.int() })),
        retention: z.object({
          policy: z.union([z.enum(['by program', 'everything']), z.record(z.string(), z.unknown())]),
          last: time.optional().describe('when it was last applied in the background'),
          removed: z.object({ commitsDropped: z.int(), rowsRemoved: z.int(), bytesFreed: z.int() }).optional(),
        }),
        crashes: z.array(
          z.object({ job: z.string(), time, times: z.int().describe('in a row, without a commit in between') }),
        ),
        slowSlices: z.array(
          z.object({
            job: z.string(),
            role: z.string(),
            step: z.int(),
            commit: z.string(),
            milliseconds: z.int(),
            time,
          }),
        ),
        hotObjects: z
          .array(z.object({ id: z.string(), type: z.string().optional(), conflicts: z.int() }))
          .describe('how often something ran again because of a conflict over the object, in the last 24 hours'),
        quarantined: z.array(jobJson),
        isPartial: z.boolean(),
      }),
      async handle({ access }) {
        const kit = access.kit('read');
        const { store } = kit;
        return {
          version: packageVersion(),
          store: { ...store.features, revision: await access.revision(), bytes: await store.size?.() },
          sizes: (await kit.storeSizes()).map((size) => jsonOf({ ...size }) as never),
          retention: jsonOf({ ...(await kit.retention()) }) as never,
          crashes: (await kit.crashes()).map((crash) => jsonOf({ ...crash }) as never),
          slowSlices: (await kit.slowSlices()).map((slice) => jsonOf({ ...slice }) as never),
          hotObjects: (await kit.hotObjects()).map((object) => jsonOf({ ...object }) as never),
          ...(await quarantined(access)),
        };
      },
    }),
    route('GET', '/usage', {
      summary: 'Tokens, cost and errors of models, by role and model, and by day (UTC).',
      right: 'read',
      query: { since: z.iso.datetime().optional(), role: z.string().max(200).optional() },
      answer: z.object({
        usage: z.array(
          z.object({
            role: z.string(),
            model: z.string(),
            turns: z.int(),
            input: z.int(),
            output: z.int(),
            cost: z.number(),
            ...errorCounts,
          }),
        ),
        days: z.array(
          z.object({
            day: z.string(),
            turns: z.int(),
            tokens: z.int(),
            cost: z.number(),
            ...errorCounts,
          }),
        ),
        isPartial: z.boolean(),
      }),
      handle: ({ access, query }) => usage(access, query),
    }),
    route('GET', '/health/live', {
      summary: 'The process answers.',
      right: 'none',
      answer: z.object({ status: z.literal('ok') }),
      handle: () => Promise.resolve({ status: 'ok' as const }),
    }),
    route('GET', '/health/ready', {
      summary: 'The store can be reached.',
      right: 'none',
      answer: z.object({ status: z.literal('ok') }),
      async handle({ access }) {
        await access.revision();
        return { status: 'ok' as const };
      },
    }),
    route('GET', '/metrics', {
      summary: 'Figures as Prometheus text.',
      right: 'read',
      answer: 'text/plain',
      handle: async ({ access }) =>
        new Response(await metricsText(access, requests), {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        }),
    }),
    route('GET', '/events', {
      summary:
        'What happens to jobs, as it is committed. Continue with `last-event-id` or `since`: nothing is missed or repeated.',
      right: 'read',
      query: {
        since: z.coerce.number().int().min(0).optional().describe('a revision; default: from now on'),
        job: idText.optional(),
        kinds: z.string().max(500).optional().describe('kinds of events, separated by commas; default: all'),
        notices: z
          .stringbool()
          .default(false)
          .describe(
            'also says that a job was deleted (`deleted`), or that schedules, limits of tenants, objects or a part of the state have changed (`changed`); after a lost connection, read them again',
          ),
      },
      answer: 'text/event-stream',
      async handle({ access, query, signal, lastEventId }) {
        const start = placeOf(lastEventId) ?? { revision: query.since, after: -1 };
        if (query.job !== undefined) await access.job(query.job, 'read');
        const kinds = query.kinds === undefined ? undefined : new Set(query.kinds.split(','));
        const { job, notices } = query;
        if (job !== undefined && notices)
          throw new RequestError(400, 'INVALID_REQUEST', "Give 'job' or 'notices', not both: notices are of all jobs.");
        const closed = rates.stream(access.caller);
        return eventStream((stop) => jobEvents(access, { job, kinds, notices, start, signal: stop }), {
          signal,
          closed,
        });
      },
    }),
  ] satisfies readonly Route[];
}

/** Where a stream continues: events of one commit share its revision and are counted. */
interface Place {
  readonly revision: number | undefined;
  /** The last event of that revision that was seen; -1 for none, and all of it counts as seen. */
  readonly after: number;
}

/** More events than a commit has. */
const allOfIt = 999_999_999;

function placeOf(lastEventId: string | undefined): Place | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const match = /^(\d{1,15})-(\d{1,9})$/.exec(lastEventId);
  if (match !== null) return { revision: Number(match[1]), after: Number(match[2]) };
  throw new RequestError(400, 'INVALID_REQUEST', "'last-event-id' must be the id of an event of this stream.");
}

async function* jobEvents(
  access: KitAccess,
  options: {
    readonly job: string | undefined;
    readonly kinds: ReadonlySet<string> | undefined;
    readonly notices: boolean;
    readonly start: Place;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<ServerEvent, void, undefined> {
  const { job, kinds, notices, start, signal } = options;
  // The commit that was being read is read again, and what was seen of it is passed over.
  const isSeen = start.after < 0 || start.after === allOfIt;
  const since = start.revision === undefined || isSeen ? start.revision : start.revision - 1;
  let revision = -1;
  let number = -1;
  // Where it begins, for those who lose the connection before the first event.
  if (start.revision === undefined) {
    const now = await access.revision();
    yield { id: `${now}-${allOfIt}` };
    yield* jobEvents(access, { ...options, start: { revision: now, after: allOfIt } });
    return;
  }
  const source = notices ? access.everything({ since, signal }) : access.events({ job, since, signal });
  for await (const event of source) {
    if (event.kind === 'changed' || event.kind === 'deleted') {
      // Without an id: it is not a place to continue from.
      if (kinds?.has(event.kind) !== false) yield { event: event.kind, data: event };
      continue;
    }
    number = event.revision === revision ? number + 1 : 0;
    ({ revision } = event);
    if (revision === start.revision && number <= start.after) continue;
    if (kinds?.has(event.kind) === false) continue;
    yield { id: `${revision}-${number}`, event: event.kind, data: jsonOf({ ...event }) };
  }
}

/** Failed jobs that are looked at for it, the latest first. */
const maxFailed = 2000;

async function quarantined(access: KitAccess): Promise<{ quarantined: never[]; isPartial: boolean }> {
  const found: unknown[] = [];
  let seen = 0;
  for await (const job of access.eachJob({ status: 'DONE', outcome: 'failed' })) {
    if (++seen > maxFailed) return { quarantined: found as never[], isPartial: true };
    if (job.error?.code === 'QUARANTINED') found.push(jobShape(job));
  }
  return { quarantined: found as never[], isPartial: false };
}

interface Sum {
  turns: number;
  cost: number;
  retries: number;
  failedJobs: number;
}

interface ModelSum extends Sum {
  readonly role: string;
  readonly model: string;
  input: number;
  output: number;
}

interface DaySum extends Sum {
  readonly day: string;
  tokens: number;
}

const nothing = { turns: 0, cost: 0, retries: 0, failedJobs: 0 };

async function usage(
  access: KitAccess,
  { since, role }: { readonly since?: string | undefined; readonly role?: string | undefined },
): Promise<{ usage: ModelSum[]; days: DaySum[]; isPartial: boolean }> {
  const models = new Map<string, ModelSum>();
  const days = new Map<string, DaySum>();
  const dayOf = (when: Date): DaySum => {
    const day = when.toISOString().slice(0, 10);
    const sum = days.get(day) ?? { day, tokens: 0, ...nothing };
    days.set(day, sum);
    return sum;
  };
  const modelOf = (job: Job, model: string): ModelSum => {
    const key = `${job.role} ${model}`;
    const sum = models.get(key) ?? { role: job.role, model, input: 0, output: 0, ...nothing };
    models.set(key, sum);
    return sum;
  };
  const answer = (isPartial: boolean): Awaited<ReturnType<typeof usage>> => ({
    usage: [...models.values()],
    days: [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    isPartial,
  });
  let jobs = 0;
  for await (const job of access.eachJob({
    ...(role === undefined ? {} : { role }),
    ...(since === undefined ? {} : { since: new Date(since) }),
  })) {
    if (++jobs > maxUsageJobs) return answer(true);
    if (job.error?.code?.startsWith('MODEL_') === true)
      for (const sum of [dayOf(job.updated), modelOf(job, modelIn(job.error.message))]) sum.failedJobs++;
    for (const turn of (await job.usage()).turns) {
      const { input, output } = turn.tokens;
      const day = dayOf(turn.time);
      const model = modelOf(job, `${turn.model.provider}/${turn.model.model}`);
      for (const sum of [day, model]) {
        sum.turns++;
        sum.cost += turn.cost?.amount ?? 0;
        sum.retries += turn.attempts - 1;
      }
      day.tokens += input + output;
      model.input += input;
      model.output += output;
    }
  }
  return answer(false);
}

/** Errors of models begin with the model: `openai/gpt-5: …`. */
function modelIn(message: string): string {
  return /^([^\s/:]+\/[^\s:]+): /.exec(message)?.[1] ?? 'unknown';
}
