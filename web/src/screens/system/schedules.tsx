// Jobs that are submitted at times: when next, and what became of the last.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at as path, get, post } from '../../api/request.ts';
import { may } from '../../caller.ts';
import { count, duration, fullTime } from '../../format.ts';
import { now } from '../../live/clock.ts';
import { useQuery } from '../../live/query.ts';
import { Problem } from '../../parts/notices.tsx';
import { link } from '../../route.ts';
import { Card } from './card.tsx';

interface Schedule {
  readonly name: string;
  readonly role: string;
  readonly timing: {
    readonly cron?: string;
    readonly timeZone?: string;
    readonly every?: number;
    readonly at?: string;
  };
  readonly paused: boolean;
  readonly next?: string;
  readonly last?: { readonly job: string };
  readonly fired: number;
}

/** When it fires, in words. */
function when({ cron, timeZone, every, at }: Schedule['timing']): string {
  if (every !== undefined) return `every ${duration(every)}`;
  if (at !== undefined) return fullTime(at);
  return `${cron ?? ''} ${timeZone ?? ''}`;
}

export function Schedules(): JSX.Element {
  const [failure, setFailure] = useState<Error>();
  const query = useQuery('schedules', (signal) => get<{ schedules: Schedule[] }>('/schedules', undefined, signal), {
    changes: ['schedules'],
  });
  const act = async (name: string, verb: 'pause' | 'resume'): Promise<void> => {
    setFailure(undefined);
    try {
      await post(path`/schedules/${name}/${verb}`);
      query.reload();
    } catch (error) {
      setFailure(error as Error);
    }
  };
  return (
    <Card title="Schedules" query={query} none="No job is submitted by a schedule.">
      {query.data !== undefined && query.data.schedules.length > 0 && (
        <>
          <Problem error={failure} />
          <table class="table">
            <thead>
              <tr>
                <th>Schedule</th>
                <th>When</th>
                <th class="number">Next</th>
                <th class="number">Jobs</th>
                <th>
                  <span class="hidden">Verbs</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {query.data.schedules.map(({ name, role, timing, paused, next, last, fired }) => (
                <tr key={name}>
                  <td>
                    {name} <span class="small soft">{role}</span>
                  </td>
                  <td class="small soft">{when(timing)}</td>
                  <td class="number">
                    {paused ? 'paused' : next === undefined ? '–' : duration(Math.max(0, Date.parse(next) - now.value))}
                  </td>
                  <td class="number">
                    {last === undefined ? count(fired) : <a href={link(['jobs', last.job])}>{count(fired)}</a>}
                  </td>
                  <td class="number">
                    {may('control') && (
                      <button
                        class="button quiet compact"
                        type="button"
                        onClick={() => void act(name, paused ? 'resume' : 'pause')}
                      >
                        {paused ? 'Resume' : 'Pause'}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Card>
  );
}
