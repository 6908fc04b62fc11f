// The variables at the chosen moment, those that its commit changed marked, and the difference to any other commit.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { at, get } from '../../api/request.ts';
import type { Commit, CommitDetails, Difference, Job } from '../../api/types.ts';
import { useQuery } from '../../live/query.ts';
import { Outline, Problem } from '../../parts/notices.tsx';
import { DifferenceList } from '../../parts/differences.tsx';
import type { Moments } from './moments.ts';
import { Branch } from './value-tree.tsx';

export function Variables({
  job,
  moments,
  details,
}: {
  readonly job: Job;
  readonly moments: Moments;
  readonly details: CommitDetails | undefined;
}): JSX.Element {
  const commit = moments.commit.value;
  // Branches stay open while the moment changes.
  const open = useMemo(() => signal<ReadonlySet<string>>(new Set()), [job.id]);
  const [other, setOther] = useState('');
  // Those of another commit are not marked while the right ones are loaded.
  const changed = details?.commit.hash === commit?.hash ? (details?.changed ?? []) : [];
  return (
    <div class="tab-body">
      <form class="row small tab-tools" onSubmit={(event) => event.preventDefault()}>
        <label class="soft" for="other-commit">
          Difference to commit
        </label>
        <input
          id="other-commit"
          class="field other-commit"
          type="number"
          min={moments.first.value}
          max={moments.last.value}
          placeholder="none"
          value={other}
          onInput={({ currentTarget: { value } }) => setOther(value)}
        />
        {other !== '' && (
          <button class="button quiet compact" type="button" onClick={() => setOther('')}>
            Show variables
          </button>
        )}
      </form>
      {other === '' || commit === undefined ? (
        <Branch
          job={job.id}
          commit={commit?.hash}
          path={[]}
          level={0}
          open={open}
          changed={new Map(changed.map(({ name, change }) => [name, change]))}
        />
      ) : (
        <Differences job={job.id} commit={commit} other={Number(other)} moments={moments} />
      )}
    </div>
  );
}

function Differences({
  job,
  commit,
  other,
  moments,
}: {
  readonly job: string;
  readonly commit: Commit;
  readonly other: number;
  readonly moments: Moments;
}): JSX.Element {
  const { data, error } = useQuery(
    `${job} ${commit.hash} ${other}`,
    async (abort) => {
      const found =
        moments.known(other) ??
        (await get<{ commits: Commit[] }>(at`/jobs/${job}/commits`, { before: other + 1, limit: 1 }, abort)).commits[0];
      if (found === undefined) throw new Error(`There is no commit ${other}.`);
      const [from, to] = found.sequence < commit.sequence ? [found, commit] : [commit, found];
      const answer = await get<{ differences: Difference[] }>(
        at`/jobs/${job}/diff`,
        { from: from.hash, to: to.hash },
        abort,
      );
      return { ...answer, from: from.sequence, to: to.sequence };
    },
    { keep: true },
  );
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <Outline />;
  return (
    <>
      <p class="soft small">
        From commit {data.from} to commit {data.to}:
      </p>
      <DifferenceList differences={data.differences} />
    </>
  );
}
