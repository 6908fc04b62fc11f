// Every mutant can be made, and belongs to a line of docs/features.md.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { featureRows } from './features.ts';
import { mutants } from './mutants.ts';

it('breaks a piece of source that occurs once, behind a feature that is listed', () => {
  const proofs = new Set(featureRows().map(({ proof }) => proof));
  expect(mutants.length).toBeGreaterThanOrEqual(60);
  const wrong = mutants.flatMap(({ proof, file, find }) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    const times = source.split(find).length - 1;
    return [
      ...(times === 1 ? [] : [`${file} has ${times} times: ${find}`]),
      ...(proofs.has(proof) ? [] : [`No feature is proved by ${proof}`]),
    ];
  });
  expect(wrong).toEqual([]);
});
