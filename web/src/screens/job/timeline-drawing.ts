// Draws the timeline: lanes of bars on a canvas, an axis, the chosen moment.
import type { Lane, Span, Timeline } from '../../api/types.ts';

export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Drawn {
  readonly data: Timeline | undefined;
  readonly shown: Window | undefined;
  /** The chosen moment; undefined while the latest is followed. */
  readonly cursor: number | undefined;
  readonly hovered: Span | undefined;
}

export const labelWidth = 72;
const laneHeight = 17;
const axisHeight = 20;
const lanes: readonly { readonly lane: Lane; readonly word: string; readonly colour: string }[] = [
  { lane: 'model', word: 'model', colour: '--limit' },
  { lane: 'slice', word: 'slices', colour: '--accent' },
  { lane: 'call', word: 'calls', colour: '--running' },
  { lane: 'wait', word: 'waits', colour: '--waiting' },
  { lane: 'child', word: 'children', colour: '--completed' },
  { lane: 'process', word: 'process', colour: '--failed' },
];
const bad = new Set(['failed', 'crashed']);

export function heightOf(): number {
  return lanes.length * laneHeight + axisHeight;
}

interface Placed {
  readonly x: number;
  readonly width: number;
}

function placed({ start, end }: Span, { from, to }: Window, width: number): Placed | undefined {
  const scale = (width - labelWidth) / (to - from);
  const left = labelWidth + (start - from) * scale;
  const right = labelWidth + ((end ?? to) - from) * scale;
  if (right < labelWidth - 2 || left > width) return undefined;
  const x = Math.max(labelWidth, left);
  return { x, width: Math.max(3, Math.min(width, right) - x) };
}

export function paint(canvas: HTMLCanvasElement, width: number, { data, shown, cursor, hovered }: Drawn): void {
  const height = heightOf();
  const ratio = devicePixelRatio;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const colour = coloursOf(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `11px ${style.fontFamily}`;
  context.textBaseline = 'middle';
  if (shown !== undefined) paintAxis(context, width, shown, colour);
  for (const [index, { lane, word, colour: name }] of lanes.entries()) {
    const top = index * laneHeight;
    const spans = data?.lanes.find((one) => one.lane === lane)?.spans ?? [];
    context.fillStyle = colour(spans.length === 0 ? '--ink-faint' : '--ink-soft');
    context.fillText(word, 0, top + laneHeight / 2 + 0.5);
    context.fillStyle = colour('--line');
    context.fillRect(labelWidth, top + laneHeight - 0.5, width - labelWidth, 0.5);
    if (shown === undefined) continue;
    for (const span of spans)
      paintSpan(context, span, { top, shown, width, name, colour, isHovered: span === hovered });
  }
  if (cursor !== undefined && shown !== undefined) {
    const x = labelWidth + ((cursor - shown.from) / (shown.to - shown.from)) * (width - labelWidth);
    if (x >= labelWidth - 1 && x <= width + 1) {
      context.fillStyle = colour('--accent');
      context.fillRect(Math.min(width - 1.5, x) - 0.75, 0, 1.5, height - axisHeight + 4);
    }
  }
}

type Colour = (name: string) => string;

function paintSpan(
  context: CanvasRenderingContext2D,
  span: Span,
  {
    top,
    shown,
    width,
    name,
    colour,
    isHovered,
  }: {
    readonly top: number;
    readonly shown: Window;
    readonly width: number;
    readonly name: string;
    readonly colour: Colour;
    readonly isHovered: boolean;
  },
): void {
  const bar = placed(span, shown, width);
  if (bar === undefined) return;
  const isBad = bad.has(span.state ?? '');
  const middle = top + laneHeight / 2;
  context.fillStyle = colour(isBad ? '--failed' : name);
  // What is over is paler than what goes on; what went wrong is a shape of its own.
  context.globalAlpha = isHovered ? 1 : span.end === undefined || isBad || bar.width <= 4 ? 0.95 : 0.6;
  if (isBad && bar.width < 8) {
    context.beginPath();
    context.moveTo(bar.x, middle - 6);
    context.lineTo(bar.x + 6, middle);
    context.lineTo(bar.x, middle + 6);
    context.lineTo(bar.x - 6, middle);
    context.fill();
  } else {
    context.beginPath();
    context.roundRect(bar.x, top + 3, bar.width, laneHeight - 7, 2);
    context.fill();
  }
  context.globalAlpha = 1;
}

const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000, 2_592_000_000,
];

function paintAxis(context: CanvasRenderingContext2D, width: number, { from, to }: Window, colour: Colour): void {
  const wanted = Math.max(2, Math.floor((width - labelWidth) / 110));
  const step = steps.find((size) => (to - from) / size <= wanted) ?? 31_536_000_000;
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((from - offset) / step) * step + offset;
  const top = lanes.length * laneHeight;
  for (let time = first; time <= to; time += step) {
    const x = labelWidth + ((time - from) / (to - from)) * (width - labelWidth);
    context.fillStyle = colour('--line');
    context.fillRect(x, 0, 1, top);
    context.fillStyle = colour('--ink-faint');
    const text = axisText(time, step);
    if (x + context.measureText(text).width < width) context.fillText(text, x, top + axisHeight / 2 + 2);
  }
}

function axisText(time: number, step: number): string {
  const date = new Date(time);
  if (step >= 86_400_000) return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' });
  const pad = (number: number, length = 2): string => String(number).padStart(length, '0');
  const minutes = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (step >= 60_000) return minutes;
  const seconds = `${minutes}:${pad(date.getSeconds())}`;
  return step >= 1000 ? seconds : `${seconds}.${pad(date.getMilliseconds(), 3)}`;
}

/** What is drawn at a point. */
export function hit(
  data: Timeline | undefined,
  shown: Window | undefined,
  width: number,
  x: number,
  y: number,
): { readonly span: Span; readonly lane: Lane } | undefined {
  const lane = lanes[Math.floor(y / laneHeight)]?.lane;
  if (lane === undefined || shown === undefined) return undefined;
  const spans = data?.lanes.find((one) => one.lane === lane)?.spans ?? [];
  const span = spans.findLast((one) => {
    const bar = placed(one, shown, width);
    return bar !== undefined && x >= bar.x - 5 && x <= bar.x + bar.width + 5;
  });
  return span && { span, lane };
}

/** The colours of the page in its present theme: a canvas does not know variables or `light-dark()`. */
function coloursOf(canvas: HTMLCanvasElement): Colour {
  const found = new Map<string, string>();
  const probe = canvas.parentElement;
  return (name) => {
    let value = found.get(name);
    if (value === undefined && probe !== null) {
      probe.style.setProperty('outline-color', `var(${name})`);
      value = getComputedStyle(probe).outlineColor;
      found.set(name, value);
    }
    return value ?? 'currentColor';
  };
}
