// Everything that happened to the job, the latest last.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, everything, latest } from '../../api/request.ts';
import type { Job, JobEvent } from '../../api/types.ts';
import { clockTime, pluralOf } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Outline, Problem } from '../../parts/notices.tsx';
import { short } from '../../parts/value.tsx';
import { Earlier, PanelTools } from './panel-tools.tsx';
import type { Moments } from './moments.ts';

export function Events({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(200);
  const path = at`/jobs/${job.id}/events`;
  const { data, error } = useQuery(
    `${job.id} events ${text} ${limit}`,
    (signal) => latest<JobEvent>(path, { text, maxText: 2000, limit }, signal),
    { when: (event) => event.job === job.id, keep: true },
  );
  return (
    <div class="tab-fill">
      <div class="row small tab-tools">
        <span class="soft">{data === undefined ? '' : pluralOf(data, 'event')}</span>
        <span class="grow" />
        <PanelTools
          name={`${job.id} events.json`}
          search={setText}
          all={async () => JSON.stringify(await everything<JobEvent>(path), null, 2)}
        />
      </div>
      <div class="tab-scroll" tabIndex={0} role="region" aria-label="Events">
        <Problem error={error} />
        {data === undefined && error === undefined && <Outline />}
        {data?.isMore === true && <Earlier limit={limit} more={setLimit} />}
        <ul class="events">
          {data?.items.map((event, index) => (
            <li key={`${event.number} ${index}`} data-kind={event.kind}>
              <span class="small faint">{clockTime(event.time)}</span>
              <b>{event.kind}</b>
              <span class="mono small soft cut grow">{event.data === null ? '' : short(event.data, 200)}</span>
              {event.commit !== undefined && (
                <button
                  class="button quiet compact"
                  type="button"
                  title="Show this moment"
                  onClick={() => void moments.chooseHash(event.commit ?? '')}
                >
                  {event.commit.slice(0, 8)}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
