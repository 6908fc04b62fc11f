// All jobs: counts, filters, the list, and what can be done with many at once.
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { get } from '../../api/request.ts';
import type { Counts } from '../../api/types.ts';
import { may } from '../../caller.ts';
import { onEvents, onHealed, onNotices } from '../../live/events.ts';
import { useQuery } from '../../live/query.ts';
import { place } from '../../route.ts';
import { Bulk } from './bulk.tsx';
import { filterOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { JobList } from './job-list.ts';
import { JobTable } from './job-table.tsx';

const changesCounts = new Set(['submitted', 'started', 'suspended', 'done', 'reopened', 'slice', 'retry']);

export function JobsScreen(): JSX.Element {
  const { query } = place.value;
  const filter = filterOf(query);
  const key = JSON.stringify(filter);
  const list = useMemo(() => new JobList(filter), [key]);
  useEffect(() => {
    const quiet = onEvents((events) => list.heard(events));
    const unnoticed = onNotices((notices) =>
      list.deleted(notices.flatMap((notice) => (notice.kind === 'deleted' ? [notice.job] : []))),
    );
    const unhealed = onHealed(() => list.healed());
    return () => {
      quiet();
      unnoticed();
      unhealed();
      list.close();
    };
  }, [list]);
  const { role, label } = filter;
  const counts = useQuery(
    `counts ${role ?? ''} ${label ?? ''}`,
    (signal) => get<Counts>('/jobs/counts', { role, label }, signal),
    { when: ({ kind }) => changesCounts.has(kind), changes: ['deleted'], keep: true },
  );
  return (
    <div class="screen">
      <Filters filter={filter} counts={counts.data} />
      <JobTable list={list} />
      {may('control') && <Bulk filter={filter} />}
    </div>
  );
}
