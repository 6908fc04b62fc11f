// `npm run test:sim`: many seeded simulations. The last line of its output is a summary in JSON, and its exit code says
// whether all was well; a failure names its seed.
import { parseArgs } from 'node:util';
import { simulate } from '../../src/testing.ts';
import { jobWorld } from './world.ts';

// Processes die here all the time.
process.env['STATEK_LOG_LEVEL'] ??= 'error';
const usage = 'npm run test:sim -- [--seed N] [--seeds 1000] [--steps 200]   (--seed alone runs that one)';
const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, steps: { type: 'string', default: '200' } },
});
const first = Number(values.seed ?? '1');
const count = Number(values.seeds ?? (values.seed === undefined ? '1000' : '1'));
const steps = Number(values.steps);
if (![first, count, steps].every((number) => Number.isInteger(number) && number >= 0)) {
  console.error(usage);
  process.exit(2);
}

const started = performance.now();
let crashes = 0;
let stops = 0;
const failed: number[] = [];
for (let seed = first; seed < first + count; seed++) {
  try {
    // Every fourth has programs in it, which take longer to simulate.
    const report = await simulate({ seed, steps, world: (random) => jobWorld(random, seed % 4 === 0) });
    crashes += report.crashes;
    stops += report.stops;
  } catch (error) {
    failed.push(seed);
    console.error(error instanceof Error ? error.message : String(error));
    if (failed.length >= 10) break;
  }
  if (process.stderr.isTTY)
    process.stderr.write(`\r\u001b[K… ${seed - first + 1} of ${count}, ${failed.length} failed`);
}
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seeds: count, from: first, steps, crashes, stops, failed, seconds }));
process.exit(failed.length === 0 ? 0 : 1);
