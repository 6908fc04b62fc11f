// The PostgreSQL engine under kill -9 of its workers and crashes of its server; `npm run test:crash` does more of it.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { CrashRun } from './crash-run.ts';
import { postgresPlace } from './place.ts';

const rounds = 5;

test(
  `nothing acknowledged is lost and nothing is torn in ${rounds} rounds of crashes`,
  { timeout: 300_000 },
  async (context) => {
    const place = await postgresPlace();
    if (place === undefined) return context.skip();
    const seed = randomInt(2 ** 31);
    const run = new CrashRun(place, seed);
    let acknowledged = 0;
    try {
      await run.prepare();
      for (let round = 1; round <= rounds; round++) {
        const report = await run.round();
        const again = `npm run test:crash -- --store postgres --rounds ${round} --seed ${seed}`;
        expect(report.problems, `round ${round}; again: ${again}`).toEqual([]);
        acknowledged += report.acknowledged;
      }
    } finally {
      await run.dispose();
    }
    expect(acknowledged).toBeGreaterThan(rounds);
  },
);
