// Expressions over time, evaluated by the server on copies of the program: at every commit, or to find the first one at which
// something is true. Nothing in the job changes.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, isUnknownRoute, post } from '../../api/request.ts';
import type { Job } from '../../api/types.ts';
import { clockTime } from '../../format.ts';
import { Problem } from '../../parts/notices.tsx';
import { short } from '../../parts/value.tsx';
import type { Moments } from './moments.ts';
import { Sparkline } from './sparkline.tsx';

interface Watched {
  readonly hash: string;
  readonly sequence: number;
  readonly time: string;
  readonly value?: unknown;
  readonly error?: string;
}

interface Result {
  readonly code: string;
  readonly values?: readonly Watched[];
  readonly isSampled?: boolean;
  readonly found?: { readonly hash: string; readonly sequence: number; readonly time: string } | undefined;
  readonly evaluated?: number;
  readonly error?: string | undefined;
  readonly value?: unknown;
}

const limit = 200;

export function Watch({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = async (what: string, code: string): Promise<void> => {
    if (code.trim() === '') return;
    setBusy(true);
    setFailure(undefined);
    try {
      if (what === 'find') {
        const answer = await post<Result>(at`/jobs/${job.id}/find`, { code });
        setResult({ ...answer, code });
      } else if (what === 'here') {
        const commit = moments.commit.value?.hash ?? '';
        const { value } = await post<{ value: unknown }>(at`/jobs/${job.id}/at/${commit}/evaluate`, { code });
        setResult({ code, value });
      } else {
        const answer = await post<Result>(at`/jobs/${job.id}/watch`, { code, limit });
        setResult({ ...answer, code });
      }
    } catch (error) {
      setFailure(isUnknownRoute(error) ? new Error('This server is too old for that.') : (error as Error));
      setResult(undefined);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="tab-body stack">
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const code = new FormData(event.currentTarget).get('code');
          const button = event.submitter;
          const what = button instanceof HTMLButtonElement ? button.value : 'watch';
          void run(what, typeof code === 'string' ? code : '');
        }}
      >
        <label class="label">
          An expression in the program’s language; it can look at everything and change nothing
          <input
            class="field mono"
            name="code"
            placeholder="moved.length > 0"
            spellcheck={false}
            autocomplete="off"
            required
          />
        </label>
        <div class="row wrap">
          <button class="button primary" type="submit" value="watch" disabled={isBusy}>
            Watch over time
          </button>
          <button class="button" type="submit" value="find" disabled={isBusy}>
            Find when it became true
          </button>
          <button class="button" type="submit" value="here" disabled={isBusy}>
            Evaluate here
          </button>
        </div>
      </form>
      <Problem error={failure} />
      {isBusy && <p class="soft">Evaluating …</p>}
      {result !== undefined && !isBusy && <Shown result={result} moments={moments} />}
    </div>
  );
}

function Shown({ result, moments }: { readonly result: Result; readonly moments: Moments }): JSX.Element {
  const { values, found, evaluated, error, code, value } = result;
  if (values !== undefined)
    return (
      <>
        <Sparkline
          points={values.map((one) => ({ sequence: one.sequence, value: one.value }))}
          choose={(sequence) => moments.choose(sequence)}
        />
        {result.isSampled === true && <p class="small soft">{values.length} commits, sampled evenly.</p>}
        <div class="watch-scroll" tabIndex={0} role="region" aria-label="Values">
          <table class="table">
            <thead>
              <tr>
                <th>Commit</th>
                <th>Time</th>
                <th>
                  <code>{code}</code>
                </th>
              </tr>
            </thead>
            <tbody>
              {values.map((one) => (
                <tr key={one.hash} data-on={moments.commit.value?.hash === one.hash}>
                  <td>
                    <button
                      class="button quiet compact"
                      type="button"
                      onClick={() => void moments.chooseHash(one.hash)}
                    >
                      {one.sequence}
                    </button>
                  </td>
                  <td class="soft">{clockTime(one.time)}</td>
                  <td class="mono">
                    {one.error === undefined ? short(one.value, 200) : <span class="faint">{one.error}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </>
    );
  if (evaluated !== undefined)
    return found === undefined ? (
      <p class="notice">
        <code>{code}</code> {error === undefined ? 'was never true' : `never had a value: ${error}`} ({evaluated}{' '}
        commits evaluated).
      </p>
    ) : (
      <div class="notice good row wrap" role="status">
        <span>
          <code>{code}</code> is true since commit <b>{found.sequence}</b>, {clockTime(found.time)}.
        </span>
        <button class="button compact" type="button" onClick={() => void moments.chooseHash(found.hash)}>
          Go there
        </button>
        <button class="button compact" type="button" onClick={() => moments.choose(found.sequence - 1)}>
          Go to the commit before
        </button>
        <span class="small">({evaluated} commits evaluated)</span>
      </div>
    );
  return (
    <pre class="whole">
      {code} = {short(value, 5000)}
    </pre>
  );
}
