// Where one can go, how many things wait for a person, and whether the page is live.
import type { JSX } from 'preact';
import { get } from '../api/request.ts';
import type { PendingWait } from '../api/types.ts';
import { caller } from '../caller.ts';
import { connection, type Connection } from '../live/events.ts';
import { useQuery } from '../live/query.ts';
import { link, place } from '../route.ts';
import { nextTheme, theme } from '../theme.ts';
import { Icon, type IconName } from './icon.tsx';

const screens: readonly { readonly name: IconName; readonly title: string }[] = [
  { name: 'jobs', title: 'Jobs' },
  { name: 'waiting', title: 'Waiting' },
  { name: 'objects', title: 'Objects' },
  { name: 'state', title: 'State' },
  { name: 'system', title: 'System' },
];

const words: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Connection lost',
  refused: 'Refused',
};

const themeIcons = { system: 'system_theme', light: 'sun', dark: 'moon' } as const;

export function Navigation(): JSX.Element {
  const current = place.value.path[0] ?? 'jobs';
  return (
    <nav class="nav" aria-label="Screens">
      <a class="brand" href={link(['jobs'])}>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--accent)" />
          <path
            d="M9 11h14M9 16h9M9 21h12"
            stroke="var(--accent-ink)"
            stroke-width="2.6"
            stroke-linecap="round"
            fill="none"
          />
        </svg>
        Statek
      </a>
      {screens.map(({ name, title }) => (
        <a key={name} class="nav-link" href={link([name])} aria-current={current === name ? 'page' : undefined}>
          <Icon name={name} />
          {title}
          {name === 'waiting' && <WaitingCount />}
        </a>
      ))}
      <div class="nav-foot">
        <div class="connection" data-state={connection.value} role="status">
          <span class="connection-dot" />
          {words[connection.value]}
        </div>
        <div class="row">
          <span class="small faint cut grow" title={caller.value?.rights.join(', ')}>
            {caller.value?.name}
            {caller.value?.rights.includes('control') === false && ' · read only'}
          </span>
          <button
            class="button quiet compact"
            type="button"
            onClick={nextTheme}
            title={`Theme: ${theme.value}`}
            aria-label={`Theme: ${theme.value}. Change it`}
          >
            <Icon name={themeIcons[theme.value]} />
          </button>
        </div>
      </div>
    </nav>
  );
}

function WaitingCount(): JSX.Element | null {
  const { data } = useQuery(
    'waiting',
    (signal) => get<{ waiting: PendingWait[]; isMore: boolean }>('/waiting', { people: true, limit: 100 }, signal),
    { when: ({ kind }) => kind === 'suspended' || kind === 'slice' || kind === 'done', calm: 60 },
  );
  if (data === undefined || data.waiting.length === 0) return null;
  return (
    <span class="badge">
      {data.waiting.length}
      {data.isMore ? '+' : ''}
      <span class="hidden"> decisions wait for a person</span>
    </span>
  );
}
