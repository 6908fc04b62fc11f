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
