// Variables that differ, with what they were and what they are.
import type { JSX } from 'preact';
import type { Difference } from '../api/types.ts';

const signs = { added: '+', removed: '−', changed: '~' } as const;

export function DifferenceList({ differences }: { readonly differences: readonly Difference[] }): JSX.Element {
  if (differences.length === 0) return <p class="faint">No variable differs.</p>;
  return (
    <ul class="differences">
      {differences.map(({ name, change, before, after }) => (
        <li key={name} class="difference" data-change={change}>
          <span class="mono">
            <b aria-hidden="true">{signs[change]}</b> {name} <span class="faint small">{change}</span>
          </span>
          {before !== undefined && <pre class="before">{before}</pre>}
          {after !== undefined && <pre class="after">{after}</pre>}
        </li>
      ))}
    </ul>
  );
}
