// The system as a whole: who works, what waits, what it costs, what failed, how the store grows.
import type { JSX } from 'preact';
import { download, get } from '../../api/request.ts';
import type { Counts, Job } from '../../api/types.ts';
import { caller } from '../../caller.ts';
import { cost, count } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { link } from '../../route.ts';
import '../../style/system.css';
import { Card } from './card.tsx';
import { DaysCard, ModelsCard, type Usage } from './models.tsx';
import { Schedules } from './schedules.tsx';
import { RetentionCard, StoreCard } from './store.tsx';
import { TenantsCard } from './tenants.tsx';
import { HotObjectsCard, SlowSlicesCard } from './contention.tsx';
import { CrashesCard, FailedCard, QuarantinedCard } from './troubles.tsx';
import { LeasesCard, QueuesCard, WorkersCard, type Workers } from './workers.tsx';

export interface System {
  readonly store: Readonly<Record<string, unknown>>;
  readonly sizes: readonly { readonly time: string; readonly bytes: number }[];
  readonly retention: {
    readonly policy: string | Readonly<Record<string, unknown>>;
    readonly last?: string;
    readonly removed?: { readonly commitsDropped: number; readonly rowsRemoved: number; readonly bytesFreed: number };
  };
  readonly crashes: readonly { readonly job: string; readonly time: string; readonly times: number }[];
  readonly slowSlices: readonly {
    readonly job: string;
    readonly step: number;
    readonly commit: string;
    readonly milliseconds: number;
    readonly time: string;
  }[];
  readonly hotObjects: readonly { readonly id: string; readonly type?: string; readonly conflicts: number }[];
  readonly quarantined: readonly Job[];
}

const troubles = new Set(['done', 'crashed', 'mishap']);

export function SystemScreen(): JSX.Element {
  // Leases and the size of the store change without anybody committing so.
  const workers = useQuery('workers', (signal) => get<Workers>('/workers', undefined, signal), { every: 2000 });
  const system = useQuery('system', (signal) => get<System>('/system', undefined, signal), {
    when: ({ kind }) => troubles.has(kind),
    changes: ['deleted'],
    calm: 300,
    every: 10_000,
  });
  const usage = useQuery('usage', (signal) => get<Usage>('/usage', undefined, signal), {
    when: ({ kind }) => kind === 'called' || kind === 'done',
    calm: 1000,
  });
  const agents = useQuery('agents', (signal) =>
    get<{ agents: { role: string; description?: string; language?: string }[] }>('/agents', undefined, signal),
  );
  const counts = useQuery('counts', (signal) => get<Counts>('/jobs/counts', undefined, signal), {
    when: () => true,
    changes: ['deleted'],
  });
  const all = Object.values(counts.data?.statuses ?? {}).reduce((sum, number) => sum + number, 0);
  return (
    <div class="screen">
      <div class="screen-head">
        <h1>System</h1>
        <span class="soft">Statek {caller.value?.version}</span>
        <span class="grow" />
        <button class="button compact" type="button" onClick={() => void download('/metrics', 'metrics.txt')}>
          <Icon name="download" /> Metrics
        </button>
      </div>
      <div class="screen-body" tabIndex={0} role="region" aria-label="System">
        <div class="figures">
          <Figure word="jobs" value={counts.data && count(all)} />
          <Figure word="running" value={counts.data && count(counts.data.statuses.STARTED ?? 0)} />
          <Figure word="waiting" value={counts.data && count(counts.data.statuses.SUSPENDED ?? 0)} />
          <Figure word="failed" value={counts.data && count(counts.data.outcomes.failed ?? 0)} />
          <Figure word="workers" value={workers.data && count(workers.data.workers.length)} />
          <Figure
            word={usage.data?.isPartial === true ? 'for models, at least' : 'for models'}
            value={usage.data && (cost(usage.data.usage.reduce((sum, one) => sum + one.cost, 0)) || '$0')}
          />
        </div>
        <div class="cards">
          <WorkersCard workers={workers} />
          <LeasesCard />
          <QueuesCard />
          <FailedCard />
          <CrashesCard system={system} />
          <QuarantinedCard system={system} />
          <SlowSlicesCard system={system} />
          <HotObjectsCard system={system} />
          <ModelsCard usage={usage} />
          <DaysCard usage={usage} />
          <Schedules />
          <TenantsCard />
          <StoreCard system={system} />
          <RetentionCard system={system} />
          <Card title="Agents" query={agents} none="This process has no agents.">
            {agents.data !== undefined && agents.data.agents.length > 0 && (
              <ul class="stack">
                {agents.data.agents.map(({ role, description, language }) => (
                  <li key={role}>
                    <a href={link(['jobs'], { role })}>{role}</a> <span class="chip">{language}</span>{' '}
                    <span class="small soft">{description}</span>
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </div>
      </div>
    </div>
  );
}

function Figure({ word, value }: { readonly word: string; readonly value: string | undefined }): JSX.Element {
  return (
    <div class="figure">
      <b>{value ?? '–'}</b>
      <span class="soft small">{word}</span>
    </div>
  );
}
