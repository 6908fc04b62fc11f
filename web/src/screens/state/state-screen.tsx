// What the state facade has: keys, workflows, teams and queues, knowledge, tools, sessions. Its records are shown as they come.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { at, get, isUnknownRoute } from '../../api/request.ts';
import { useQuery, type QueryOptions } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Whole } from '../../parts/value.tsx';
import { adjust, go, place } from '../../route.ts';
import '../../style/state.css';
import { Records } from './records.tsx';

const views = [
  { id: 'keys', title: 'Keys', one: true },
  { id: 'workflows', title: 'Workflows', one: true },
  { id: 'teams', title: 'Teams and queues', one: true },
  { id: 'knowledge', title: 'Knowledge', one: true },
  { id: 'tools', title: 'Tools', one: false },
  { id: 'speech', title: 'Speech', one: true },
] as const;

type View = (typeof views)[number]['id'];

export function StateScreen(): JSX.Element {
  const { path, query } = place.value;
  const view = views.find(({ id }) => id === path[1]) ?? views[0];
  const selected = query.get('id') ?? undefined;
  const prefix = query.get('prefix') ?? '';
  const [cursors, setCursors] = useState<readonly string[]>([]);
  useEffect(() => setCursors([]), [view.id, prefix]);
  const cursor = cursors.at(-1);
  const list = useQuery(
    `${view.id} ${prefix} ${cursor ?? ''}`,
    (signal) =>
      get<Record<string, unknown>>(
        at`/state/${view.id}`,
        { ...(view.id === 'tools' ? {} : { cursor }), ...(view.id === 'keys' ? { prefix } : {}) },
        signal,
      ),
    freshness(view.id),
  );
  const next = list.data?.['cursor'];
  return (
    <div class="screen">
      <div class="screen-head">
        <h1>State</h1>
        <span class="grow" />
        {view.id === 'keys' && (
          <>
            <label class="hidden" for="prefix">
              Keys that begin with
            </label>
            <input
              id="prefix"
              class="field search"
              type="search"
              placeholder="Keys that begin with"
              value={prefix}
              onChange={({ currentTarget: { value } }) => adjust({ prefix: value })}
            />
          </>
        )}
      </div>
      <Tabs label="Parts of the state" tabs={views} current={view.id} choose={(id) => go(['state', id])} />
      <div
        id={`panel-${view.id}`}
        class="screen-body state-body"
        role="tabpanel"
        tabIndex={0}
        aria-labelledby={`tab-${view.id}`}
      >
        {list.error !== undefined &&
          (isUnknownRoute(list.error) ? (
            <Empty title="Not on this server">It does not offer this part of the state.</Empty>
          ) : (
            <Problem error={list.error} />
          ))}
        {list.data === undefined && list.error === undefined && <Outline lines={6} />}
        {(cursors.length > 0 || typeof next === 'string') && (
          <div class="row">
            <button
              class="button compact"
              type="button"
              disabled={cursors.length === 0}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              <Icon name="left" /> Page before
            </button>
            <button
              class="button compact"
              type="button"
              disabled={typeof next !== 'string'}
              onClick={() => typeof next === 'string' && setCursors([...cursors, next])}
            >
              Next page <Icon name="right" />
            </button>
          </div>
        )}
        {list.data !== undefined && (
          <Records
            answer={list.data}
            selected={selected}
            choose={view.one ? (id) => adjust({ id: id === selected ? undefined : id }) : undefined}
            details={(id) => <Details view={view.id} id={id} />}
          />
        )}
      </div>
    </div>
  );
}

/** When the answers of a view become old. */
function freshness(view: View): QueryOptions {
  return {
    changes: [view],
    // Jobs are workflows, too.
    ...(view === 'workflows' ? { when: () => true } : {}),
    // That a member of a team was not heard of is written by nobody.
    ...(view === 'teams' ? { every: 10_000 } : {}),
  };
}

function Details({ view, id }: { readonly view: View; readonly id: string }): JSX.Element {
  const { data, error } = useQuery(
    `${view} ${id}`,
    (signal) => get<unknown>(at`/state/${view}/${id}`, undefined, signal),
    freshness(view),
  );
  if (error !== undefined) return <Problem error={error} />;
  return data === undefined ? <Outline lines={3} /> : <Whole value={data} />;
}
