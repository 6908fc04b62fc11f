// Durable steps per second, for one job and for many at once.
import { Statek, type Driver, type Store } from '../../src/index.ts';
import { milliseconds } from '../support/measurement.ts';
import { whileItMoves } from '../support/while-it-moves.ts';

/** Steps per second of concurrent jobs in one process. */
export async function stepsPerSecond(store: Store, driver: Driver, jobs: number, steps: number): Promise<number> {
  const kit = await Statek.open({ store, drivers: [driver], leaseMilliseconds: 30_000 });
  try {
    const worker = kit.start({ concurrency: jobs });
    // Warm-up, so that one-time work is not measured.
    await (await kit.submit(driver, { input: 3 })).result();
    const time = await milliseconds(async () => {
      const submitted = await kit.submitAll(
        driver,
        Array.from({ length: jobs }, () => ({ input: steps })),
      );
      await whileItMoves(store, () => Promise.all(submitted.map((job) => job.result())));
    });
    await worker.stop();
    return (jobs * steps) / (time / 1000);
  } finally {
    await kit.close();
  }
}
