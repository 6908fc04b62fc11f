// A short run of what `npm run test:hostile` does at length: random cells and random messages.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plantCanaries } from './canaries.ts';
import { CellFuzz, cell } from './fuzz/cells.ts';
import { message, problemsOfMessage } from './fuzz/messages.ts';

let cells: CellFuzz;
beforeAll(() => {
  plantCanaries();
  cells = new CellFuzz();
});
afterAll(() => cells.close());

it('answers random messages or refuses them', () => {
  fc.assert(
    fc.property(message, (sent) => {
      expect(problemsOfMessage(sent)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

it('answers random cells', async () => {
  await fc.assert(
    fc.asyncProperty(cell, async (source) => {
      expect(await cells.problemsOf(source)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
