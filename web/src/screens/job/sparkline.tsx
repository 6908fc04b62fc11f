// Numbers over commits as a small line; values that are not numbers as ticks where they change.
import type { JSX } from 'preact';

interface Point {
  readonly sequence: number;
  readonly value: unknown;
}

const width = 600;
const height = 56;

export function Sparkline({
  points,
  choose,
}: {
  readonly points: readonly Point[];
  readonly choose: (sequence: number) => void;
}): JSX.Element | null {
  const known = points.flatMap(({ sequence, value }) => {
    const number = typeof value === 'number' ? value : typeof value === 'boolean' ? Number(value) : undefined;
    return number === undefined || !Number.isFinite(number) ? [] : [{ sequence, number }];
  });
  const [first, last] = [points[0]?.sequence ?? 0, points.at(-1)?.sequence ?? 1];
  if (known.length < 2) return null;
  const low = Math.min(...known.map(({ number }) => number));
  const high = Math.max(...known.map(({ number }) => number));
  const x = (sequence: number): number => ((sequence - first) / Math.max(1, last - first)) * (width - 8) + 4;
  const y = (number: number): number => height - 6 - ((number - low) / (high - low || 1)) * (height - 12);
  const path = known
    .map(({ sequence, number }, index) =>
      index === 0 ? `M${x(sequence)} ${y(number)}` : `H${x(sequence)}V${y(number)}`,
    )
    .join('');
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`From ${low} to ${high}`}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        choose(Math.round(first + ((event.clientX - box.left) / box.width) * (last - first)));
      }}
    >
      <path d={path} fill="none" stroke="var(--accent)" stroke-width="2" vector-effect="non-scaling-stroke" />
    </svg>
  );
}
