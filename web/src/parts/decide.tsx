// What a person can do about something a job waits for: answer, approve, deny, send a signal. What somebody else decided meanwhile is
// shown and not overwritten.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { at, post, Refusal } from '../api/request.ts';
import type { Wait } from '../api/types.ts';
import { may } from '../caller.ts';
import { clockTime } from '../format.ts';
import { Icon } from './icon.tsx';
import { Problem } from './notices.tsx';

export interface Decided {
  readonly words: string;
  /** Somebody else was first. */
  readonly isByOther: boolean;
}

export function Decide({
  wait,
  decided,
}: {
  readonly wait: Wait;
  readonly decided: (result: Decided) => void;
}): JSX.Element | null {
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const [isDenying, setDenying] = useState(false);
  const send = async (path: string, body: unknown, words: string): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await post(path, body);
      decided({ words, isByOther: false });
    } catch (error) {
      if (error instanceof Refusal && error.status === 409)
        decided({ words: decisionIn(error, wait), isByOther: true });
      else setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  const isApproval = wait.kind === 'approve' || wait.undecided === true;
  if (isApproval) {
    if (!may('answer')) return null;
    return (
      <div class="stack">
        <div class="row wrap">
          <button
            class="button primary"
            type="button"
            disabled={isBusy}
            onClick={() => void send(at`/waiting/${wait.id}/approve`, {}, 'Approved')}
          >
            <Icon name="check" /> Approve
          </button>
          <button
            class="button danger"
            type="button"
            disabled={isBusy}
            aria-expanded={isDenying}
            onClick={() => setDenying(!isDenying)}
          >
            <Icon name="cross" /> Deny …
          </button>
        </div>
        {isDenying && (
          <TextForm
            label="Reason"
            placeholder="why not (the program is told)"
            verb="Deny"
            isBusy={isBusy}
            send={(reason) => void send(at`/waiting/${wait.id}/deny`, reason === '' ? {} : { reason }, 'Denied')}
          />
        )}
        <Problem error={failure} />
      </div>
    );
  }
  if (wait.kind === 'ask')
    return may('answer') ? (
      <div class="stack">
        <TextForm
          label="Answer"
          placeholder="answer"
          verb="Answer"
          isBusy={isBusy}
          send={(value) => void send(at`/waiting/${wait.id}/answer`, { value }, `Answered: ${value}`)}
          sendJson={(value) => void send(at`/waiting/${wait.id}/answer`, { value }, 'Answered')}
        />
        <Problem error={failure} />
      </div>
    ) : null;
  if (wait.signal !== undefined && may('control')) {
    const { signal } = wait;
    return (
      <div class="stack">
        <TextForm
          label={`Payload of the signal ${signal}`}
          placeholder="payload"
          verb="Send the signal"
          isBusy={isBusy}
          send={(text) =>
            void send(at`/signals/${signal}`, text === '' ? {} : { payload: text }, `Sent the signal ${signal}`)
          }
          sendJson={(payload) => void send(at`/signals/${signal}`, { payload }, `Sent the signal ${signal}`)}
        />
        <Problem error={failure} />
      </div>
    );
  }
  return null;
}

/** Who was first, and what they said. */
function decisionIn({ message, details }: Refusal, { kind }: Wait): string {
  const decision = details['decision'] as
    | { readonly approved?: boolean; readonly by?: string; readonly comment?: string; readonly time?: number }
    | undefined;
  if (decision === undefined) return message;
  const { approved, by = 'Somebody', comment, time } = decision;
  const what = kind === 'ask' ? 'answered' : approved === true ? 'approved' : 'denied';
  const when = time === undefined ? '' : ` at ${clockTime(time)}`;
  return `${by} has ${what} this${when}${comment === undefined ? '' : `: ${comment}`}. Your decision was not used.`;
}

function TextForm({
  label,
  placeholder,
  verb,
  isBusy,
  send,
  sendJson,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly verb: string;
  readonly isBusy: boolean;
  readonly send: (text: string) => void;
  readonly sendJson?: (value: unknown) => void;
}): JSX.Element {
  const [isJson, setJson] = useState(false);
  const [failure, setFailure] = useState<Error>();
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget).get('text');
        const text = typeof given === 'string' ? given : '';
        setFailure(undefined);
        if (!isJson || sendJson === undefined) send(text);
        else {
          try {
            sendJson(JSON.parse(text));
          } catch {
            setFailure(new Error('This is not JSON.'));
          }
        }
      }}
    >
      <div class="row">
        <input class="field grow" name="text" aria-label={label} placeholder={placeholder} autocomplete="off" />
        {sendJson !== undefined && (
          <label class="row small soft">
            <input type="checkbox" checked={isJson} onChange={({ currentTarget: { checked } }) => setJson(checked)} />
            JSON
          </label>
        )}
        <button class="button primary" type="submit" disabled={isBusy}>
          {verb}
        </button>
      </div>
      <Problem error={failure} />
    </form>
  );
}
