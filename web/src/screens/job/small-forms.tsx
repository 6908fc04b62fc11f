// Forms of one line that open below the head of a job.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Job } from '../../api/types.ts';
import { go } from '../../route.ts';

export function ReasonForm({
  question,
  verb,
  hasReason = true,
  isBusy,
  send,
  close,
}: {
  readonly question: string;
  readonly verb: string;
  readonly hasReason?: boolean;
  readonly isBusy: boolean;
  readonly send: (reason: string) => void;
  readonly close: () => void;
}): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, button')?.focus(), []);
  return (
    <form
      ref={form}
      class="strip row wrap"
      onKeyDown={({ key }) => key === 'Escape' && close()}
      onSubmit={(event) => {
        event.preventDefault();
        const reason = new FormData(event.currentTarget).get('reason');
        send(typeof reason === 'string' ? reason : '');
      }}
    >
      <strong>{question}</strong>
      {hasReason && <input class="field grow" name="reason" placeholder="reason" aria-label="Reason" />}
      <button class="button primary" type="submit" disabled={isBusy}>
        {verb}
      </button>
      <button class="button quiet" type="button" onClick={close}>
        No
      </button>
    </form>
  );
}

export function CompareForm({ job, close }: { readonly job: Job; readonly close: () => void }): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <form
      ref={form}
      class="strip row wrap"
      onKeyDown={({ key }) => key === 'Escape' && close()}
      onSubmit={(event) => {
        event.preventDefault();
        const other = new FormData(event.currentTarget).get('other');
        if (typeof other === 'string' && other !== '') go(['compare'], { a: job.id, b: other });
      }}
    >
      <strong>Compare with</strong>
      <input class="field grow" name="other" placeholder="id of another job" aria-label="The other job" required />
      <button class="button primary" type="submit">
        Compare
      </button>
      <button class="button quiet" type="button" onClick={close}>
        Close
      </button>
    </form>
  );
}
