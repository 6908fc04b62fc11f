// Hundreds of Python programs that try to get out, or never to end. None has an effect on the host, and every workspace answers the
// next step with what it had.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantCanaries } from '../../hostile/canaries.ts';
import { cpu, memory, native } from './bombs.ts';
import { openAttacked, problemsOf, type Attacked } from './check.ts';
import { imports, insides } from './reaching.ts';
import { bridging, tampering } from './tampering.ts';

let attacked: Attacked;
beforeAll(async () => {
  plantCanaries();
  attacked = await openAttacked();
});
afterAll(() => attacked.kit.close());

describe.each(Object.entries({ imports, insides, cpu, native, memory, tampering, bridging }))('%s', (_, snippets) => {
  it.each(Object.entries(snippets))(
    '%s',
    async (_name, snippet) => {
      expect(await problemsOf(attacked, snippet)).toEqual([]);
    },
    60_000,
  );
});
