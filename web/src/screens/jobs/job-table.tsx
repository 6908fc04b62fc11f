// The list itself: a tree grid that the keyboard can walk through.
import type { JSX, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Outline, Problem } from '../../parts/notices.tsx';
import { useVirtual } from '../../parts/virtual.ts';
import { go } from '../../route.ts';
import { count } from '../../format.ts';
import type { JobList, Row } from './job-list.ts';
import { JobRow, rowId } from './job-row.tsx';

const rowHeight = 44;

export function JobTable({ list }: { readonly list: JobList }): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = list.rows.value;
  const [selected, setSelected] = useState<string>();
  const virtual = useVirtual({
    count: rows.length,
    size: rowHeight,
    scroller,
    keyOf: (index) => rows[index]?.job.id ?? index,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const inSight = shown.map(({ index }) => rows[index]?.job.id ?? '').join('\n');
  useEffect(() => list.see(new Set(inSight.split('\n'))), [list, inSight]);
  useEffect(() => {
    if (last >= rows.length - 40 && list.error.value === undefined && list.filter.text === undefined) void list.more();
  }, [list, last, rows.length]);

  useAnchor(scroller, rows, virtual.scrollOffset ?? 0);

  const select = (wanted: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, wanted));
    setSelected(rows[next]?.job.id);
    virtual.scrollToIndex(next);
  };
  const move = (by: number): void => {
    const at = rows.findIndex(({ job }) => job.id === selected);
    select(at < 0 ? 0 : at + by);
  };
  const open = (isWanted: boolean): void => {
    const job = rows.find((row) => row.job.id === selected)?.job;
    if (job?.hasChildren === true && list.open.value.has(job.id) !== isWanted) void list.toggle(job.id);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    j: () => move(1),
    k: () => move(-1),
    PageDown: () => move(12),
    PageUp: () => move(-12),
    Home: () => select(0),
    End: () => select(rows.length - 1),
    Enter: () => selected !== undefined && go(['jobs', selected]),
    ArrowRight: () => open(true),
    ArrowLeft: () => open(false),
  };
  const pressed = (event: KeyboardEvent): void => {
    const action = keys[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  return (
    <>
      <div class="job-heads" aria-hidden="true">
        <span>Job</span>
        <span>Status</span>
        <span>Role</span>
        <span>Waits for</span>
        <span class="right">Cost</span>
        <span class="right">Age</span>
      </div>
      <div
        ref={scroller}
        class="jobs"
        role="treegrid"
        aria-label="Jobs"
        aria-rowcount={list.isComplete.value ? rows.length : -1}
        aria-activedescendant={selected === undefined ? undefined : rowId(selected)}
        tabIndex={0}
        onKeyDown={pressed}
      >
        <div class="jobs-space" role="rowgroup" style={{ height: `${virtual.getTotalSize()}px` }}>
          {shown.map(({ index, key, start }) => {
            const row = rows[index];
            return (
              row && (
                <JobRow
                  key={key}
                  row={row}
                  index={index}
                  top={start}
                  isSelected={row.job.id === selected}
                  isOpen={list.open.value.has(row.job.id)}
                  canOpen={row.job.hasChildren}
                  toggle={() => void list.toggle(row.job.id)}
                />
              )
            );
          })}
        </div>
        <Below list={list} />
      </div>
    </>
  );
}

/** Rows that come or go above those in sight do not move them. */
function useAnchor(scroller: RefObject<HTMLDivElement | null>, rows: readonly Row[], scrolled: number): void {
  const anchor = useRef<{ readonly id: string; readonly offset: number }>(undefined);
  const before = useRef(rows);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (element === null) return;
    const known = anchor.current;
    if (before.current !== rows && known !== undefined && element.scrollTop > 0) {
      const index = rows.findIndex(({ job }) => job.id === known.id);
      const wanted = index * rowHeight + known.offset;
      if (index >= 0 && Math.abs(wanted - element.scrollTop) > 1) element.scrollTop = wanted;
    }
    before.current = rows;
    const first = Math.floor(element.scrollTop / rowHeight);
    const id = rows[first]?.job.id;
    anchor.current = id === undefined ? undefined : { id, offset: element.scrollTop - first * rowHeight };
  }, [rows, scrolled]);
}

function Below({ list }: { readonly list: JobList }): JSX.Element | null {
  const { text } = list.filter;
  if (list.error.value !== undefined)
    return (
      <div class="card-body">
        <Problem error={list.error.value} />
      </div>
    );
  if (list.isEmpty) {
    const isFiltered = Object.keys(list.filter).length > 0;
    return (
      <Empty title={isFiltered ? 'No job matches' : 'No jobs yet'}>
        {isFiltered ? 'Take a filter away, or search for something else.' : 'Submit one: it appears here by itself.'}
      </Empty>
    );
  }
  if (list.isLoading.value)
    return (
      <div class="card-body">
        <Outline lines={list.rows.value.length === 0 ? 8 : 2} />
      </div>
    );
  if (text !== undefined && !list.isComplete.value)
    return (
      <div class="empty">
        <p>Searched the latest {count(list.searched.value)} jobs.</p>
        <button class="button" type="button" onClick={() => void list.more()}>
          <Icon name="search" /> Search further
        </button>
      </div>
    );
  return null;
}
