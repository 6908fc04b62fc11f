// The bank for a short while; `npm run test:bank` does the same for longer.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SharedCrashEngine } from '../crash/place.ts';
import { runBank, type BankOptions } from './bank-run.ts';
import { bankPlace } from './place.ts';

const short = { transfers: 60, workspaces: 12, processes: 3, tasksPerKill: 5, mostRevisions: 100_000 };

test.each([
  ['sqlite', short],
  ['postgres', { ...short, transfers: 40, workspaces: 4, processes: 2, mostRevisions: 100 }],
  ['redis', { ...short, transfers: 40, workspaces: 4, processes: 2, mostRevisions: 100 }],
] as const)(
  'money is neither made nor lost on %s while processes are killed',
  { timeout: 300_000 },
  async (...given) => {
    const [engine, options]: readonly [SharedCrashEngine, Omit<BankOptions, 'seed' | 'progress'>] = given;
    const place = await bankPlace(engine);
    if (place === undefined) return;
    const seed = randomInt(2 ** 31);
    try {
      const report = await runBank(place, { ...options, seed, progress: () => undefined });
      const { problems, used } = report;
      // With the seed, the same can be drawn again: npm run test:bank -- --seed N
      expect({ seed, used, problems }).toEqual({ seed, used: options.transfers, problems: [] });
      expect(report.transfers).toBeGreaterThan(options.transfers / 2);
    } finally {
      await place.dispose();
    }
  },
);
