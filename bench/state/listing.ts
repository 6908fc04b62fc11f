// A million keys, listed page by page in a process of its own: the memory it takes must not grow with the pages.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openStore } from '../../src/index.ts';
import { StateManager } from '../../src/state.ts';
import { inBenchFolder } from '../support/folder.ts';
import { progress, round, type Measurement } from '../support/measurement.ts';
import type { Listed } from './listing-child.ts';

const batch = 1000;
/** A few pages of keys, and what the engine compiles meanwhile. */
const maxGrowth = 8;

export function measureListing(quick: boolean): Promise<readonly Measurement[]> {
  return inBenchFolder('listing', async (folder) => {
    const keys = quick ? 100_000 : 1_000_000;
    const store = await openStore(folder);
    const state = new StateManager({ store });
    for (let from = 0; from < keys; from += batch) {
      if (from % 20_000 === 0) progress(`listing: ${from} of ${keys} keys`);
      const name = (index: number): string =>
        `${index % 2 === 0 ? 'even' : 'odd'}:${String(from + index).padStart(9, '0')}`;
      await state.saveMany(
        new Map(Array.from({ length: batch }, (_, index) => [name(index), { number: from + index }])),
      );
    }
    await state.close();
    await store.close();
    progress('listing');
    const child = join(import.meta.dirname, 'listing-child.ts');
    const { listed, early, late, peak, milliseconds } = JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', child, folder], { encoding: 'utf8' }),
    ) as Listed;
    if (listed !== keys / 2) throw new Error(`${listed} of ${keys / 2} keys were listed.`);
    return [
      {
        figure: 'listedPerSecond',
        value: round(listed / (milliseconds / 1000)),
        unit: '/s',
        what: `sqlite: half of ${keys} keys listed by their prefix, page by page`,
      },
      {
        figure: 'listedGrowth',
        value: round(late - early),
        unit: 'MiB',
        what: 'sqlite: memory kept at the end, above that after fifty pages',
        goal: { text: `at most ${maxGrowth} MiB`, met: late - early <= maxGrowth },
      },
      {
        figure: 'listedPeak',
        value: round(peak),
        unit: 'MiB',
        what: 'sqlite: the most memory the process had while it listed, caches of the database included',
      },
    ];
  });
}
