// Which job it is, how it stands, and the verbs. A verb that needs more than a click opens its form in place.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, download, isUnknownRoute, post, remove } from '../../api/request.ts';
import type { Job } from '../../api/types.ts';
import { may } from '../../caller.ts';
import { cost, count, fullTime, plural } from '../../format.ts';
import { Age } from '../../parts/age.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Problem } from '../../parts/notices.tsx';
import { StatusMark } from '../../parts/status.tsx';
import { go, link } from '../../route.ts';
import { ForkForm } from './fork-form.tsx';
import type { Moments } from './moments.ts';
import { CompareForm, ReasonForm } from './small-forms.tsx';

type Form = 'cancel' | 'fork' | 'rollback' | 'compare' | 'delete';

export function Head({
  job,
  moments,
  reload,
}: {
  readonly job: Job;
  readonly moments: Moments;
  readonly reload: () => void;
}): JSX.Element {
  const [form, setForm] = useState<Form>();
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const isOver = job.status === 'DONE';
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
      setForm(undefined);
      reload();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  const verb = (name: string, body: unknown = {}): Promise<void> => act(() => post(at`/jobs/${job.id}/${name}`, body));
  const retry = (): Promise<void> =>
    act(async () => {
      const { id } = await post<{ id: string }>(at`/jobs/${job.id}/retry`);
      go(['jobs', id]);
    });
  const toggle = (wanted: Form): void => setForm(form === wanted ? undefined : wanted);
  const canControl = may('control');
  const hasCommit = moments.commit.value !== undefined;
  return (
    <>
      <header class="screen-head job-head">
        <a class="button quiet compact" href={link(['jobs'])} aria-label="All jobs">
          <Icon name="left" />
        </a>
        <h1 class="cut" title={job.id}>
          {job.id}
        </h1>
        <StatusMark job={job} />
        <span class="soft cut">
          {job.role}
          {job.parent !== undefined && (
            <>
              {' · child of '}
              <a href={link(['jobs', job.parent])}>{job.parent}</a>
            </>
          )}
          {' · '}
          <span title={fullTime(job.created)}>
            <Age time={job.created} />
          </span>
          <Spent job={job} />
        </span>
        <Version job={job} />
        {job.labels.map((label) => (
          <a key={label} class="chip" href={link(['jobs'], { label })}>
            {label}
          </a>
        ))}
        <span class="grow" />
        <div class="row job-verbs">
          {canControl && !isOver && !job.paused && (
            <Verb icon="pause" word="Pause" isBusy={isBusy} act={() => void verb('pause')} />
          )}
          {canControl && (job.paused || (isOver && job.outcome !== 'completed')) && (
            <Verb icon="play" word="Resume" isBusy={isBusy} act={() => void verb('resume')} />
          )}
          {canControl && !isOver && (
            <Verb icon="cancel" word="Cancel" isOn={form === 'cancel'} isBusy={isBusy} act={() => toggle('cancel')} />
          )}
          {canControl && isOver && <Verb icon="again" word="Retry" isBusy={isBusy} act={() => void retry()} />}
          {canControl && hasCommit && (
            <Verb
              icon="back"
              word="Roll back"
              isOn={form === 'rollback'}
              isBusy={isBusy}
              act={() => toggle('rollback')}
            />
          )}
          {canControl && hasCommit && (
            <Verb icon="fork" word="Fork" isOn={form === 'fork'} isBusy={isBusy} act={() => toggle('fork')} />
          )}
          <Verb
            icon="compare"
            word="Compare"
            isSmall
            isOn={form === 'compare'}
            isBusy={isBusy}
            act={() => toggle('compare')}
          />
          <Verb
            icon="download"
            word="Export"
            isSmall
            isBusy={isBusy}
            act={() => void act(() => download(at`/jobs/${job.id}/export`, `${job.id}.statek`))}
          />
          {may('admin') && isOver && (
            <Verb
              icon="cross"
              word="Delete"
              isSmall
              isOn={form === 'delete'}
              isBusy={isBusy}
              act={() => toggle('delete')}
            />
          )}
        </div>
      </header>
      {failure !== undefined && (
        <div class="strip">
          <Problem error={isUnknownRoute(failure) ? new Error('This server is too old for that.') : failure} />
        </div>
      )}
      {form === 'cancel' && (
        <ReasonForm
          question={`Cancel ${job.id}?`}
          verb="Cancel the job"
          isBusy={isBusy}
          send={(reason) => void verb('cancel', reason === '' ? {} : { reason })}
          close={() => setForm(undefined)}
        />
      )}
      {form === 'rollback' && (
        <ReasonForm
          question={`Take the job back to commit ${moments.commit.value?.sequence ?? ''}? What it did outside is neither undone nor repeated.`}
          verb="Roll back"
          hasReason={false}
          isBusy={isBusy}
          send={() =>
            void act(async () => {
              await post(at`/jobs/${job.id}/rollback`, { commit: moments.commit.value?.hash });
              moments.latest();
              await moments.refresh();
            })
          }
          close={() => setForm(undefined)}
        />
      )}
      {form === 'delete' && (
        <ReasonForm
          question={`Delete ${job.id} and everything that was kept of it?`}
          verb="Delete for good"
          hasReason={false}
          isBusy={isBusy}
          send={() =>
            void act(async () => {
              await remove(at`/jobs/${job.id}`);
              go(['jobs']);
            })
          }
          close={() => setForm(undefined)}
        />
      )}
      {form === 'fork' && <ForkForm job={job} moments={moments} close={() => setForm(undefined)} />}
      {form === 'compare' && <CompareForm job={job} close={() => setForm(undefined)} />}
      {job.awaitsVersion === true && (
        <div class="strip">
          <p class="notice">
            No worker of version {job.version?.needs}
            {job.version?.pinned === true ? ' and no other' : ' or later'} works on it now.
          </p>
        </div>
      )}
      {job.error !== undefined && (
        <div class="strip" tabIndex={0} role="region" aria-label="Error">
          <p class={isOver ? 'notice bad' : 'notice'}>
            <strong>{job.error.name}</strong> {job.error.message}
          </p>
        </div>
      )}
    </>
  );
}

function Verb({
  icon,
  word,
  isOn,
  isSmall,
  isBusy,
  act,
}: {
  readonly icon: IconName;
  readonly word: string;
  readonly isOn?: boolean;
  /** Without its word, which is its title then. */
  readonly isSmall?: boolean;
  readonly isBusy: boolean;
  readonly act: () => void;
}): JSX.Element {
  return (
    <button
      class="button compact"
      type="button"
      title={word}
      aria-label={word}
      aria-expanded={isOn}
      disabled={isBusy}
      onClick={act}
    >
      <Icon name={icon} /> {isSmall !== true && word}
    </button>
  );
}

/** The version of the code that it began under, what it needs now, and what newer code does with it. */
function Version({ job: { version } }: { readonly job: Job }): JSX.Element | null {
  if (version === undefined) return null;
  const { started, needs, pinned, restarts, onChange } = version;
  const facts = [
    started === undefined ? 'has not begun' : `began under version ${started}`,
    pinned ? `pinned to ${needs ?? ''}` : `needs ${needs ?? ''} or later`,
    restarts === 0 ? undefined : `started again ${plural(restarts, 'time')}`,
    onChange === undefined ? undefined : `onChange: ${onChange}`,
  ];
  const text = facts.filter((fact) => fact !== undefined).join(', ');
  return (
    <span class="chip" title={text}>
      {started === undefined || started === needs ? needs : `${started} → ${needs ?? ''}`}
      {pinned && ' pinned'}
      {onChange !== undefined && ` · ${onChange}`}
    </span>
  );
}

function Spent({ job: { usage } }: { readonly job: Job }): JSX.Element | null {
  if (usage === undefined) return null;
  const { inputTokens, outputTokens, turns } = usage;
  return (
    <span title={`${count(inputTokens)} tokens read, ${count(outputTokens)} written, ${plural(turns, 'turn')}`}>
      {' · '}
      {count(inputTokens + outputTokens)} tokens{(usage.cost ?? 0) > 0 && ` · ${cost(usage.cost)}`}
    </span>
  );
}
