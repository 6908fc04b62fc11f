// Calls of tools and models up to the chosen moment; an opened one shows what it was given and what came of it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, everything, get, latest } from '../../api/request.ts';
import type { Call, Job } from '../../api/types.ts';
import { clockTime, pluralOf, duration } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Outline, Problem } from '../../parts/notices.tsx';
import { Whole } from '../../parts/value.tsx';
import { Earlier, PanelTools } from './panel-tools.tsx';
import type { Moments } from './moments.ts';

const looks: Readonly<Record<Call['state'], readonly [string, IconName, string]>> = {
  waiting: ['ready', 'circle', 'waits'],
  approval: ['waiting', 'hourglass', 'needs consent'],
  started: ['running', 'play', 'running'],
  done: ['completed', 'check', 'done'],
  failed: ['failed', 'cross', 'failed'],
  cancelled: ['cancelled', 'cancel', 'cancelled'],
};

export function Calls({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(100);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const path = at`/jobs/${job.id}/calls`;
  const commit = moments.isLatest.value ? undefined : moments.commit.value;
  const { data, error } = useQuery(
    `${job.id} calls ${text} ${limit} ${commit?.hash ?? ''}`,
    (signal) => latest<Call>(path, { text, commit: commit?.hash, limit }, signal),
    { when: (event) => event.job === job.id && commit === undefined, keep: true },
  );
  const toggle = (id: string): void => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  return (
    <div class="tab-fill">
      <div class="row small tab-tools">
        <span class="soft">{data === undefined ? '' : pluralOf(data, 'call')}</span>
        <span class="grow" />
        <PanelTools
          name={`${job.id} calls.json`}
          search={setText}
          all={async () => JSON.stringify(await everything<Call>(path), null, 2)}
        />
      </div>
      <div class="tab-scroll" tabIndex={0} role="region" aria-label="Calls">
        <Problem error={error} />
        {data === undefined && error === undefined && <Outline />}
        {data?.items.length === 0 && <p class="faint">No calls.</p>}
        {data?.isMore === true && <Earlier limit={limit} more={setLimit} />}
        {data?.items.map((call) => (
          <CallItem key={call.id} job={job.id} call={call} isOpen={open.has(call.id)} toggle={() => toggle(call.id)} />
        ))}
      </div>
    </div>
  );
}

function CallItem({
  job,
  call,
  isOpen,
  toggle,
}: {
  readonly job: string;
  readonly call: Call;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}): JSX.Element {
  const [state, icon, word] = looks[call.state];
  return (
    <article class="call">
      <button class="call-line" type="button" aria-expanded={isOpen} onClick={toggle}>
        <span class="branch">
          <Icon name="right" />
        </span>
        <span class="status" data-state={state} title={word}>
          <Icon name={icon} />
          <span class="hidden">{word}</span>
        </span>
        <span class="mono cut grow">{call.name}</span>
        {call.attempts.length > 1 && <span class="chip">{call.attempts.length} tries</span>}
        {call.cached && <span class="chip">cached</span>}
        <span class="small soft">{call.duration === undefined ? '' : duration(call.duration)}</span>
        <span class="small faint">{clockTime(call.created)}</span>
      </button>
      {isOpen && <CallDetails job={job} call={call} />}
    </article>
  );
}

function CallDetails({ job, call }: { readonly job: string; readonly call: Call }): JSX.Element {
  const { data, error } = useQuery(
    `${job} call ${call.id}`,
    (signal) => get<Call>(at`/jobs/${job}/calls/${call.id}`, { maxText: 20_000 }, signal),
    { when: (event) => event.job === job && call.ended === undefined },
  );
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <Outline />;
  const { decision } = data;
  return (
    <dl class="call-details">
      <dt>Given</dt>
      <dd>
        <Whole value={data.input} />
      </dd>
      <dt>{call.state === 'failed' ? 'Error' : 'Returned'}</dt>
      <dd>{call.ended === undefined ? <span class="faint">not yet</span> : <Whole value={data.output} />}</dd>
      <dt>Tries</dt>
      <dd>
        {data.attempts.map((attempt, index) => (
          <div key={index}>
            {clockTime(attempt.started)}{' '}
            {attempt.ended === undefined ? (
              <span class="faint">{index + 1 < data.attempts.length ? 'no word of its end' : 'goes on'}</span>
            ) : (
              duration(attempt.ended - attempt.started)
            )}{' '}
            {attempt.error !== undefined && <span class="bad-text">{attempt.error}</span>}
          </div>
        ))}
      </dd>
      {call.by === 'program' && !call.id.startsWith('slice ') && (
        <>
          <dt>Key</dt>
          <dd class="mono">{data.idempotencyKey ?? call.id}</dd>
        </>
      )}
      {decision !== undefined && (
        <>
          <dt>Decision</dt>
          <dd>
            {decision.approved ? 'approved' : 'denied'}
            {decision.by !== undefined && ` by ${decision.by}`}
            {decision.comment !== undefined && `: ${decision.comment}`}
          </dd>
        </>
      )}
    </dl>
  );
}
