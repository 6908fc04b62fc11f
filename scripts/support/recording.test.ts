// Pictures of terminal sessions: colours become styles, places are kept, and the same session gives the same picture.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordingOf, runsOf } from './recording.ts';
import { root } from './source.ts';

it('finds runs of one style, where they stand', () => {
  expect(runsOf('  a \u001b[31mb c\u001b[0m   d')).toEqual([
    { text: '  a ', column: 0, style: '' },
    { text: 'b c', column: 4, style: 'red' },
    { text: '   d', column: 7, style: '' },
  ]);
  expect(runsOf('\u001b[2m  \u001b[0m')).toEqual([]);
});

it('shows text as text', () => {
  const picture = recordingOf('if (a < b && "c")\n', { columns: 20, rows: 4, title: 't' });
  expect(picture).toContain('if (a &lt; b &amp;&amp; &quot;c&quot;)');
});

it('is what the picture of the README was made with', () => {
  const of = (name: string): string => readFileSync(join(root, 'docs/pictures', name), 'utf8');
  const options = { columns: 104, rows: 34, title: 'npm start' };
  expect(of('npm-start.svg')).toBe(recordingOf(of('npm-start.ansi'), options));
});
