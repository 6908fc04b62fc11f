// Many waiting jobs: their cost for a worker, and how soon one of them continues.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { milliseconds, percentile } from '../support/measurement.ts';
import { whileItMoves } from '../support/while-it-moves.ts';
import { waiter } from './workload.ts';

/** Submits jobs and runs them until they wait. */
export async function park(folder: string, from: number, count: number): Promise<void> {
  const kit = await Statek.open({ store: folder, drivers: [waiter] });
  const before = await kit.countJobs({ status: 'SUSPENDED' });
  kit.start({ concurrency: 1000 });
  for (let index = 0; index < count; index += 1000)
    await kit.submitAll(
      waiter,
      Array.from({ length: Math.min(1000, count - index) }, (_, number) => ({ id: `parked ${from + index + number}` })),
    );
  await whileItMoves(kit.store, async () => {
    while ((await kit.countJobs({ status: 'SUSPENDED' })) < before + count)
      await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await kit.close();
}

export interface ParkedFigures {
  /** From opening the store to the first job done. */
  readonly startMilliseconds: number;
  readonly growthMegabytes: number;
}

/** A new process that works on a store full of jobs that wait. */
export function startBeside(folder: string): ParkedFigures {
  const output = execFileSync(process.execPath, ['--expose-gc', join(import.meta.dirname, 'parked-child.ts'), folder], {
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as ParkedFigures;
}

/** The time from a message to a waiting job until its result, one after another. */
export async function wakeLatencies(
  folder: string,
  from: number,
  count: number,
): Promise<{ p50: number; p99: number }> {
  const kit = await Statek.open({ store: folder, drivers: [waiter] });
  kit.start();
  const samples: number[] = [];
  for (let index = -20; index < count; index++) {
    const job = await kit.job(`parked ${from + index + 20}`);
    const done = job.result();
    const time = await milliseconds(async () => {
      await job.say('go');
      await done;
    });
    if (index >= 0) samples.push(time);
  }
  await kit.close();
  return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
}
