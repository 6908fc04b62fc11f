// What the job waits for, and what a person can do about it, right below its head.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Job, Wait } from '../../api/types.ts';
import { duration } from '../../format.ts';
import { now } from '../../live/clock.ts';
import { Age } from '../../parts/age.tsx';
import { Decide, type Decided } from '../../parts/decide.tsx';
import { Icon } from '../../parts/icon.tsx';

const maxShown = 4;

export function JobWaits({ job, reload }: { readonly job: Job; readonly reload: () => void }): JSX.Element | null {
  const [result, setResult] = useState<Decided>();
  const waits = job.waiting ?? [];
  const shown = waits.toSorted((a, b) => Number(isForPeople(b)) - Number(isForPeople(a))).slice(0, maxShown);
  if (shown.length === 0 && result === undefined) return null;
  return (
    <section class="waits" aria-label="Waits for">
      {result !== undefined && (
        <p class={result.isByOther ? 'notice bad' : 'notice good'} role="status">
          {result.words}{' '}
          <button class="button quiet compact" type="button" aria-label="Hide" onClick={() => setResult(undefined)}>
            <Icon name="close" />
          </button>
        </p>
      )}
      {shown.map((wait) => (
        <div key={wait.id} class="wait">
          <span class="status" data-state="waiting">
            <Icon name="hourglass" />
          </span>
          <div class="wait-text">
            <strong>{wait.question ?? wait.text ?? wait.label}</strong>
            <div class="small soft">
              {wait.kind}
              {wait.since !== undefined && (
                <>
                  {' · since '}
                  <Age time={wait.since} />
                </>
              )}
              {wait.due !== undefined && ` · ${dueIn(wait.due)}`}
              {wait.at !== undefined && ` · line ${wait.at.line} of step ${wait.at.step}`}
            </div>
          </div>
          <Decide
            wait={wait}
            decided={(decided) => {
              setResult(decided);
              reload();
            }}
          />
        </div>
      ))}
      {waits.length > maxShown && <p class="small soft">and {waits.length - maxShown} more</p>}
    </section>
  );
}

function isForPeople({ kind, undecided }: Wait): boolean {
  return kind === 'ask' || kind === 'approve' || undecided === true;
}

function dueIn(due: string): string {
  const left = new Date(due).getTime() - now.value;
  return left > 0 ? `due in ${duration(Math.ceil(left / 1000) * 1000)}` : 'due';
}
