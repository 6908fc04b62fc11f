// A worker of a soak. It says how much memory it uses, and works until it is stopped or killed.
import { openSoak } from './cast.ts';

const [store = '', bookings = ''] = process.argv.slice(2);
const { kit } = await openSoak(store, bookings);
kit.start({ concurrency: 20, maxCrashes: 20 });
setInterval(() => {
  globalThis.gc?.();
  process.send?.({ heap: process.memoryUsage().heapUsed, rss: process.memoryUsage().rss });
}, 2000);
process.on('disconnect', () => process.exit(0));
