// Whether a curve is flat: its slope after the warm-up, against what it swings anyway, and a picture of it for the terminal.
const blocks = '▁▂▃▄▅▆▇█';

export interface Slope {
  /** How much it grows over the whole time, by the line that fits best. */
  readonly growth: number;
  /** How far values lie from that line, as a standard deviation. */
  readonly noise: number;
  readonly mean: number;
  /** It grows by no more than its noise allows, or than a tenth of itself. */
  readonly isFlat: boolean;
}

export function slopeOf(values: readonly number[]): Slope {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, count);
  const middle = (count - 1) / 2;
  const across = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0) || 1;
  const rise = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / across;
  const rest = values.map((value, index) => value - mean - rise * (index - middle));
  const noise = Math.sqrt(rest.reduce((sum, one) => sum + one ** 2, 0) / Math.max(1, count - 2));
  const growth = rise * Math.max(0, count - 1);
  return { growth, noise, mean, isFlat: growth <= Math.max(3 * noise, mean / 10) };
}

/** A curve in one line, at most so wide. */
export function picture(values: readonly number[], width = 60): string {
  const step = Math.max(1, values.length / width);
  const shown = Array.from(
    { length: Math.min(width, values.length) },
    (_, index) => values[Math.floor(index * step)] ?? 0,
  );
  const top = Math.max(...shown, 1);
  return shown.map((value) => blocks[Math.min(7, Math.floor((value / top) * 7.99))]).join('');
}
