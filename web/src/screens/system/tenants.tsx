// Tenants: what the jobs of each may use together, and what they use.
import type { JSX } from 'preact';
import { get } from '../../api/request.ts';
import { bytes, cost, count } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { link } from '../../route.ts';
import { Card } from './card.tsx';

interface Tenant {
  readonly name: string;
  readonly limits: {
    readonly jobsAtOnce?: number;
    readonly tokensPerDay?: number;
    readonly costPerDay?: number;
    readonly bytes?: number;
  };
  /** That of `*` is no tenant's. */
  readonly usage?: {
    readonly jobsAtOnce: number;
    readonly tokens: number;
    readonly cost: number;
    readonly bytes: number;
  };
}

interface TenantPage {
  readonly tenants: readonly Tenant[];
  readonly cursor?: string;
}

const shownTenants = 50;

export function TenantsCard(): JSX.Element {
  const query = useQuery(
    'tenants',
    (signal) => get<TenantPage>('/tenants', { limit: shownTenants }, signal),
    // Slots are taken and given back without an event.
    { changes: ['tenants'], every: 5000 },
  );
  const { tenants = [], cursor } = query.data ?? {};
  return (
    <Card title="Tenants" query={query} none="No job has a label tenant:….">
      {tenants.length > 0 && (
        <>
          <table class="table">
            <thead>
              <tr>
                <th>Tenant</th>
                <th class="number">At work</th>
                <th class="number">Tokens today</th>
                <th class="number">Cost today</th>
                <th class="number">Histories</th>
              </tr>
            </thead>
            <tbody>
              {tenants.map(({ name, limits, usage }) => (
                <tr key={name}>
                  <td>
                    {usage === undefined ? (
                      <span class="soft">all without limits of their own</span>
                    ) : (
                      <a href={link(['jobs'], { label: `tenant:${name}` })}>{name}</a>
                    )}
                  </td>
                  <Use used={usage?.jobsAtOnce} limit={limits.jobsAtOnce} text={count} />
                  <Use used={usage?.tokens} limit={limits.tokensPerDay} text={count} />
                  <Use used={usage?.cost} limit={limits.costPerDay} text={(value) => cost(value) || '$0'} />
                  <Use used={usage?.bytes} limit={limits.bytes} text={bytes} />
                </tr>
              ))}
            </tbody>
          </table>
          {cursor !== undefined && <p class="small soft">The first {count(shownTenants)} by name.</p>}
        </>
      )}
    </Card>
  );
}

/** What is used, and of how much. */
function Use({
  used,
  limit,
  text,
}: {
  readonly used: number | undefined;
  readonly limit: number | undefined;
  readonly text: (value: number) => string;
}): JSX.Element {
  const isReached = used !== undefined && limit !== undefined && used >= limit;
  return (
    <td class="number">
      {used !== undefined && <span class={isReached ? 'bad-text' : undefined}>{text(used)}</span>}
      {limit !== undefined && (
        <span class="soft">
          {used === undefined ? 'at most ' : ' of '}
          {text(limit)}
        </span>
      )}
    </td>
  );
}
