// What can be seen of the job at the chosen moment, beside its code.
import type { JSX } from 'preact';
import type { CommitDetails, Job } from '../../api/types.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { adjust, place } from '../../route.ts';
import { Calls } from './calls.tsx';
import { Chat } from './chat.tsx';
import { Events } from './events.tsx';
import type { Moments } from './moments.ts';
import { Variables } from './variables.tsx';
import { Watch } from './watch.tsx';

const tabs = [
  { id: 'variables', title: 'Variables' },
  { id: 'chat', title: 'Chat' },
  { id: 'calls', title: 'Calls' },
  { id: 'events', title: 'Events' },
  { id: 'watch', title: 'Watch and find' },
];

export function JobTabs({
  job,
  moments,
  details,
}: {
  readonly job: Job;
  readonly moments: Moments;
  readonly details: CommitDetails | undefined;
}): JSX.Element {
  const asked = place.value.query.get('tab') ?? 'variables';
  const current = tabs.some(({ id }) => id === asked) ? asked : 'variables';
  return (
    <div class="job-right">
      <Tabs label="What to see" tabs={tabs} current={current} choose={(tab) => adjust({ tab })} />
      <div id={`panel-${current}`} class="tab-panel" role="tabpanel" aria-labelledby={`tab-${current}`}>
        {current === 'variables' && <Variables job={job} moments={moments} details={details} />}
        {current === 'chat' && <Chat job={job} moments={moments} />}
        {current === 'calls' && <Calls job={job} moments={moments} />}
        {current === 'events' && <Events job={job} moments={moments} />}
        {current === 'watch' && <Watch job={job} moments={moments} />}
      </div>
    </div>
  );
}
