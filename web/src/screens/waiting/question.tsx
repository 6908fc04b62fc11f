// One question of a job, with what it is about.
import type { JSX } from 'preact';
import type { PendingWait } from '../../api/types.ts';
import { Age } from '../../parts/age.tsx';
import { Decide, type Decided } from '../../parts/decide.tsx';
import { Whole } from '../../parts/value.tsx';
import { link } from '../../route.ts';

export function Question({
  wait,
  decided,
  isGone,
  decide,
}: {
  readonly wait: PendingWait;
  readonly decided: Decided | undefined;
  readonly isGone: boolean;
  readonly decide: (decided: Decided) => void;
}): JSX.Element {
  const about =
    wait.details ?? (wait.arguments === undefined || wait.arguments.length === 0 ? undefined : wait.arguments);
  const isOver = decided !== undefined || isGone;
  return (
    <li class="question" data-over={isOver}>
      <div class="row small soft wrap">
        <a href={link(['jobs', wait.job])}>{wait.job}</a>
        <span>{wait.role}</span>
        <span class="grow" />
        {wait.since !== undefined && <Age time={wait.since} />}
      </div>
      <p class="question-text">{wait.question ?? wait.text ?? wait.label}</p>
      {about !== undefined && (
        <details class="question-about" open={JSON.stringify(about).length < 400}>
          <summary class="small soft">What it is about</summary>
          <Whole value={about} />
        </details>
      )}
      {decided !== undefined && (
        <p class={decided.isByOther ? 'notice bad' : 'notice good'} role="status">
          {decided.words}
        </p>
      )}
      {decided === undefined && isGone && (
        <p class="notice" role="status">
          Nobody waits for this any more: it was decided elsewhere, or its job is over.
        </p>
      )}
      {!isOver && <Decide wait={wait} decided={decide} />}
    </li>
  );
}
