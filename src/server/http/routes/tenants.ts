// Tenants: what the jobs with a label `tenant:…` may use together, and what they use.
import { z } from 'zod';
import type { TenantState } from '../../../jobs/door.ts';
import { jsonOf } from '../../json/values.ts';
import { cursor } from '../shapes.ts';
import { queryNumber, route, type Route } from '../route.ts';

const path = { tenant: z.string().min(1).max(100) };

const limitShapes = {
  jobsAtOnce: z.int().min(1).max(100_000).optional().describe('jobs that are worked on at once; others wait'),
  tokensPerDay: z.int().min(0).optional().describe('tokens of models in a day (UTC); then jobs wait for the next one'),
  costPerDay: z.number().min(0).optional().describe('US dollars for models in a day (UTC)'),
  bytes: z.int().min(0).optional().describe('what the histories of its programs take; then no more jobs are accepted'),
};

const tenantJson = z.object({
  name: z.string(),
  limits: z.object(limitShapes).describe('its own, or those of `*`, for tenants that have none'),
  usage: z
    .object({ jobsAtOnce: z.int(), tokens: z.int(), cost: z.number(), bytes: z.int() })
    .optional()
    .describe('jobs at work now, tokens and US dollars of today (UTC), bytes of its histories; `*` has none'),
});

const shape = (state: TenantState): never => jsonOf({ ...state }) as never;

export const tenantRoutes = [
  route('GET', '/tenants', {
    summary: 'Tenants that have limits or jobs, by name, with what they may use and what they use.',
    right: 'read',
    query: { limit: queryNumber(1, 1000, 100), cursor },
    answer: z.object({ tenants: z.array(tenantJson), cursor: z.string().optional() }),
    async handle({ access, query }) {
      const { tenants, cursor: next } = await access.kit('read').tenants.list(query);
      return { tenants: tenants.map(shape), ...(next === undefined ? {} : { cursor: next }) };
    },
  }),
  route('GET', '/tenants/{tenant}', {
    summary: 'What a tenant may use and what it uses. Callers with the label of the tenant may ask, too.',
    right: 'read',
    path,
    answer: tenantJson,
    handle: async ({ access, path: { tenant } }) => shape(await access.tenant(tenant)),
  }),
  route('PUT', '/tenants/{tenant}', {
    summary:
      'Sets all limits of a tenant at once; what is left out is not limited. `*` is for tenants without limits of their own.',
    right: 'admin',
    path,
    body: z.strictObject(limitShapes),
    answer: tenantJson,
    async handle({ access, path: { tenant }, body }) {
      await access.kit('admin').tenants.limit(tenant, body);
      return shape(await access.tenant(tenant));
    },
  }),
  route('DELETE', '/tenants/{tenant}', {
    summary: 'Takes the limits of a tenant away; its jobs stay, and those of `*` hold for them.',
    right: 'admin',
    path,
    answer: z.object({ unlimited: z.string() }),
    async handle({ access, path: { tenant } }) {
      await access.kit('admin').tenants.limit(tenant, {});
      return { unlimited: tenant };
    },
  }),
] satisfies readonly Route[];
