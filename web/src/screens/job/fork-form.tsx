// A fork of a job at the chosen moment, with what should be different in it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, post } from '../../api/request.ts';
import type { Job } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/notices.tsx';
import { link } from '../../route.ts';
import type { Moments } from './moments.ts';

interface Edit {
  readonly name: string;
  readonly value: string;
}

export function ForkForm({
  job,
  moments,
  close,
}: {
  readonly job: Job;
  readonly moments: Moments;
  readonly close: () => void;
}): JSX.Element {
  const [edits, setEdits] = useState<readonly Edit[]>([]);
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [made, setMade] = useState<string>();
  const commit = moments.commit.value;

  const submit = async (form: FormData): Promise<void> => {
    const text = (name: string): string | undefined => {
      const value = form.get(name);
      return typeof value === 'string' && value.trim() !== '' ? value : undefined;
    };
    setBusy(true);
    setFailure(undefined);
    try {
      const vars = Object.fromEntries(
        edits.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), parsed(name, value)]),
      );
      const body = {
        commit: commit?.hash,
        id: text('id'),
        message: text('message'),
        model: text('model'),
        prompt: text('prompt'),
        ...(Object.keys(vars).length === 0 ? {} : { vars }),
      };
      const fork = await post<Job>(at`/jobs/${job.id}/fork`, body);
      setMade(fork.id);
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };

  if (made !== undefined)
    return (
      <div class="strip row wrap" role="status">
        <strong>The fork is {made}.</strong>
        <a class="button primary" href={link(['jobs', made])}>
          Open it
        </a>
        <a class="button" href={link(['compare'], { a: job.id, b: made })}>
          <Icon name="compare" /> Compare the two
        </a>
        <button class="button quiet" type="button" onClick={close}>
          Stay here
        </button>
      </div>
    );
  const change = (index: number, edit: Edit): void => setEdits(edits.with(index, edit));
  return (
    <form
      class="strip stack"
      onKeyDown={({ key }) => key === 'Escape' && close()}
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      <strong>
        Fork at commit {commit?.sequence}
        <span class="soft"> – the fork begins with everything the job had then, and goes its own way</span>
      </strong>
      <div class="fork-fields">
        <label class="label">
          Id of the fork
          <input class="field" name="id" placeholder="made up" />
        </label>
        <label class="label">
          Model
          <input class="field" name="model" placeholder="as it is" />
        </label>
        <label class="label">
          Message to it
          <input class="field" name="message" placeholder="none" />
        </label>
        <label class="label fork-prompt">
          Prompt
          <textarea class="field" name="prompt" rows={2} placeholder="as it is" />
        </label>
      </div>
      {edits.map((edit, index) => (
        <div key={index} class="row">
          <input
            class="field mono"
            aria-label="Variable"
            placeholder="variable"
            value={edit.name}
            onInput={({ currentTarget: { value } }) => change(index, { ...edit, name: value })}
          />
          <input
            class="field mono grow"
            aria-label="Its value as JSON"
            placeholder="its value as JSON"
            value={edit.value}
            onInput={({ currentTarget: { value } }) => change(index, { ...edit, value })}
          />
          <button
            class="button quiet compact"
            type="button"
            aria-label="Do not change this variable"
            onClick={() => setEdits(edits.toSpliced(index, 1))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <Problem error={failure} />
      <div class="row wrap">
        <button class="button primary" type="submit" disabled={isBusy}>
          <Icon name="fork" /> Fork
        </button>
        <button class="button" type="button" onClick={() => setEdits([...edits, { name: '', value: '' }])}>
          Change a variable
        </button>
        <button class="button quiet" type="button" onClick={close}>
          Close
        </button>
      </div>
    </form>
  );
}

function parsed(name: string, value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw new Error(`The value of ${name} is not JSON. Write text in quotes: "like this".`);
  }
}
