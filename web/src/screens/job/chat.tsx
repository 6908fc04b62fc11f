// The conversation up to the chosen moment: what was said, replies with their cost, what code did; and a line to say something.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { at, download, everything, get, latest, post } from '../../api/request.ts';
import type { ChatItem, Job } from '../../api/types.ts';
import { may } from '../../caller.ts';
import { clockTime, cost, count, pluralOf, duration } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Outline, Problem } from '../../parts/notices.tsx';
import { Whole } from '../../parts/value.tsx';
import { Earlier, PanelTools } from './panel-tools.tsx';
import type { Moments } from './moments.ts';

export function Chat({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(100);
  const path = at`/jobs/${job.id}/chat`;
  const commit = moments.isLatest.value ? undefined : moments.commit.value;
  const { data, error } = useQuery(
    `${job.id} chat ${text} ${limit} ${commit?.hash ?? ''}`,
    (signal) => latest<ChatItem>(path, { text, maxText: 20_000, commit: commit?.hash, limit }, signal),
    { when: (event) => event.job === job.id && commit === undefined, keep: true },
  );
  const body = useRef<HTMLDivElement>(null);
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (body.current !== null && wasAtEnd.current) body.current.scrollTop = body.current.scrollHeight;
  }, [data]);
  return (
    <div class="tab-fill">
      <div class="row small tab-tools">
        <span class="soft">{data === undefined ? '' : pluralOf(data, 'item')}</span>
        <span class="grow" />
        <PanelTools
          name={`${job.id} chat.json`}
          search={setText}
          all={async () => JSON.stringify(await everything<ChatItem>(path), null, 2)}
        />
      </div>
      <div
        ref={body}
        class="tab-scroll chat"
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          wasAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        <Problem error={error} />
        {data === undefined && error === undefined && <Outline />}
        {data?.items.length === 0 && <p class="faint">Nothing was said.</p>}
        {data?.isMore === true && <Earlier limit={limit} more={setLimit} />}
        {data?.items.map((item) => (
          <Item key={item.number} job={job.id} item={item} moments={moments} />
        ))}
      </div>
      {may('answer') && <Say job={job.id} />}
    </div>
  );
}

const titles: Readonly<Record<ChatItem['kind'], string>> = {
  message: 'said to it',
  notice: 'from a subtask',
  note: 'note of the system',
  reply: 'model',
  step: 'step',
  result: 'result',
  sent: 'sent to the user',
  fold: 'summary of what came before',
  rollback: 'rolled back',
};

function Item({
  job,
  item,
  moments,
}: {
  readonly job: string;
  readonly item: ChatItem;
  readonly moments: Moments;
}): JSX.Element {
  const [isRequestOpen, setRequestOpen] = useState(false);
  const { kind, usage, turn, commit, error } = item;
  return (
    <article class="chat-item" data-kind={kind} data-failed={item.status === 'failed'}>
      <header class="row small soft wrap">
        <b>
          {titles[kind]}
          {kind === 'step' && ` ${item.step}`}
          {kind === 'notice' && ` ${item.from}`}
          {turn !== undefined && `, turn ${turn}`}
        </b>
        <span>{clockTime(item.time)}</span>
        {usage !== undefined && (
          <span title={`${usage.model.provider}/${usage.model.model}`}>
            {usage.model.model} · {count(usage.tokens.input)} → {count(usage.tokens.output)} tokens
            {usage.cost !== undefined && ` · ${cost(usage.cost.amount)}`} · {duration(usage.duration)}
          </span>
        )}
        <span class="grow" />
        {kind === 'reply' && item.asked !== undefined && (
          <button
            class="button quiet compact"
            type="button"
            aria-expanded={isRequestOpen}
            onClick={() => setRequestOpen(!isRequestOpen)}
          >
            Exact request
          </button>
        )}
        {commit !== undefined && (
          <button class="button quiet compact" type="button" onClick={() => void moments.chooseHash(commit)}>
            Go there
          </button>
        )}
      </header>
      {isRequestOpen && turn !== undefined && <Request job={job} turn={turn} />}
      <Body item={item} />
      {error !== undefined && (
        <pre class="chat-error">
          {error.name}: {error.message}
          {error.line !== undefined && ` (line ${error.line})`}
        </pre>
      )}
    </article>
  );
}

function Body({ item }: { readonly item: ChatItem }): JSX.Element {
  const { message, text, console: lines = [], value, exit, output, warmup } = item;
  if (message !== undefined) {
    const parts = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    return (
      <>
        {parts.map((part, index) => {
          if (part.text !== undefined) return <Said key={index} text={part.text} isFaint={part.type === 'reasoning'} />;
          return <Whole key={index} value={part} />;
        })}
        {item.suppressed !== undefined && <p class="notice">Held back: {item.suppressed}</p>}
      </>
    );
  }
  return (
    <>
      {warmup !== undefined && <pre class="chat-text faint">{warmup.source}</pre>}
      {text !== undefined && text !== '' && <pre class="chat-text">{text}</pre>}
      {lines.length > 0 && <pre class="chat-text mono">{lines.join('\n')}</pre>}
      {value !== undefined && <pre class="chat-text mono">{value}</pre>}
      {exit !== undefined && <pre class="chat-text mono">exit: {exit}</pre>}
      {output !== undefined && <pre class="chat-text mono">{output}</pre>}
    </>
  );
}

/** Words, and code in blocks; all of it is text. */
function Said({ text, isFaint }: { readonly text: string; readonly isFaint: boolean }): JSX.Element {
  return (
    <>
      {text.split(/^```\w*\n?/m).map(
        (piece, index) =>
          piece.trim() !== '' && (
            <pre key={index} class={index % 2 === 1 ? 'whole' : isFaint ? 'chat-text faint' : 'chat-text'}>
              {piece.trimEnd()}
            </pre>
          ),
      )}
    </>
  );
}

function Request({ job, turn }: { readonly job: string; readonly turn: number }): JSX.Element {
  const path = at`/jobs/${job}/requests/${turn}`;
  const { data, error } = useQuery(`${job} request ${turn}`, (signal) =>
    get<unknown>(path, { maxText: 20_000 }, signal),
  );
  if (error !== undefined) return <Problem error={error} />;
  if (data === undefined) return <Outline />;
  return (
    <>
      <Whole value={data} />
      <button
        class="button quiet compact"
        type="button"
        onClick={() => void download(path, `${job} request ${turn}.json`)}
      >
        <Icon name="download" /> Download the request
      </button>
    </>
  );
}

function Say({ job }: { readonly job: string }): JSX.Element {
  const [failure, setFailure] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const say = async (form: HTMLFormElement): Promise<void> => {
    const message = new FormData(form).get('message');
    if (typeof message !== 'string' || message.trim() === '') return;
    setBusy(true);
    setFailure(undefined);
    try {
      await post(at`/jobs/${job}/say`, { message });
      form.reset();
    } catch (error) {
      setFailure(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void say(event.currentTarget);
      }}
    >
      <Problem error={failure} />
      <div class="row">
        <input
          class="field grow"
          name="message"
          placeholder="Say something to the job"
          aria-label="Message"
          autocomplete="off"
        />
        <button class="button primary" type="submit" disabled={isBusy}>
          Say
        </button>
      </div>
    </form>
  );
}
