// Tables that fit the width: columns that may be cut give way, the widest first.
import type { Style } from './style.ts';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  /** May be cut where the terminal is too narrow; at least so many characters stay. */
  readonly least?: number;
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
  // A column that says nothing takes no place.
  const used = columns.flatMap((column, index) =>
    rows.length === 0 || texts.some((cells) => cells[index] !== '') ? [{ column, index }] : [],
  );
  const widths = used.map(({ column, index }) =>
    Math.max(length(column.title), ...texts.map((cells) => length(cells[index] ?? ''))),
  );
  if (width !== undefined)
    shrink(
      widths,
      used.map(({ column }) => column.least),
      width,
    );
  const line = (cells: readonly string[], mark: (text: string, position: number) => string): string =>
    cells
      .map((cell, position) => {
        const size = widths[position] ?? 0;
        const isLast = position === cells.length - 1;
        const shown = cut(cell, size);
        const space = ' '.repeat(Math.max(0, size - length(shown)));
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

function shrink(widths: number[], least: readonly (number | undefined)[], width: number): void {
  for (;;) {
    const total = widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
    if (total <= width) return;
    let widest = -1;
    for (const [index, size] of widths.entries()) {
      const bound = least[index];
      if (bound !== undefined && size > bound && (widest < 0 || size > (widths[widest] ?? 0))) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
}

/** Cut with a mark, by characters as people count them. */
export function cut(text: string, size: number): string {
  if (length(text) <= size) return text;
  let shown = '';
  let taken = 0;
  for (const character of text) {
    const wide = widthOf(character);
    if (taken + wide > size - 1) break;
    shown += character;
    taken += wide;
  }
  return `${shown}…`;
}

/** Columns of a terminal: characters of East Asia and pictures take two, marks on others none. */
export function length(text: string): number {
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
