// The pictures in docs/pictures are those that the script draws now, and the layers are those of the source.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pictures } from '../../scripts/pictures/all.ts';
import { root } from './support.ts';

it.each(Object.entries(pictures))('%s is what the script draws', (name, draw) => {
  expect(readFileSync(join(root, 'docs/pictures', name), 'utf8')).toBe(draw());
});

it('shows every layer', () => {
  const drawn = pictures['layers.svg']?.() ?? '';
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.filter(({ name }) => !drawn.includes(`>${name}/<`)).map(({ name }) => name)).toEqual([]);
});
