// One job, as a debugger shows a program: what it did over time, the code at the chosen moment, its variables, and what to do.
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { at, get } from '../../api/request.ts';
import type { CommitDetails, Job } from '../../api/types.ts';
import { onEvents, onHealed } from '../../live/events.ts';
import { useQuery } from '../../live/query.ts';
import { Outline, Problem } from '../../parts/notices.tsx';
import { place } from '../../route.ts';
import '../../style/job.css';
import { Code } from './code.tsx';
import { Console } from './console.tsx';
import { Head } from './head.tsx';
import { JobTabs } from './job-tabs.tsx';
import { Moments } from './moments.ts';
import { Slider } from './slider.tsx';
import { Timeline } from './timeline.tsx';
import { JobWaits } from './job-waits.tsx';

export function JobScreen(): JSX.Element {
  const id = place.value.path[1] ?? '';
  const moments = useMemo(() => new Moments(id, place.peek().query.get('at') ?? undefined), [id]);
  const job = useQuery(id, (signal) => get<Job>(at`/jobs/${id}`, undefined, signal), {
    when: (event) => event.job === id,
  });
  const commit = moments.commit.value;
  const details = useQuery(
    commit === undefined ? undefined : commit.hash,
    (signal) => get<CommitDetails>(at`/jobs/${id}/commits/${commit?.hash ?? ''}`, undefined, signal),
    { keep: true },
  );
  useEffect(() => {
    const quiet = onEvents((events) => {
      moments.heard(events.filter((event) => event.job === id));
    });
    const unhealed = onHealed(() => void moments.refresh());
    return () => {
      quiet();
      unhealed();
    };
  }, [moments]);
  useEffect(() => {
    document.title = `${id} – Statek`;
    return () => {
      document.title = 'Statek';
    };
  }, [id]);
  if (job.data === undefined)
    return (
      <div class="screen">
        <div class="screen-head">
          <h1 class="cut">{id}</h1>
        </div>
        <div class="screen-body">{job.error === undefined ? <Outline lines={8} /> : <Problem error={job.error} />}</div>
      </div>
    );
  return (
    <div class="screen job">
      <Head job={job.data} moments={moments} reload={job.reload} />
      <JobWaits job={job.data} reload={job.reload} />
      <section class="time" aria-label="Time">
        <Timeline job={job.data} moments={moments} />
        <Slider moments={moments} />
      </section>
      <div class="job-columns">
        <div class="job-left">
          <Code job={job.data} moments={moments} details={details.data} />
          <Console job={job.data} moments={moments} />
        </div>
        <JobTabs job={job.data} moments={moments} details={details.data} />
      </div>
    </div>
  );
}
