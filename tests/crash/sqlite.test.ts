// The embedded engine under kill -9; `npm run test:crash` does the same for longer.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { CrashRun } from './crash-run.ts';
import { sqlitePlace } from './place.ts';

const rounds = 12;

test(
  `nothing acknowledged is lost and nothing is torn in ${rounds} rounds of kill -9`,
  { timeout: 300_000 },
  async () => {
    const seed = randomInt(2 ** 31);
    const run = new CrashRun(sqlitePlace(), seed);
    let acknowledged = 0;
    try {
      for (let round = 1; round <= rounds; round++) {
        const report = await run.round();
        expect(
          report.problems,
          `round ${round}; again: npm run test:crash -- --rounds ${round} --seed ${seed}`,
        ).toEqual([]);
        acknowledged += report.acknowledged;
      }
    } finally {
      await run.dispose();
    }
    expect(acknowledged).toBeGreaterThan(rounds);
  },
);
