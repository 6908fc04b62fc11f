// Durable objects: classes, instances, one object with its references and its history.
import { z } from 'zod';
import { NotFoundError } from '../../../workspace/door.ts';
import { idText, queryNumber, route, type Route } from '../route.ts';
import { cursor } from '../shapes.ts';

const revision = z.coerce.number().int().min(0).optional();
const space = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/)
  .default('default');
const objectJson = z
  .object({ id: z.string(), type: z.string(), fields: z.record(z.string(), z.unknown()), revision: z.int() })
  .loose();

export const objectRoutes = [
  route('GET', '/objects', {
    summary: 'The classes that have instances in a space.',
    right: 'read',
    query: { space },
    answer: z.object({ classes: z.array(z.string()) }),
    handle: async ({ access, query }) => ({ classes: [...(await access.kit('read').objects.classes(query.space))] }),
  }),
  route('GET', '/objects/classes/{type}', {
    summary: 'Instances of a class, page by page; with `tag`, those that have it.',
    right: 'read',
    path: { type: idText },
    query: {
      space,
      tag: z.string().min(1).max(200).optional(),
      limit: queryNumber(1, 1000, 100),
      cursor,
      at: revision,
    },
    answer: z.object({ objects: z.array(objectJson), cursor: z.string().optional() }),
    async handle({ access, path: { type }, query }) {
      const page = await access.kit('read').objects.instances(type, query);
      return { objects: page.objects.map((object) => ({ ...object })), cursor: page.cursor };
    },
  }),
  route('GET', '/objects/{id}', {
    summary: 'An object with its fields, now or at a revision.',
    right: 'read',
    path: { id: idText },
    query: { at: revision },
    answer: objectJson,
    async handle({ access, path: { id }, query: { at } }) {
      const object = await access.kit('read').objects.object(id, { at });
      if (object === undefined) throw new NotFoundError(`There is no object '${id}'.`, { id });
      return { ...object };
    },
  }),
  route('GET', '/objects/{id}/referrers', {
    summary: 'What refers to an object.',
    right: 'read',
    path: { id: idText },
    answer: z.object({ referrers: z.array(z.object({ id: z.string() }).loose()), isPartial: z.boolean() }),
    async handle({ access, path: { id } }) {
      const { referrers, isPartial } = await access.kit('read').objects.referrers(id);
      return { referrers: referrers.map((referrer) => ({ ...referrer })), isPartial };
    },
  }),
  route('GET', '/objects/{id}/history', {
    summary: 'What an object was, newest first, and which job and commit wrote each version.',
    right: 'read',
    path: { id: idText },
    query: { limit: queryNumber(1, 500, 50) },
    answer: z.object({ versions: z.array(z.object({ object: objectJson }).loose()), isMore: z.boolean() }),
    async handle({ access, path: { id }, query: { limit } }) {
      const versions: { object: z.input<typeof objectJson> }[] = [];
      for await (const { object, by } of access.kit('read').objectHistory(id)) {
        if (versions.length >= limit) return { versions, isMore: true };
        versions.push({ object: { ...object }, ...(by === undefined ? {} : { by }) });
      }
      return { versions, isMore: false };
    },
  }),
] satisfies readonly Route[];
