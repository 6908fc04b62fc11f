// A new process on a store full of waiting jobs: measures the time to its first work, and the memory they take.
import { openStore, Statek } from '../../src/index.ts';
import { stepper, waiter } from './workload.ts';

const [folder = ''] = process.argv.slice(2);
const memory = async (): Promise<number> => {
  for (let index = 0; index < 5; index++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage.rss();
};
// Runs on an empty store first, to subtract the memory of the program itself.
const empty = await Statek.open({ store: 'memory:', drivers: [stepper, waiter] });
empty.start();
await (await empty.submit(stepper, { input: 1 })).result();
await empty.close();
const before = await memory();
const started = performance.now();
const store = await openStore(folder);
const kit = await Statek.open({ store, drivers: [stepper, waiter] });
kit.start();
await (await kit.submit(stepper, { input: 1 })).result();
const startMilliseconds = performance.now() - started;
const growth = (await memory()) - before;
console.log(JSON.stringify({ startMilliseconds, growthMegabytes: growth / 2 ** 20 }));
await kit.close();
await store.close();
