// The step that ran at the chosen moment, with the line where it waits, and its error in place.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { at, get } from '../../api/request.ts';
import type { CommitDetails, Job, StepSource } from '../../api/types.ts';
import { useQuery } from '../../live/query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import type { HighlightedLine } from './highlight.ts';
import type { Moments } from './moments.ts';

const maxLines = 2000;

export function Code({
  job,
  moments,
  details,
}: {
  readonly job: Job;
  readonly moments: Moments;
  readonly details: CommitDetails | undefined;
}): JSX.Element {
  const commit = moments.commit.value;
  const step = commit?.step ?? undefined;
  const source = useQuery(
    step === undefined ? undefined : `${job.id} ${step}`,
    (signal) => get<StepSource>(at`/jobs/${job.id}/source`, { step }, signal),
    { keep: true, when: (event) => event.job === job.id && (event.kind === 'step' || event.kind === 'done') },
  );
  const isLatest = moments.isLatest.value;
  const then = details?.commit.hash === commit?.hash ? (details?.waiting ?? []) : [];
  const waits = (isLatest ? (job.waiting ?? []) : then).filter((wait) => wait.at?.step === step);
  // The error belongs to the last commit of the step; before, there was none.
  const isItsEnd = isLatest || source.data?.commit === commit?.hash;
  const fault = isItsEnd ? source.data?.error : undefined;
  const text = source.data?.source ?? '';
  return (
    <section class="panel code-panel" aria-label="Code">
      <div class="panel-head">
        <h2>Code</h2>
        {step !== undefined && <span class="soft">step {step}</span>}
        {waits.length > 0 && (
          <span class="chip waiting-chip">waits on line {waits.map(({ at: place }) => place?.line).join(', ')}</span>
        )}
      </div>
      <div class="panel-body" tabIndex={0} role="region" aria-label="Source">
        <Problem error={source.error} />
        {commit === undefined || step === undefined ? (
          moments.isLoaded.value ? (
            <Empty title="No code ran yet">
              {commit === undefined ? '' : `Commit ${commit.sequence} is from before the first step.`}
            </Empty>
          ) : (
            <Outline lines={8} />
          )
        ) : (
          <Listing
            text={text}
            language={source.data?.language}
            waits={
              new Map(
                waits.flatMap((wait) => (wait.at === undefined ? [] : [[wait.at.line, wait.question ?? wait.label]])),
              )
            }
            fault={fault}
          />
        )}
      </div>
    </section>
  );
}

function Listing({
  text,
  language,
  waits,
  fault,
}: {
  readonly text: string;
  readonly language: string | undefined;
  readonly waits: ReadonlyMap<number, string>;
  readonly fault: StepSource['error'];
}): JSX.Element {
  const lines = useHighlighted(text, language);
  const list = useRef<HTMLOListElement>(null);
  const first = [...waits.keys()][0] ?? fault?.line;
  useEffect(() => {
    const line = first === undefined ? undefined : list.current?.children[first - 1];
    if (line instanceof HTMLElement) showLine(line);
  }, [text, first]);
  return (
    <ol ref={list} class="code">
      {lines.slice(0, maxLines).map((line, index) => {
        const number = index + 1;
        const question = waits.get(number);
        const isFaulty = fault?.line === number;
        return (
          <li key={number} class={question !== undefined ? 'waits-here' : isFaulty ? 'fails-here' : undefined}>
            <span class="line-number" aria-hidden="true">
              {number}
            </span>
            <code>
              {line.map(([part, kind], place) => (
                <span key={place} class={kind}>
                  {part}
                </span>
              ))}
              {'\n'}
            </code>
            {question !== undefined && (
              <span class="line-note">
                <Icon name="hourglass" /> {question}
              </span>
            )}
            {isFaulty && (
              <span class="line-note bad">
                <Icon name="cross" /> {fault.name}: {fault.message}
              </span>
            )}
          </li>
        );
      })}
      {fault !== undefined && fault.line === undefined && (
        <li class="fails-here">
          <span class="line-number" />
          <span class="line-note bad">
            <Icon name="cross" /> {fault.name}: {fault.message}
          </span>
        </li>
      )}
      {lines.length > maxLines && (
        <li>
          <span class="line-number" />
          <span class="soft">… {lines.length - maxLines} more lines</span>
        </li>
      )}
    </ol>
  );
}

function useHighlighted(text: string, language: string | undefined): readonly HighlightedLine[] {
  const [known, setKnown] = useState<{ readonly text: string; readonly lines: readonly HighlightedLine[] }>();
  useEffect(() => {
    let isCurrent = true;
    const highlight = async (): Promise<void> => {
      const { highlighted } = await import('./highlight.ts');
      const lines = await highlighted(text, language);
      if (isCurrent) setKnown({ text, lines });
    };
    // Without colours it can be read as well.
    highlight().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [text, language]);
  if (known?.text === text) return known.lines;
  return text.split('\n').map((line) => [[line, undefined]]);
}

/** Scrolls the code to a line, and nothing around the code: on a phone the whole screen would jump. */
function showLine(line: HTMLElement): void {
  const body = line.closest('.panel-body');
  if (body === null) return;
  const [inner, outer] = [line.getBoundingClientRect(), body.getBoundingClientRect()];
  if (inner.top < outer.top) body.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) body.scrollTop += inner.bottom - outer.bottom;
}
