// One job in the list.
import type { JSX } from 'preact';
import { memo } from '../../parts/memo.ts';
import { cost } from '../../format.ts';
import { Age } from '../../parts/age.tsx';
import { Icon } from '../../parts/icon.tsx';
import { StatusMark } from '../../parts/status.tsx';
import { link } from '../../route.ts';
import type { Row } from './job-list.ts';

export interface JobRowProps {
  readonly row: Row;
  readonly index: number;
  readonly top: number;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly canOpen: boolean;
  readonly toggle: () => void;
}

export function rowId(id: string): string {
  return `row-${encodeURIComponent(id)}`;
}

function sameRow(a: JobRowProps, b: JobRowProps): boolean {
  return (
    a.row.job === b.row.job &&
    a.row.level === b.row.level &&
    a.index === b.index &&
    a.top === b.top &&
    a.isSelected === b.isSelected &&
    a.isOpen === b.isOpen &&
    a.canOpen === b.canOpen
  );
}

export const JobRow = memo(({ row, index, top, isSelected, isOpen, canOpen, toggle }: JobRowProps): JSX.Element => {
  const { job, level } = row;
  const href = link(['jobs', job.id]);
  const [wait] = job.waits ?? [];
  const more = (job.waits?.length ?? 0) - 1;
  return (
    <div
      id={rowId(job.id)}
      class={isSelected ? 'job-row selected' : 'job-row'}
      role="row"
      aria-rowindex={index + 1}
      aria-level={level + 1}
      aria-expanded={canOpen ? isOpen : undefined}
      aria-selected={isSelected}
      style={{ transform: `translateY(${top}px)` }}
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a, button') === null) location.hash = href;
      }}
    >
      <div class="job-name" role="gridcell" style={{ paddingLeft: `${level * 1.25}rem` }}>
        {canOpen ? (
          <button
            class="branch"
            type="button"
            tabIndex={-1}
            aria-expanded={isOpen}
            aria-label={isOpen ? 'Hide its children' : 'Show its children'}
            onClick={toggle}
          >
            <Icon name="right" />
          </button>
        ) : (
          <span class="branch" />
        )}
        <a class="cut job-link" href={href} title={job.id} tabIndex={-1}>
          {job.id}
        </a>
        {job.labels.slice(0, 2).map((label) => (
          <span key={label} class="chip cut">
            {label}
          </span>
        ))}
      </div>
      <div role="gridcell">
        <StatusMark job={job} />
      </div>
      <div class="cut soft wide" role="gridcell">
        {job.role}
      </div>
      <div class="cut soft wide" role="gridcell">
        {wait !== undefined && (
          <>
            {wait.since !== undefined && (
              <span class="faint">
                <Age time={wait.since} /> ·{' '}
              </span>
            )}
            {wait.question ?? wait.label}
            {more > 0 && <span class="faint"> and {more} more</span>}
          </>
        )}
        {wait === undefined && job.error !== undefined && <span>{job.error.message}</span>}
      </div>
      <div class="right soft wide" role="gridcell">
        {cost(job.usage?.cost)}
      </div>
      <div class="right soft wide" role="gridcell">
        <Age time={job.created} />
      </div>
    </div>
  );
}, sameRow);
