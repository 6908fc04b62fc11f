// Counts per status that are filters at the same time, and a search. All of it is in the address.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get } from '../../api/request.ts';
import type { Counts, Outcome, Status } from '../../api/types.ts';
import { count } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { lookOf } from '../../parts/status.tsx';
import { adjust } from '../../route.ts';
import type { Filter } from './filter.ts';

const statuses: readonly Status[] = ['READY', 'WARMING_UP', 'STARTED', 'SUSPENDED'];
const outcomes: readonly Outcome[] = ['completed', 'failed', 'cancelled', 'limit'];

export function Filters({
  filter,
  counts,
}: {
  readonly filter: Filter;
  readonly counts: Counts | undefined;
}): JSX.Element {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const all = counts && Object.values(counts.statuses).reduce((sum, number) => sum + number, 0);
  // Few jobs warm up, and not for long.
  const isWarming = filter.status === 'WARMING_UP' || (counts?.statuses.WARMING_UP ?? 0) > 0;
  const isAll = filter.status === undefined && filter.outcome === undefined;
  return (
    <>
      <div class="screen-head">
        <h1>Jobs</h1>
        <span class="grow" />
        <Roles role={filter.role} />
        <label class="hidden" for="search">
          Search jobs
        </label>
        <input
          ref={search}
          id="search"
          class="field search"
          type="search"
          placeholder="Search id, role, label, error   /"
          value={filter.text ?? ''}
          onInput={({ currentTarget: { value } }) => {
            clearTimeout(timer.current);
            timer.current = setTimeout(() => adjust({ text: value }), 200);
          }}
        />
      </div>
      <div class="filters" role="group" aria-label="Status">
        <button
          class="filter"
          type="button"
          aria-pressed={isAll}
          onClick={() => adjust({ status: undefined, outcome: undefined })}
        >
          All <Number value={all} />
        </button>
        {statuses
          .filter((status) => status !== 'WARMING_UP' || isWarming)
          .map((status) => (
            <Choice
              key={status}
              state={lookOf(status)}
              isOn={filter.status === status}
              value={counts?.statuses[status]}
              choose={(isOn) => adjust({ status: isOn ? status : undefined, outcome: undefined })}
            />
          ))}
        {outcomes.map((outcome) => (
          <Choice
            key={outcome}
            state={lookOf('DONE', outcome)}
            isOn={filter.outcome === outcome}
            value={counts?.outcomes[outcome]}
            choose={(isOn) => adjust({ outcome: isOn ? outcome : undefined, status: undefined })}
          />
        ))}
        {(['label', 'parent'] as const).map(
          (name) =>
            filter[name] !== undefined && (
              <button
                key={name}
                class="filter"
                type="button"
                aria-pressed={true}
                onClick={() => adjust({ [name]: undefined })}
              >
                {name}: {filter[name]} <Icon name="close" />
              </button>
            ),
        )}
      </div>
    </>
  );
}

function Choice({
  state,
  isOn,
  value,
  choose,
}: {
  readonly state: ReturnType<typeof lookOf>;
  readonly isOn: boolean;
  readonly value: number | undefined;
  readonly choose: (isOn: boolean) => void;
}): JSX.Element {
  return (
    <button class="filter" type="button" aria-pressed={isOn} onClick={() => choose(!isOn)}>
      <span class="status" data-state={state.state}>
        <Icon name={state.icon} />
      </span>
      {state.word} <Number value={value} />
    </button>
  );
}

function Number({ value }: { readonly value: number | undefined }): JSX.Element {
  return <b>{value === undefined ? '–' : count(value)}</b>;
}

function Roles({ role }: { readonly role: string | undefined }): JSX.Element | null {
  const { data } = useQuery('queues', (signal) => get<{ queues: { role: string }[] }>('/queues', undefined, signal));
  const roles = data?.queues.map((queue) => queue.role) ?? [];
  if (roles.length < 2 && role === undefined) return null;
  const listed = role === undefined || roles.includes(role) ? roles : [role, ...roles];
  return (
    <>
      <label class="hidden" for="role">
        Role
      </label>
      <select
        id="role"
        class="field"
        value={role ?? ''}
        onChange={({ currentTarget: { value } }) => adjust({ role: value })}
      >
        <option value="">All roles</option>
        {listed.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}
