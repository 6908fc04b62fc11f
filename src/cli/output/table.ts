// Tables that fit the terminal: columns with a `minWidth` are truncated, the widest first.
import type { Style } from './style.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** Lets the column be truncated on a narrow terminal, down to this width. */
  readonly minWidth?: number;
  readonly right?: true;
  readonly style?: (text: string, row: Row) => string;
}

const gap = 2;

export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, style }: { readonly width: number | undefined; readonly style: Style },
): string[] {
  const texts = rows.map((row) => columns.map(({ text }) => text(row)));
  // Empty columns are left out.
  const used = columns.flatMap((column, index) =>
    rows.length === 0 || texts.some((cells) => cells[index] !== '') ? [{ column, index }] : [],
  );
  const widths = used.map(({ column, index }) =>
    Math.max(textWidth(column.title), ...texts.map((cells) => textWidth(cells[index] ?? ''))),
  );
  if (width !== undefined)
    shrink(
      widths,
      used.map(({ column }) => column.minWidth),
      width,
    );
  const line = (cells: readonly string[], mark: (text: string, position: number) => string): string =>
    cells
      .map((cell, position) => {
        const size = widths[position] ?? 0;
        const isLast = position === cells.length - 1;
        const shown = truncate(cell, size);
        const space = ' '.repeat(Math.max(0, size - textWidth(shown)));
        const marked = mark(shown, position);
        if (used[position]?.column.right === true) return space + marked;
        return isLast ? marked : marked + space;
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    line(
      used.map(({ column }) => column.title),
      (text) => style.bold(text),
    ),
    ...rows.map((row, number) =>
      line(
        used.map(({ index }) => texts[number]?.[index] ?? ''),
        (text, position) => used[position]?.column.style?.(text, row) ?? text,
      ),
    ),
  ];
}

function shrink(widths: number[], minWidths: readonly (number | undefined)[], width: number): void {
  for (;;) {
    const total = widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
    if (total <= width) return;
    let widest = -1;
    for (const [index, size] of widths.entries()) {
      const bound = minWidths[index];
      if (bound !== undefined && size > bound && (widest < 0 || size > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
}

/** Truncates text to a width, with an ellipsis. */
export function truncate(text: string, size: number): string {
  if (textWidth(text) <= size) return text;
  let shown = '';
  let used = 0;
  for (const character of text) {
    const wide = widthOf(character);
    if (used + wide > size - 1) break;
    shown += character;
    used += wide;
  }
  return `${shown}…`;
}

/** Width in terminal columns: East Asian characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  let total = 0;
  for (const character of text) total += widthOf(character);
  return total;
}

function widthOf(character: string): number {
  if (/^(?:\p{Mark}|\u200B|\u200C|\u200D)$/u.test(character)) return 0;
  return /^[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]$/u.test(
    character,
  )
    ? 2
    : 1;
}
