// The system as a whole: who works, what waits in queues, what models cost, and how the store grows.
import type { JSX } from 'preact';
import { download, get } from '../../api/request.ts';
import type { Counts, Job, JobPage } from '../../api/types.ts';
import { caller } from '../../caller.ts';
import { bytes, cost, count, duration } from '../../format.ts';
import { now } from '../../live/clock.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { short } from '../../parts/value.tsx';
import { link } from '../../route.ts';
import '../../style/system.css';
import { Sparkline } from '../job/sparkline.tsx';
import { Card } from './card.tsx';
import { Schedules } from './schedules.tsx';

interface Queue {
  readonly role: string;
  readonly jobs: number;
  readonly claimed: number;
  readonly oldestMilliseconds?: number;
}

interface System {
  readonly store: Readonly<Record<string, unknown>>;
  readonly sizes: readonly { readonly time: string; readonly bytes: number }[];
  readonly quarantined: readonly Job[];
}

interface Spent {
  readonly role: string;
  readonly model: string;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

interface Day {
  readonly day: string;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly failedJobs: number;
}

const shownDays = 14;

const always = (): boolean => true;

export function SystemScreen(): JSX.Element {
  const workers = useQuery(
    'workers',
    (signal) => get<{ workers: { owner: string; jobs: number; until: string }[] }>('/workers', undefined, signal),
    { every: 1000 },
  );
  const queues = useQuery('queues', (signal) => get<{ queues: Queue[] }>('/queues', undefined, signal), {
    when: always,
  });
  const usage = useQuery(
    'usage',
    (signal) => get<{ usage: Spent[]; days: Day[]; isPartial: boolean }>('/usage', undefined, signal),
    { when: ({ kind }) => kind === 'called' || kind === 'done', calm: 1000 },
  );
  const agents = useQuery('agents', (signal) =>
    get<{ agents: { role: string; description?: string; language?: string }[] }>('/agents', undefined, signal),
  );
  const counts = useQuery('counts', (signal) => get<Counts>('/jobs/counts', undefined, signal), { when: always });
  const failed = useQuery('failed', (signal) => get<JobPage>('/jobs', { outcome: 'failed', limit: 8 }, signal), {
    when: ({ kind }) => kind === 'done',
  });
  const system = useQuery('system', (signal) => get<System>('/system', undefined, signal), { every: 3000 });
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
          <Card title="Workers" query={workers} none="No process works on jobs now.">
            {workers.data !== undefined && workers.data.workers.length > 0 && (
              <table class="table">
                <thead>
                  <tr>
                    <th>Process</th>
                    <th class="number">Jobs</th>
                    <th class="number">Lease ends</th>
                  </tr>
                </thead>
                <tbody>
                  {workers.data.workers.map(({ owner, jobs, until }) => (
                    <tr key={owner}>
                      <td class="mono small">{owner}</td>
                      <td class="number">{jobs}</td>
                      <td class="number soft">{duration(Math.max(0, Date.parse(until) - now.value))}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
          <Card title="Queues" query={queues} none="No role has a queue yet.">
            {queues.data !== undefined && queues.data.queues.length > 0 && (
              <table class="table">
                <thead>
                  <tr>
                    <th>Role</th>
                    <th class="number">Jobs</th>
                    <th class="number">Worked on</th>
                    <th class="number">Oldest</th>
                  </tr>
                </thead>
                <tbody>
                  {queues.data.queues.map(({ role, jobs, claimed, oldestMilliseconds }) => (
                    <tr key={role}>
                      <td>
                        <a href={link(['jobs'], { role })}>{role}</a>
                      </td>
                      <td class="number">{count(jobs)}</td>
                      <td class="number">{count(claimed)}</td>
                      <td class="number soft">
                        {oldestMilliseconds === undefined ? '–' : duration(oldestMilliseconds)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
          <Card title="Models" query={usage} none="No model was asked yet.">
            {usage.data !== undefined && usage.data.usage.length > 0 && (
              <table class="table">
                <thead>
                  <tr>
                    <th>Model</th>
                    <th>Role</th>
                    <th class="number">Turns</th>
                    <th class="number">Tokens</th>
                    <th class="number">Cost</th>
                  </tr>
                </thead>
                <tbody>
                  {usage.data.usage.map((one) => (
                    <tr key={`${one.role} ${one.model}`}>
                      <td>{one.model}</td>
                      <td class="soft">{one.role}</td>
                      <td class="number">{count(one.turns)}</td>
                      <td class="number">{count(one.input + one.output)}</td>
                      <td class="number">{cost(one.cost)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
          <Card title="Models by day" query={usage} none="No model was asked yet.">
            {usage.data !== undefined && usage.data.days.length > 0 && (
              <table class="table">
                <thead>
                  <tr>
                    <th>Day (UTC)</th>
                    <th class="number">Turns</th>
                    <th class="number">Tokens</th>
                    <th class="number">Cost</th>
                    <th class="number">Jobs it failed</th>
                  </tr>
                </thead>
                <tbody>
                  {usage.data.days
                    .slice(-shownDays)
                    .toReversed()
                    .map(({ day, turns, tokens, cost: price, failedJobs }) => (
                      <tr key={day}>
                        <td>{day}</td>
                        <td class="number">{count(turns)}</td>
                        <td class="number">{count(tokens)}</td>
                        <td class="number">{cost(price)}</td>
                        <td class="number">{count(failedJobs)}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
            )}
          </Card>
          <Card title="Failed lately" query={failed} none="No job has failed.">
            {failed.data !== undefined && failed.data.jobs.length > 0 && (
              <ul class="stack">
                {failed.data.jobs.map((job) => (
                  <li key={job.id}>
                    <a href={link(['jobs', job.id])}>{job.id}</a>{' '}
                    <span class="small soft">
                      {job.error?.name}: {job.error?.message.slice(0, 160)}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Card>
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
          <Schedules />
          <Card title="Quarantined" query={system} none="Nothing around a job failed again and again.">
            {system.data !== undefined && system.data.quarantined.length > 0 && (
              <ul class="stack">
                {system.data.quarantined.map((job) => (
                  <li key={job.id}>
                    <a href={link(['jobs', job.id])}>{job.id}</a>{' '}
                    <span class="small soft">{job.error?.message.slice(0, 200)}</span>
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title="Store" query={system} none="">
            {system.data !== undefined && (
              <>
                <Facts facts={system.data.store} />
                <Growth sizes={system.data.sizes} />
              </>
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

/** The size of the store, hour by hour. */
function Growth({ sizes }: { readonly sizes: System['sizes'] }): JSX.Element | null {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || sizes.length < 2) return null;
  const points = sizes.map(({ time, bytes: value }) => ({ sequence: Date.parse(time), value }));
  return (
    <>
      <p class="small soft">
        {bytes(first.bytes)} on {first.time.slice(0, 10)}, {bytes(last.bytes)} on {last.time.slice(0, 10)}
      </p>
      <Sparkline points={points} choose={() => undefined} />
    </>
  );
}

/** What is known of the store: its engine, how far it is, what it can do. */
function Facts({ facts }: { readonly facts: Readonly<Record<string, unknown>> }): JSX.Element {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt class="soft">{name}</dt>
          <dd>{factText(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function factText(name: string, value: unknown): string {
  if (typeof value === 'number') return /bytes|size/i.test(name) ? bytes(value) : count(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : short(value, 300);
}
