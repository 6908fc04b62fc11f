// The time slider: one notch for each commit. Everything else on the screen shows the moment it stands at.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { bytes, clockTime, count } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/notices.tsx';
import type { Moments } from './moments.ts';

export function Slider({ moments }: { readonly moments: Moments }): JSX.Element {
  const last = moments.last.value;
  const position = moments.chosen.value ?? last ?? 0;
  const commit = moments.commit.value;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '[') moments.step(-1);
      else if (event.key === ']') moments.step(1);
      else if (event.key === 'l') moments.latest();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [moments]);
  const isEmpty = last === undefined;
  return (
    <div class="slider">
      <button
        class="button compact"
        type="button"
        aria-label="One commit back"
        title="One commit back ( [ )"
        disabled={isEmpty || position <= moments.first.value}
        onClick={() => moments.step(-1)}
      >
        <Icon name="left" />
      </button>
      <input
        class="slider-range"
        type="range"
        aria-label="Commit"
        aria-valuetext={commit === undefined ? 'none' : `commit ${commit.sequence}, ${clockTime(commit.time)}`}
        min={moments.first.value}
        max={last ?? 0}
        value={position}
        disabled={isEmpty}
        onInput={({ currentTarget: { valueAsNumber } }) => moments.choose(valueAsNumber)}
      />
      <button
        class="button compact"
        type="button"
        aria-label="One commit on"
        title="One commit on ( ] )"
        disabled={isEmpty || moments.isLatest.value}
        onClick={() => moments.step(1)}
      >
        <Icon name="right" />
      </button>
      <span class="slider-text">
        {commit === undefined ? (
          <span class="soft">{moments.isLoaded.value ? 'No commits yet' : ' '}</span>
        ) : (
          <>
            commit <b>{count(commit.sequence)}</b>
            <span class="faint">/{count(last ?? 0)}</span>{' '}
            <span class="soft">
              {clockTime(commit.time)} · {commit.kind}
              {commit.step !== null && `, step ${commit.step}`}
              {commit.storedBytes > 0 && ` · ${bytes(commit.storedBytes)}`}
            </span>
          </>
        )}
      </span>
      <button
        class={moments.isLatest.value ? 'button compact latest' : 'button compact primary'}
        type="button"
        title="Follow the latest commit ( l )"
        aria-pressed={moments.isLatest.value}
        disabled={isEmpty}
        onClick={() => moments.latest()}
      >
        Latest
      </button>
      <Problem error={moments.error.value} />
    </div>
  );
}
