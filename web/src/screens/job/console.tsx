// What the program had printed by the chosen moment: the latest lines first in sight, earlier ones on demand.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { at, everything, latest } from '../../api/request.ts';
import type { Job } from '../../api/types.ts';
import { countOf } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Problem } from '../../parts/notices.tsx';
import { Earlier, PanelTools } from './panel-tools.tsx';
import type { Moments } from './moments.ts';

const page = 200;

export function Console({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const commit = moments.commit.value?.hash;
  const [lines, setLines] = useState(page);
  const [text, setText] = useState('');
  const path = at`/jobs/${job.id}/console`;
  const { data, error } = useQuery(
    `${job.id} ${commit ?? ''} ${lines} ${text}`,
    (signal) => latest<string>(path, { commit, text, maxText: 20_000, limit: lines }, signal),
    { keep: true, when: (event) => event.job === job.id && event.commit !== undefined && commit === undefined },
  );
  const body = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    // Whoever reads the end goes on reading it; whoever scrolled up stays there.
    if (body.current !== null && wasAtEnd.current) body.current.scrollTop = body.current.scrollHeight;
  }, [data]);
  return (
    <section class="panel console-panel" aria-label="Console">
      <div class="panel-head">
        <h2>Console</h2>
        {data !== undefined && <span class="soft">{countOf(data)}</span>}
        <span class="grow" />
        <PanelTools
          name={`${job.id} console.txt`}
          search={setText}
          all={async () => (await everything<string>(path, { commit })).join('\n')}
        />
      </div>
      <div
        ref={body}
        class="panel-body console"
        tabIndex={0}
        role="log"
        aria-label="Lines"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          wasAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        <Problem error={error} />
        {data?.isMore === true && <Earlier limit={lines} more={setLines} />}
        {data?.items.map((line, index) => (
          <pre key={index}>{line}</pre>
        ))}
        {data?.items.length === 0 && (
          <p class="faint">{text === '' ? 'Nothing was printed.' : 'No line has this text.'}</p>
        )}
      </div>
    </section>
  );
}
