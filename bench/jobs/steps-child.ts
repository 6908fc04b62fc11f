// One of several processes that work on the same queue. It tells when it is ready, submits its jobs when told to, and tells
// when they are done, whichever process worked on them.
import { Statek } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { stepper } from './workload.ts';

const [url = '', schema = '', jobs = '', steps = ''] = process.argv.slice(2);
const store = await openPostgres(url, { schema });
const kit = await Statek.open({ store, drivers: [stepper], leaseMilliseconds: 30_000 });
kit.start({ concurrency: Number(jobs) });
// Warm-up, so that one-time work is not measured.
await (await kit.submit(stepper, { input: 3 })).result();
process.once('message', () => void work());
process.once('disconnect', () => process.exit(1));
process.send?.('ready');

async function work(): Promise<void> {
  const submitted = await kit.submitAll(
    stepper,
    Array.from({ length: Number(jobs) }, () => ({ input: Number(steps) })),
  );
  await Promise.all(submitted.map((job) => job.result()));
  process.send?.('done');
  process.once('message', () => void end());
}

async function end(): Promise<void> {
  process.removeAllListeners('disconnect');
  await kit.close();
  await store.close();
  process.disconnect();
}
