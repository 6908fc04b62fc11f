// The table of limits in the documentation has every limit, with the default the code has.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultLimits } from '../../src/workspace/limits.ts';
import { root } from './support.ts';

const units: Record<string, number> = { MiB: 2 ** 20, KiB: 1024, Ki: 1024 };

it('lists every limit with its default', () => {
  const page = readFileSync(join(root, 'docs/workspace.md'), 'utf8');
  const table = page.slice(page.indexOf('## Limits'), page.indexOf('## Many workspaces'));
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d,]+) ?(\w+)?/gm)].map(([, name = '', number = '', unit = '']) => [
    name,
    Number(number.replaceAll(',', '')) * (units[unit] ?? 1),
  ]);
  expect(Object.fromEntries(rows)).toEqual(defaultLimits);
});
