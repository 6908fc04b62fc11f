// The shapes of what the API answers, for checking, the OpenAPI document and the typed client.
import { z } from 'zod';
import type { ListPage } from '../../base/list-page.ts';
import { cutTexts } from '../json/cut-texts.ts';
import { jsonOf } from '../json/values.ts';
import { jobOutcomes, jobStatuses } from '../../jobs/door.ts';
import { idText, queryNumber } from './route.ts';

export const time = z.iso.datetime();

export const jobJson = z.object({
  id: z.string(),
  role: z.string(),
  status: z.enum(jobStatuses),
  outcome: z.enum(jobOutcomes).optional(),
  error: z.object({ name: z.string(), message: z.string() }).optional(),
  paused: z.boolean(),
  parent: z.string().optional(),
  hasChildren: z.boolean(),
  labels: z.array(z.string()),
  priority: z.number(),
  version: z
    .object({
      started: z.string().optional(),
      needs: z.string().optional(),
      pinned: z.boolean(),
      restarts: z.int(),
      onChange: z
        .enum(['continue', 'restart', 'pin'])
        .optional()
        .describe('what the code of this process does with jobs of older code'),
    })
    .optional(),
  schedule: z
    .object({ name: z.string(), due: time })
    .optional()
    .describe('the schedule that submitted it, and the time that it is for'),
  created: time,
  updated: time,
});

export const waitJson = z
  .object({
    id: z.string(),
    kind: z.string(),
    label: z.string(),
    text: z.string(),
    question: z.string().optional(),
    undecided: z.boolean(),
    since: time.optional(),
    at: z.object({ step: z.int(), line: z.int(), column: z.int() }).optional(),
  })
  .loose();

/** The same in a list of all jobs. */
export const pendingJson = waitJson.extend({ job: z.string(), role: z.string() });

/** A job in a list: the first of its waits, and what it has used of models, if that is quickly said. */
export const jobWithDetailJson = jobJson.extend({
  waits: z.array(waitJson).optional(),
  usage: z
    .object({ turns: z.int(), inputTokens: z.int(), outputTokens: z.int(), cost: z.number().optional() })
    .optional(),
});

export const jobWithWaitsJson = jobWithDetailJson.omit({ waits: true }).extend({
  waiting: z.array(waitJson),
  awaitsVersion: z.boolean().optional().describe('it could go on, and no process of the version it needs works on it'),
});

export const commitJson = z.object({
  hash: z.string(),
  parent: z.string().nullable(),
  sequence: z.int(),
  time,
  kind: z.string(),
  step: z.int().nullable(),
  storedBytes: z.int(),
});

export const differenceJson = z.object({
  name: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.string().optional(),
  after: z.string().optional(),
});

export const callJson = z
  .object({ id: z.string(), by: z.enum(['program', 'driver']), name: z.string(), state: z.string() })
  .loose();

export const eventJson = z.object({
  job: z.string(),
  kind: z.string(),
  data: z.unknown(),
  time,
  commit: z.string().optional(),
  number: z.int(),
  revision: z.int(),
});

export const stepJson = z
  .object({
    number: z.int(),
    status: z.enum(['done', 'failed', 'suspended', 'queued']),
    value: z.unknown(),
    console: z.array(z.string()),
    error: z.unknown(),
    commit: z.string().optional(),
    waiting: z.array(waitJson),
  })
  .loose();

export const cursor = z.string().max(2000).optional();

/** Which members of which value. */
export const memberQuery = {
  commit: idText.optional(),
  path: z.string().max(4000).optional().describe('names and places as a JSON list, such as ["rooms",0]'),
  offset: queryNumber(0, 1_000_000_000, 0),
  limit: queryNumber(1, 1000, 100),
};

export const membersJson = z.object({
  type: z.string(),
  text: z.string(),
  total: z.int(),
  members: z.array(
    z.object({
      name: z.string(),
      step: z.union([z.string(), z.int()]),
      type: z.string(),
      text: z.string(),
      size: z.int().optional(),
      object: z.string().optional(),
    }),
  ),
});

export const maxText = z.coerce.number().int().min(100).optional().describe('cuts texts that have more characters');

/** Which part of a list. */
export const listQuery = {
  limit: queryNumber(1, 1000, 200),
  cursor,
  order: z.enum(['newest', 'oldest']).default('oldest'),
  text: z.string().min(1).max(200).optional().describe('only items that contain it'),
  maxText,
};

export const listOf = <Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; cursor: z.ZodOptional<z.ZodString> }> =>
  z.object({
    items: z.array(item),
    cursor: z.string().optional().describe('of the next page; a page may be short, or empty, and still have one'),
  });

/** A page of a list as JSON, with long texts cut. */
export function pageJson(
  { items, cursor: next }: ListPage<unknown>,
  max: number | undefined,
): { items: never[]; cursor?: string } {
  const shown = items.map((item) => {
    const json = jsonOf(item);
    return (max === undefined ? json : cutTexts(json, max)) as never;
  });
  return { items: shown, ...(next === undefined ? {} : { cursor: next }) };
}
