// Tables fit where they are shown, and nothing is cut where nobody looks.
import { expect, it } from 'vitest';
import { styleFor } from './style.ts';
import { textWidth, truncate, tableLines, type Column } from './table.ts';

const rows = [
  { id: 'a', text: 'a rather long text that goes on', count: 1 },
  { id: 'bcd', text: '会議', count: 200 },
];
const columns: Column<(typeof rows)[number]>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'TEXT', text: ({ text }) => text, minWidth: 8 },
  { title: 'COUNT', text: ({ count }) => String(count), right: true },
  { title: 'EMPTY', text: () => '' },
];
const style = styleFor(false);

it('gives columns the width they need', () => {
  expect(tableLines(rows, columns, { width: undefined, style })).toEqual([
    'ID   TEXT                             COUNT',
    'a    a rather long text that goes on      1',
    'bcd  会議                               200',
  ]);
});

it.each([30, 20, 12])('fits %i columns as far as it can', (width) => {
  const lines = tableLines(rows, columns, { width, style });
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 20));
  expect(lines[1]).toContain('…');
});

it('cuts by what is seen', () => {
  expect(truncate('会議室です', 6)).toBe('会議…');
  expect(truncate('e\u0301te\u0301', 3)).toBe('e\u0301te\u0301');
  expect(textWidth('e\u0301')).toBe(1);
});

it('marks with colours without counting them', () => {
  const [head = ''] = tableLines(rows, columns, { width: undefined, style: styleFor(true) });
  expect(head).toBe(
    '\u001B[1mID\u001B[22m   \u001B[1mTEXT\u001B[22m                             \u001B[1mCOUNT\u001B[22m',
  );
});
