// Two jobs side by side: where they part, and what differs since.
import type { JSX } from 'preact';
import { get, isUnknownRoute } from '../../api/request.ts';
import type { Call, ChatItem, Job, Usage } from '../../api/types.ts';
import { clockTime, cost, count, plural } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { StatusMark } from '../../parts/status.tsx';
import { short } from '../../parts/value.tsx';
import { link, place } from '../../route.ts';
import '../../style/compare.css';

interface Parted<Item> {
  readonly shared: number;
  readonly a: readonly Item[];
  readonly b: readonly Item[];
}

interface Comparison {
  readonly a: Job;
  readonly b: Job;
  readonly base?: string;
  readonly variables: readonly {
    readonly name: string;
    readonly change: string;
    readonly a?: unknown;
    readonly b?: unknown;
  }[];
  readonly chat: Parted<ChatItem>;
  readonly calls: Parted<Call>;
  readonly usage: { readonly a: Usage; readonly b: Usage };
}

export function CompareScreen(): JSX.Element {
  const { query } = place.value;
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  const { data, error } = useQuery(`${a} ${b}`, (signal) => get<Comparison>('/compare', { a, b }, signal), {
    when: (event) => event.job === a || event.job === b,
    keep: true,
  });
  return (
    <div class="screen">
      <div class="screen-head">
        <h1>Compare</h1>
        {data?.base !== undefined && (
          <span class="soft">
            the same up to{' '}
            <a href={link(['jobs', data.a.id], { at: data.base })} class="mono">
              {data.base.slice(0, 8)}
            </a>
          </span>
        )}
      </div>
      <div class="screen-body" tabIndex={0} role="region" aria-label="Comparison">
        {error !== undefined &&
          (isUnknownRoute(error) ? <Empty title="This server cannot compare jobs" /> : <Problem error={error} />)}
        {data === undefined && error === undefined && <Outline lines={8} />}
        {data !== undefined && <Sides data={data} />}
      </div>
    </div>
  );
}

function Sides({ data }: { readonly data: Comparison }): JSX.Element {
  return (
    <div class="stack compare">
      <div class="sides">
        <JobHead job={data.a} usage={data.usage.a} />
        <JobHead job={data.b} usage={data.usage.b} />
      </div>
      <section class="card">
        <h2 class="card-head">
          Variables <span class="soft">· {plural(data.variables.length, 'difference')}</span>
        </h2>
        {data.variables.length === 0 && <p class="card-body faint">No variable differs.</p>}
        {data.variables.map(({ name, change, a, b }) => (
          <div key={name} class="sides variable">
            <div>
              <b class="mono">{name}</b> <span class="small faint">{change}</span>
              <pre>{a === undefined ? 'not there' : text(a)}</pre>
            </div>
            <div>
              <span class="small faint">&nbsp;</span>
              <pre>{b === undefined ? 'not there' : text(b)}</pre>
            </div>
          </div>
        ))}
      </section>
      <section class="card">
        <h2 class="card-head">
          Chat <span class="soft">· {data.chat.shared} items in common</span>
        </h2>
        <div class="sides card-body">
          <Items items={data.chat.a} />
          <Items items={data.chat.b} />
        </div>
      </section>
      <section class="card">
        <h2 class="card-head">
          Calls <span class="soft">· {data.calls.shared} in common</span>
        </h2>
        <div class="sides card-body">
          <CallList calls={data.calls.a} />
          <CallList calls={data.calls.b} />
        </div>
      </section>
    </div>
  );
}

function JobHead({ job, usage }: { readonly job: Job; readonly usage: Usage }): JSX.Element {
  const { input, output } = usage.tokens;
  return (
    <div class="card card-body stack">
      <div class="row">
        <a class="cut" href={link(['jobs', job.id])}>
          <b>{job.id}</b>
        </a>
        <span class="grow" />
        <StatusMark job={job} />
      </div>
      <span class="small soft">
        {job.role} · {plural(usage.turns.length, 'turn')} · {count(input + output)} tokens
        {usage.cost > 0 && ` · ${cost(usage.cost)}`}
      </span>
      {job.error !== undefined && <span class="small">{job.error.message}</span>}
    </div>
  );
}

function Items({ items }: { readonly items: readonly ChatItem[] }): JSX.Element {
  if (items.length === 0) return <p class="faint">Nothing more.</p>;
  return (
    <ul class="stack">
      {items.map((item) => (
        <li key={item.number} class="compare-item">
          <span class="small soft">
            {item.kind} {item.turn ?? item.step} · {clockTime(item.time)}
          </span>
          <pre>{itemText(item)}</pre>
        </li>
      ))}
    </ul>
  );
}

function CallList({ calls }: { readonly calls: readonly Call[] }): JSX.Element {
  if (calls.length === 0) return <p class="faint">No more calls.</p>;
  return (
    <ul class="stack">
      {calls.map((call) => (
        <li key={call.id} class="row">
          <span class="mono cut grow">{call.name}</span>
          <span class="small soft">{call.state}</span>
        </li>
      ))}
    </ul>
  );
}

function itemText({ message, text: said, console: lines = [], value, error, exit, output }: ChatItem): string {
  const reply =
    message === undefined
      ? undefined
      : typeof message.content === 'string'
        ? message.content
        : message.content.map((part) => part.text ?? short(part, 200)).join('\n');
  const parts = [reply, said, lines.join('\n'), value, error && `${error.name}: ${error.message}`, exit, output];
  return parts
    .filter((part) => part !== undefined && part !== '')
    .join('\n')
    .slice(0, 4000);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
