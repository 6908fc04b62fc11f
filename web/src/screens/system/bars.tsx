// A value for each of a few days as a bar, with what went wrong on top of it.
import type { JSX } from 'preact';

interface Bar {
  readonly key: string;
  readonly value: number;
  readonly bad: number;
  readonly title: string;
}

const height = 48;
const step = 20;

export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }): JSX.Element {
  const most = Math.max(...bars.map(({ value }) => value)) || 1;
  return (
    <svg class="bars" viewBox={`0 0 ${bars.length * step} ${height}`} role="img" aria-label={label}>
      {bars.map(({ key, value, bad, title }, index) => {
        const tall = Math.max(1, (value / most) * (height - 10));
        return (
          <g key={key}>
            <title>{title}</title>
            <rect x={index * step + 3} y={height - tall} width={step - 6} height={tall} rx="2" fill="var(--accent)" />
            {bad > 0 && (
              <circle cx={index * step + step / 2} cy={height - tall - 5} r="3" fill="var(--failed)">
                <title>{title}</title>
              </circle>
            )}
          </g>
        );
      })}
    </svg>
  );
}
