// The Redis engine under kill -9 of its workers and of its server; `npm run test:crash` does more of it.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { CrashRun } from './crash-run.ts';
import { redisPlace } from './place.ts';

const rounds = 5;

test(
  `nothing acknowledged is lost and nothing is torn in ${rounds} rounds of crashes`,
  { timeout: 300_000 },
  async (context) => {
    const place = await redisPlace();
    if (place === undefined) return context.skip();
    const seed = randomInt(2 ** 31);
    const run = new CrashRun(place, seed);
    let acknowledged = 0;
    try {
      await run.prepare();
      for (let round = 1; round <= rounds; round++) {
        const report = await run.round();
        const again = `npm run test:crash -- --store redis --rounds ${round} --seed ${seed}`;
        expect(report.problems, `round ${round}; again: ${again}`).toEqual([]);
        acknowledged += report.acknowledged;
      }
    } finally {
      await run.dispose();
    }
    expect(acknowledged).toBeGreaterThan(rounds);
  },
);
