// Who works on jobs now, what each process holds, and what waits in the queues.
import type { JSX } from 'preact';
import { get } from '../../api/request.ts';
import { count, duration, plural, shortId } from '../../format.ts';
import { now } from '../../live/clock.ts';
import { useQuery, type Queried } from '../../live/query.ts';
import { Age } from '../../parts/age.tsx';
import { link } from '../../route.ts';
import { Card } from './card.tsx';

interface Lease {
  readonly owner: string;
  readonly job?: string;
  readonly workspace?: string;
  readonly since?: string;
  readonly until: string;
}

interface Queue {
  readonly role: string;
  readonly jobs: number;
  readonly claimed: number;
  readonly oldestMilliseconds?: number;
  readonly waitingMilliseconds?: number;
  readonly versions?: readonly {
    readonly version: string;
    readonly pinned: boolean;
    readonly jobs: number;
    readonly claimed: number;
  }[];
}

const shownLeases = 12;

export interface Workers {
  readonly workers: readonly { readonly owner: string; readonly jobs: number; readonly until: string }[];
}

export function WorkersCard({ workers }: { readonly workers: Queried<Workers> }): JSX.Element {
  return (
    <Card title="Workers" query={workers} none="No process works on jobs now.">
      {workers.data !== undefined && workers.data.workers.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Process</th>
              <th class="number">Jobs</th>
              <th class="number">Lease ends in</th>
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
  );
}

/** Leases end by themselves, which nobody commits: they are asked for now and then. */
export function LeasesCard(): JSX.Element {
  const query = useQuery('leases', (signal) => get<{ leases: Lease[] }>('/leases', undefined, signal), { every: 2000 });
  const leases = query.data?.leases ?? [];
  return (
    <Card title="Leases" query={query} none="No process holds a job or a workspace.">
      {leases.length > 0 && (
        <>
          <table class="table">
            <thead>
              <tr>
                <th>Job or workspace</th>
                <th>Process</th>
                <th class="number">At work for</th>
              </tr>
            </thead>
            <tbody>
              {leases.slice(0, shownLeases).map(({ owner, job, workspace, since, until }) => {
                const isOver = Date.parse(until) <= now.value;
                return (
                  <tr key={`${job ?? ''} ${workspace ?? ''}`}>
                    <td>
                      {job === undefined ? (
                        <span class="soft">workspace {workspace}</span>
                      ) : (
                        <a href={link(['jobs', job])}>{job}</a>
                      )}
                    </td>
                    <td class="mono small" title={owner}>
                      {shortId(owner)}
                    </td>
                    <td class="number soft">
                      {isOver ? <span class="bad-text">ended</span> : since === undefined ? '–' : <Age time={since} />}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {leases.length > shownLeases && <p class="small soft">and {count(leases.length - shownLeases)} more</p>}
        </>
      )}
    </Card>
  );
}

export function QueuesCard(): JSX.Element {
  const queues = useQuery('queues', (signal) => get<{ queues: Queue[] }>('/queues', undefined, signal), {
    when: () => true,
  });
  return (
    <Card title="Queues" query={queues} none="No role has a queue yet.">
      {queues.data !== undefined && queues.data.queues.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Role</th>
              <th class="number">Jobs</th>
              <th class="number">Worked on</th>
              <th class="number">Oldest</th>
              <th class="number" title="How long the first job has waited that no process works on">
                Waits
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.data.queues.map(
              ({ role, jobs, claimed, oldestMilliseconds, waitingMilliseconds, versions = [] }) => (
                <tr key={role}>
                  <td>
                    <a href={link(['jobs'], { role })}>{role}</a>
                    {versions
                      .filter((one) => one.jobs > 0 && one.claimed === 0)
                      .map(({ version, pinned, jobs: waiting }) => (
                        <div key={`${version} ${pinned}`} class="small bad-text">
                          {plural(waiting, 'job')} for version {version}
                          {pinned ? ' and no other' : ' or later'}
                        </div>
                      ))}
                  </td>
                  <td class={jobs === 0 ? 'number faint' : 'number'}>{count(jobs)}</td>
                  <td class={claimed === 0 ? 'number faint' : 'number'}>{count(claimed)}</td>
                  <td class="number soft">{oldestMilliseconds === undefined ? '–' : duration(oldestMilliseconds)}</td>
                  <td class="number soft">{waitingMilliseconds === undefined ? '–' : duration(waitingMilliseconds)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      )}
    </Card>
  );
}
