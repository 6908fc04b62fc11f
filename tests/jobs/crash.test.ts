// Processes that die of a job, and of anything else.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storeFolder } from '../workspace/support/kits.ts';
import { chaos } from '../chaos/chaos.ts';
import { Random } from '../crash/random.ts';
import { simulate } from '../../src/testing.ts';
import { jobWorld } from '../simulation/world.ts';

it('recognises a job that ends its process, and takes no more processes along', async () => {
  const folder = storeFolder();
  let deaths = 0;
  const told: unknown[] = [];
  for (let tries = 0; tries < 6; tries++) {
    const child = fork(join(import.meta.dirname, 'crash-child.ts'), [folder], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (message) => told.push(message));
    await new Promise((resolve) => child.once('exit', resolve));
    if (told.length > 0) break;
    deaths++;
  }
  expect(told[0]).toEqual([
    ['failed', 'CRASH_LOOP', expect.stringContaining('died 2 times')],
    ['completed', null, null],
  ]);
  expect(deaths).toBe(2);
});

it('brings every job to its right end while workers are killed', async () => {
  const random = new Random(11);
  const { problems, kills } = await chaos({
    place: storeFolder(),
    jobs: 6,
    workers: 2,
    pause: 1200,
    leaseMilliseconds: 1000,
    random: () => random.fraction(),
  });
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(0);
});

it.each([1, 2, 3, 4])('simulation %i', async (seed) => {
  const report = await simulate({ seed, steps: 80, world: (random) => jobWorld(random, seed === 4) });
  expect(report.seed).toBe(seed);
});

it('tells the seed of a simulation that fails', async () => {
  const world = (random: Parameters<typeof jobWorld>[0]): ReturnType<typeof jobWorld> => ({
    ...jobWorld(random, false),
    check: () => Promise.resolve(['wrong']),
  });
  await expect(simulate({ seed: 5, steps: 5, world })).rejects.toThrow('seed 5 and 5 steps failed: wrong');
});
