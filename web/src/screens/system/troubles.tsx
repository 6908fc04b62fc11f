// What went wrong lately: jobs that failed, processes that died, jobs that were quarantined.
import type { JSX } from 'preact';
import { get } from '../../api/request.ts';
import type { JobPage } from '../../api/types.ts';
import { useQuery, type Queried } from '../../live/query.ts';
import { Age } from '../../parts/age.tsx';
import { link } from '../../route.ts';
import { Card } from './card.tsx';
import type { System } from './system-screen.tsx';

const shown = 8;

export function FailedCard(): JSX.Element {
  const failed = useQuery('failed', (signal) => get<JobPage>('/jobs', { outcome: 'failed', limit: shown }, signal), {
    when: ({ kind }) => kind === 'done',
    changes: ['deleted'],
  });
  return (
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
  );
}

export function CrashesCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  const crashes = system.data?.crashes ?? [];
  return (
    <Card title="Crashes" query={system} none="No process has died over a job in the last four weeks.">
      {crashes.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th>Job</th>
              <th class="number">In a row</th>
              <th class="number">When</th>
            </tr>
          </thead>
          <tbody>
            {crashes.slice(0, shown).map(({ job, time, times }) => (
              <tr key={`${job} ${time}`}>
                <td>
                  <a href={link(['jobs', job])}>{job}</a>
                </td>
                <td class="number">{times}</td>
                <td class="number soft">
                  <Age time={time} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

export function QuarantinedCard({ system }: { readonly system: Queried<System> }): JSX.Element {
  return (
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
  );
}
