// Each line of docs/features.md and docs/promises.md names a test that is there.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { featureRows } from '../mutants/features.ts';

it.each([
  ['features', 100],
  ['promises', 20],
] as const)('names for every line of %s a test that exists, or says that it is missing', (page, least) => {
  const rows = featureRows(page);
  expect(rows.length).toBeGreaterThan(least);
  const wrong = rows.flatMap(({ what, proof }) => {
    if (proof.startsWith('missing')) return [];
    const [file = '', title = ''] = proof.split(' › ');
    const path = new URL(`../../${file}`, import.meta.url);
    if (!existsSync(path)) return [`${what}: there is no file ${file}`];
    // Titles are written as they are read, and in source with what quotes need.
    const source = readFileSync(path, 'utf8')
      .replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll("\\'", "'");
    const isThere = ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`));
    return isThere ? [] : [`${what}: ${file} has no test '${title}'`];
  });
  expect(wrong).toEqual([]);
});
