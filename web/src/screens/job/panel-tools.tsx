// A search that the server does, and a download of everything.
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { saveAs } from '../../api/request.ts';
import { Icon } from '../../parts/icon.tsx';

export function PanelTools({
  name,
  search,
  all,
}: {
  /** Of the file. */
  readonly name: string;
  readonly search: (text: string) => void;
  readonly all: () => Promise<string>;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      saveAs(new Blob([await all()], { type: 'text/plain' }), name);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <input
        class="field panel-search"
        type="search"
        placeholder="Search"
        aria-label={`Search in ${name}`}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => search(value), 200);
        }}
      />
      <button
        class="button quiet compact"
        type="button"
        disabled={isBusy}
        aria-label={`Download ${name}`}
        title="Download all"
        onClick={() => void save()}
      >
        <Icon name="download" />
      </button>
    </>
  );
}

const most = 1000;

/** Shows more of a list that begins before what is shown; at some length, a file is better than a page. */
export function Earlier({
  limit,
  more,
}: {
  readonly limit: number;
  readonly more: (limit: number) => void;
}): JSX.Element {
  if (limit >= most) return <p class="small faint">There is more before this. Download all to see it.</p>;
  return (
    <button class="button quiet compact" type="button" onClick={() => more(Math.min(most, limit + 400))}>
      Earlier
    </button>
  );
}
