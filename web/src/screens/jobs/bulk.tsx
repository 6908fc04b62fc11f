// One thing done with all jobs of the filter: first how many, then yes or no.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from '../../api/request.ts';
import { may } from '../../caller.ts';
import { plural } from '../../format.ts';
import { Problem } from '../../parts/notices.tsx';
import type { Filter } from './filter.ts';

type Verb = 'cancel' | 'pause' | 'resume' | 'retry' | 'delete';

interface Answer {
  readonly jobs: number;
  readonly done: number;
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

const titles: Readonly<Record<Verb, string>> = {
  cancel: 'Cancel',
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry',
  delete: 'Delete',
};

export function Bulk({ filter }: { readonly filter: Filter }): JSX.Element | null {
  const { text, ...rest } = filter;
  const key = JSON.stringify(filter);
  const [asked, setAsked] = useState<{ verb: Verb; jobs: number }>();
  const [answer, setAnswer] = useState<Answer & { verb: Verb }>();
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setAsked(undefined);
    setAnswer(undefined);
    setFailure(undefined);
  }, [key]);
  if (Object.keys(rest).length === 0 || text !== undefined) return null;

  const act = async (verb: Verb, dryRun: boolean): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      const done = await post<Answer>('/jobs/bulk', { verb, filter: rest, dryRun });
      if (dryRun) {
        setAnswer(undefined);
        setAsked({ verb, jobs: done.jobs });
      } else {
        setAsked(undefined);
        setAnswer({ ...done, verb });
      }
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };

  const verbs: readonly Verb[] = ['cancel', 'pause', 'resume', 'retry', ...(may('admin') ? (['delete'] as const) : [])];
  return (
    <div class="bulk" role="group" aria-label="All jobs of this filter">
      {asked === undefined ? (
        <>
          <span class="soft">All of this filter:</span>
          {verbs.map((verb) => (
            <button
              key={verb}
              class="button compact"
              type="button"
              disabled={isBusy}
              onClick={() => void act(verb, true)}
            >
              {titles[verb]} …
            </button>
          ))}
        </>
      ) : (
        <>
          <strong>
            {titles[asked.verb]} {plural(asked.jobs, 'job')}?
          </strong>
          <button
            class="button compact primary"
            type="button"
            disabled={isBusy || asked.jobs === 0}
            onClick={() => void act(asked.verb, false)}
          >
            {titles[asked.verb]} {plural(asked.jobs, 'job')}
          </button>
          <button class="button compact quiet" type="button" disabled={isBusy} onClick={() => setAsked(undefined)}>
            No
          </button>
        </>
      )}
      {answer !== undefined && (
        <span class="soft" role="status">
          {titles[answer.verb]}: {plural(answer.done, 'job')} done
          {answer.done < answer.jobs &&
            `, ${answer.jobs - answer.done} refused (${answer.refused[0]?.why ?? 'see the log'})`}
        </span>
      )}
      <Problem error={failure} />
    </div>
  );
}
