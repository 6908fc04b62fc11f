// The file engine under kill -9; `npm run test:crash -- --store file` does the same for longer.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { CrashRun } from './crash-run.ts';
import { filePlace } from './place.ts';

const rounds = 12;

test(
  `nothing acknowledged is lost and nothing is torn in ${rounds} rounds of kill -9`,
  { timeout: 300_000 },
  async () => {
    const seed = randomInt(2 ** 31);
    const run = new CrashRun(filePlace(), seed);
    let acknowledged = 0;
    try {
      for (let round = 1; round <= rounds; round++) {
        const report = await run.round();
        expect(
          report.problems,
          `round ${round}; again: npm run test:crash -- --store file --rounds ${round} --seed ${seed}`,
        ).toEqual([]);
        acknowledged += report.acknowledged;
      }
    } finally {
      await run.dispose();
    }
    expect(acknowledged).toBeGreaterThan(rounds);
  },
);
