// Hundreds of programs that try to get out, or never to end. None has an effect on the host, and every workspace answers
// the next step with what it had.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statek } from '../../src/kit/statek.ts';
import { plantCanaries } from './canaries.ts';
import { openHostileKit, problemsOf } from './check.ts';
import { routes } from './snippets.ts';

let kit: Statek;
beforeAll(async () => {
  plantCanaries();
  kit = await openHostileKit();
});
afterAll(() => kit.close());

describe.each(Object.entries(routes))('%s', (_, snippets) => {
  it.each(Object.entries(snippets))(
    '%s',
    async (_name, snippet) => {
      expect(await problemsOf(kit, snippet)).toEqual([]);
    },
    60_000,
  );
});
