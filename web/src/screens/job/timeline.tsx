// What the job did over time, on one canvas. A click chooses the moment; the wheel and + and - zoom; arrows move.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { at, get } from '../../api/request.ts';
import type { Job, Span, Timeline as Data } from '../../api/types.ts';
import { clockTime, duration, plural } from '../../format.ts';
import { useQuery } from '../../live/query.ts';
import { now } from '../../live/clock.ts';
import { go } from '../../route.ts';
import { theme } from '../../theme.ts';
import { heightOf, hit, labelWidth, paint, type Window } from './timeline-drawing.ts';
import type { Moments } from './moments.ts';

export function Timeline({ job, moments }: { readonly job: Job; readonly moments: Moments }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [zoom, setZoom] = useState<Window>();
  const [hovered, setHovered] = useState<{ readonly span: Span; readonly lane: string }>();
  // Asked for in steps, so that a drag is not a hundred requests.
  const key = `${job.id} ${zoom === undefined ? '' : `${Math.round(zoom.from)} ${Math.round(zoom.to)}`}`;
  const [asked, setAsked] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(key), zoom === undefined ? 0 : 120);
    return () => clearTimeout(timer);
  }, [key]);
  const { data } = useQuery(
    asked,
    (signal) =>
      get<Data>(
        at`/jobs/${job.id}/timeline`,
        {
          from: zoom === undefined ? undefined : Math.max(0, zoom.from),
          to: zoom === undefined ? undefined : Math.max(1, zoom.to),
          pieces: 400,
        },
        signal,
      ),
    { when: (event) => event.job === job.id, keep: true, calm: 80 },
  );
  const isRunning = job.status !== 'DONE';
  const shown: Window | undefined =
    zoom ?? (data && { from: data.from, to: isRunning ? Math.max(data.to, now.value) : data.to });
  const cursor = moments.commit.value;
  const isLatest = moments.isLatest.value;
  const scheme = theme.value;

  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (canvas.current?.parentElement) observer.observe(canvas.current.parentElement);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (canvas.current === null || width === 0) return;
    paint(canvas.current, width, {
      data,
      shown,
      cursor: cursor === undefined || isLatest ? undefined : new Date(cursor.time).getTime(),
      hovered: hovered?.span,
    });
  }, [data, width, shown?.from, shown?.to, cursor, isLatest, hovered, scheme]);
  // The colours of the system may change without the page knowing.
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => setHovered(undefined);
    query.addEventListener('change', redraw);
    return () => query.removeEventListener('change', redraw);
  }, []);

  const zoomBy = (factor: number, middle?: number): void => {
    if (shown === undefined || data === undefined) return;
    const centre = middle ?? (shown.from + shown.to) / 2;
    const from = centre - (centre - shown.from) * factor;
    const to = centre + (shown.to - centre) * factor;
    const isWhole = zoom !== undefined && to - from >= (Math.max(data.to, now.value) - Date.parse(job.created)) * 1.02;
    setZoom(isWhole && factor > 1 ? undefined : to - from < 2 ? zoom : { from, to });
  };
  const move = (part: number): void => {
    if (shown === undefined) return;
    const by = (shown.to - shown.from) * part;
    setZoom({ from: shown.from + by, to: shown.to + by });
  };
  const timeAt = (x: number): number =>
    shown === undefined
      ? 0
      : shown.from + ((x - labelWidth) / Math.max(1, width - labelWidth)) * (shown.to - shown.from);
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoomBy(0.5),
    '=': () => zoomBy(0.5),
    '-': () => zoomBy(2),
    '0': () => setZoom(undefined),
    ArrowLeft: () => move(-0.15),
    ArrowRight: () => move(0.15),
  };
  const drag = useRef<{ x: number; window: Window; isMoved: boolean }>(undefined);
  const dragged = (event: PointerEvent): void => {
    const { current } = drag;
    if (current === undefined) {
      setHovered(hit(data, shown, width, event.offsetX, event.offsetY));
      return;
    }
    const by = event.offsetX - current.x;
    if (Math.abs(by) < 3 && !current.isMoved) return;
    current.isMoved = true;
    const perPixel = (current.window.to - current.window.from) / Math.max(1, width - labelWidth);
    setZoom({ from: current.window.from - by * perPixel, to: current.window.to - by * perPixel });
  };
  const choose = (event: PointerEvent): void => {
    const wasMoved = drag.current?.isMoved === true;
    drag.current = undefined;
    if (wasMoved) return;
    const found = hit(data, shown, width, event.offsetX, event.offsetY);
    if (found?.lane === 'child' && found.span.id !== undefined) go(['jobs', found.span.id]);
    else if (found?.span.commit !== undefined) void moments.chooseHash(found.span.commit);
    else void chooseTime(moments, data, timeAt(event.offsetX));
  };

  const { count, longest } = summaryOf(data);
  return (
    <div class="timeline" style={{ height: `${heightOf()}px` }}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={`Timeline: ${count}. ${longest} Zoom with plus and minus, move with the arrow keys.`}
        onKeyDown={(event) => {
          const action = keys[event.key];
          if (action === undefined || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          action();
        }}
        onWheel={(event) => {
          if (Math.abs(event.deltaY) < Math.abs(event.deltaX)) move(event.deltaX / 1000);
          else zoomBy(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.offsetX));
          event.preventDefault();
        }}
        onPointerDown={(event) => {
          if (shown === undefined) return;
          drag.current = { x: event.offsetX, window: shown, isMoved: false };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={dragged}
        onPointerUp={choose}
        onPointerLeave={() => setHovered(undefined)}
      />
      <div class="timeline-tools">
        {hovered !== undefined && <span class="timeline-tip">{describe(hovered.span)}</span>}
        {zoom !== undefined && (
          <button class="button compact" type="button" onClick={() => setZoom(undefined)}>
            Show all
          </button>
        )}
      </div>
    </div>
  );
}

/** The commit that was the latest at a time. */
async function chooseTime(moments: Moments, data: Data | undefined, time: number): Promise<void> {
  const slices = data?.lanes.find(({ lane }) => lane === 'slice')?.spans ?? [];
  const before = slices.findLast(({ start }) => start <= time) ?? slices[0];
  if (before?.commit !== undefined) await moments.chooseHash(before.commit);
}

function describe(span: Span): string {
  const many = (span.count ?? 1) > 1 ? ` and ${(span.count ?? 1) - 1} more` : '';
  const length = span.end === undefined ? 'goes on' : span.end === span.start ? '' : duration(span.end - span.start);
  return [`${span.label}${many}`, clockTime(span.start), length, span.state === 'done' ? '' : (span.state ?? '')]
    .filter((part) => part !== '')
    .join(' · ');
}

const names: Readonly<Record<string, readonly [string, string]>> = {
  model: ['model request', 'model requests'],
  slice: ['slice', 'slices'],
  call: ['call', 'calls'],
  wait: ['wait', 'waits'],
  child: ['child', 'children'],
  process: ['process event', 'process events'],
};

function summaryOf(data: Data | undefined): { readonly count: string; readonly longest: string } {
  if (data === undefined) return { count: 'loading', longest: '' };
  const parts = data.lanes.flatMap(({ lane, spans }) => {
    const number = spans.reduce((sum, span) => sum + (span.count ?? 1), 0);
    const [one, many] = names[lane] ?? [lane, lane];
    return number === 0 ? [] : [plural(number, one, many)];
  });
  const crashes = data.lanes.find(({ lane }) => lane === 'process')?.spans.filter(({ state }) => state === 'crashed');
  return {
    count: parts.join(', ') || 'nothing yet',
    longest: crashes === undefined || crashes.length === 0 ? '' : `A process died ${plural(crashes.length, 'time')}.`,
  };
}
