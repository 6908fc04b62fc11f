// Lists the keys of a prefix page by page, and tells what is kept in memory after fifty pages and at the end, in MiB: with what nobody
// refers to collected, so that neither the mood of the collector nor the cache of the database counts.
import { openStore } from '../../src/index.ts';
import { StateManager } from '../../src/state.ts';

export interface Listed {
  readonly listed: number;
  readonly early: number;
  readonly late: number;
  /** What the process had at most, caches included. */
  readonly peak: number;
  readonly milliseconds: number;
}

const [folder = ''] = process.argv.slice(2);
const kept = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
};
const store = await openStore(folder);
const state = new StateManager({ store });
// The first pages: what is made once is made.
for (let page = 0, cursor: string | undefined; page < 50; page++)
  ({ cursor } = await state.listKeys('even:*', { cursor }));
const early = kept();
const started = performance.now();
let listed = 0;
let cursor: string | undefined;
do {
  const page = await state.listKeys('even:*', { cursor });
  listed += page.keys.length;
  ({ cursor } = page);
} while (cursor !== undefined);
const milliseconds = performance.now() - started;
const late = kept();
process.stdout.write(
  JSON.stringify({ listed, early, late, peak: process.resourceUsage().maxRSS / 1024, milliseconds } satisfies Listed),
);
await state.close();
await store.close();
