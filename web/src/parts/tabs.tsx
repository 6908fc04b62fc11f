// Tabs that arrow keys walk through. Which one is open is in the address.
import type { ComponentChildren, JSX } from 'preact';

export interface Tab {
  readonly id: string;
  readonly title: ComponentChildren;
}

export function Tabs({
  label,
  tabs,
  current,
  choose,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly current: string;
  readonly choose: (id: string) => void;
}): JSX.Element {
  const pressed = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const index = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    choose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={pressed}>
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          class="tab"
          type="button"
          role="tab"
          aria-selected={id === current}
          aria-controls={`panel-${id}`}
          tabIndex={id === current ? 0 : -1}
          onClick={() => choose(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
