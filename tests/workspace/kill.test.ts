// A few rounds of the long run in kill-run.ts: a program whose processes are killed at random moments ends as it must.
import { expect, it } from 'vitest';
import { Random } from '../crash/random.ts';
import { killUntilDone } from './kill-program.ts';

it('ends as it must, however often its processes are killed', async () => {
  const random = new Random(20_260_301);
  let kills = 0;
  while (kills < 6) kills += await killUntilDone(() => random.fraction());
  expect(kills).toBeGreaterThanOrEqual(6);
});
