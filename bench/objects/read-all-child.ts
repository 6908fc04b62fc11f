// A new process that reads a field of every object, and tells how its memory grew.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Statek } from '../../src/index.ts';
import { classes, Person } from './people.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const [store = '', megabytes = '64'] = process.argv.slice(2);
const kit = await Statek.open({ store, classes, objectCacheMegabytes: Number(megabytes) });
const page = await kit.transaction(() => kit.find(Person).page(100));
collectGarbage();
const before = process.memoryUsage();
const started = performance.now();
let peak = before.rss;
let count = 0;
let sum = 0;
let cursor: string | undefined;
do {
  // Page by page, as a program does that cannot hold them all.
  cursor = await kit.transaction(() => {
    const { items, cursor: next } = kit.find(Person).page(5000, cursor);
    for (const person of items) sum += person.score;
    count += items.length;
    return next;
  });
  peak = Math.max(peak, process.memoryUsage.rss());
  // Objects that nobody holds are let go of between pages.
  await new Promise((resolve) => setImmediate(resolve));
} while (cursor !== undefined);
const seconds = (performance.now() - started) / 1000;
if (sum !== (count * (count - 1)) / 2) throw new Error(`The scores of ${count} people add up to ${sum}.`);
collectGarbage();
await new Promise((resolve) => setTimeout(resolve, 100));
collectGarbage();
const after = process.memoryUsage();
process.stdout.write(
  JSON.stringify({
    count,
    first: page.items.length,
    perSecond: count / seconds,
    heapGrowth: (after.heapUsed - before.heapUsed) / 2 ** 20,
    peakGrowth: (peak - before.rss) / 2 ** 20,
    peak: peak / 2 ** 20,
  }),
);
await kit.close();
