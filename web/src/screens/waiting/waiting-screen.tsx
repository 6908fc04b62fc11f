// The inbox: everything that a person can decide, across jobs, the newest question first.
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { get } from '../../api/request.ts';
import type { PendingWait } from '../../api/types.ts';
import { useQuery } from '../../live/query.ts';
import type { Decided } from '../../parts/decide.tsx';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { plural } from '../../format.ts';
import '../../style/waiting.css';
import { Question } from './question.tsx';

interface Shown {
  readonly wait: PendingWait;
  readonly decided: Decided | undefined;
  /** It is not waited for any more, and nobody here decided it. */
  readonly isGone: boolean;
}

export function WaitingScreen(): JSX.Element {
  const [role, setRole] = useState('');
  const { data, error, reload } = useQuery(
    `waiting ${role}`,
    (signal) =>
      get<{ waiting: PendingWait[]; isMore: boolean }>(
        '/waiting',
        { people: true, order: 'newest', role, limit: 200 },
        signal,
      ),
    { when: ({ kind }) => kind === 'suspended' || kind === 'slice' || kind === 'done', keep: true },
  );
  const [decided, setDecided] = useState<ReadonlyMap<string, Decided>>(new Map());
  const shown = useStanding(data?.waiting, decided);
  const roles = [...new Set((data?.waiting ?? []).map((wait) => wait.role))].toSorted();
  const open = shown.filter((one) => !one.isGone && one.decided === undefined).length;
  return (
    <div class="screen">
      <div class="screen-head">
        <h1>Waiting</h1>
        <span class="soft" role="status">
          {data !== undefined && (data.isMore ? `more than ${data.waiting.length}` : plural(open, 'question'))}
        </span>
        <span class="grow" />
        {(roles.length > 1 || role !== '') && (
          <>
            <label class="hidden" for="waiting-role">
              Role
            </label>
            <select
              id="waiting-role"
              class="field"
              value={role}
              onChange={({ currentTarget: { value } }) => setRole(value)}
            >
              <option value="">All roles</option>
              {(roles.includes(role) || role === '' ? roles : [role, ...roles]).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      <div class="screen-body">
        <Problem error={error} />
        {data === undefined && error === undefined && <Outline lines={6} />}
        {data !== undefined && shown.length === 0 && (
          <Empty title="Nothing waits for you">Questions and approvals appear here by themselves.</Empty>
        )}
        <ul class="questions">
          {shown.map((one) => (
            <Question
              key={one.wait.id}
              {...one}
              decide={(result) => {
                setDecided(new Map(decided).set(one.wait.id, result));
                reload();
              }}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

/**
 * What is waited for, newest first. What was on the screen stays in its place when it is over, with what became of it: nothing
 * moves away under a finger.
 */
function useStanding(
  waiting: readonly PendingWait[] | undefined,
  decided: ReadonlyMap<string, Decided>,
): readonly Shown[] {
  const known = useRef(new Map<string, PendingWait>());
  const current = new Set(waiting?.map(({ id }) => id));
  for (const wait of waiting ?? []) known.current.set(wait.id, wait);
  return [...known.current.values()]
    .toSorted((a, b) => (b.since ?? '').localeCompare(a.since ?? '') || b.id.localeCompare(a.id))
    .map((wait) => ({ wait, decided: decided.get(wait.id), isGone: waiting !== undefined && !current.has(wait.id) }));
}
