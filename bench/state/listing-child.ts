// Lists the keys of a prefix page by page, and tells its peak memory after fifty pages and at the end, in MiB.
import { openStore } from '../../src/index.ts';
import { StateManager } from '../../src/state.ts';

export interface Listed {
  readonly listed: number;
  readonly early: number;
  readonly late: number;
  readonly milliseconds: number;
}

const [folder = ''] = process.argv.slice(2);
const peak = (): number => process.resourceUsage().maxRSS / 1024;
const store = await openStore(folder);
const state = new StateManager({ store });
// The first pages: what is made once is made.
for (let page = 0, cursor: string | undefined; page < 50; page++)
  ({ cursor } = await state.listKeys('even:*', { cursor }));
const early = peak();
const started = performance.now();
let listed = 0;
let cursor: string | undefined;
do {
  const page = await state.listKeys('even:*', { cursor });
  listed += page.keys.length;
  ({ cursor } = page);
} while (cursor !== undefined);
const milliseconds = performance.now() - started;
process.stdout.write(JSON.stringify({ listed, early, late: peak(), milliseconds } satisfies Listed));
await state.close();
await store.close();
