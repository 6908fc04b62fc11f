// One subject of the system in a frame.
import type { ComponentChildren, JSX } from 'preact';
import type { Queried } from '../../live/query.ts';
import { Outline, Problem } from '../../parts/notices.tsx';

export function Card({
  title,
  query,
  none,
  children,
}: {
  readonly title: string;
  readonly query: Pick<Queried<unknown>, 'data' | 'error'>;
  readonly none: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card">
      <h2 class="card-head">{title}</h2>
      <div class="card-body">
        <Problem error={query.error} />
        {query.data === undefined && query.error === undefined && <Outline lines={3} />}
        {query.data !== undefined && (children === false ? <p class="faint">{none}</p> : children)}
      </div>
    </section>
  );
}
