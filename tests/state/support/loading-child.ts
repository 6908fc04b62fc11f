// One of several processes that want the same results at the same time: as jobs of a kit, and from a manager by itself.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, Statek, tool } from '../../../src/index.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
export const search = tool({
  name: 'search',
  cache: { ttl: 3_600_000 },
  execute: async () => {
    appendFileSync(join(folder, 'loads'), 'loaded\n');
    await new Promise((resolve) => setTimeout(resolve, 500));
    return 'found';
  },
});
const role = `asker ${process.pid}`;
const asker = program({ role, source: 'await search({ query: 1 })' });
const kit = await Statek.open({ store: join(folder, 'store'), drivers: [asker], services: { search } });
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const load = async (): Promise<string> => {
  appendFileSync(join(folder, 'loads'), 'loaded\n');
  await new Promise((resolve) => setTimeout(resolve, 500));
  return 'found';
};
const results =
  mode === 'jobs'
    ? await Promise.all(
        (
          await kit.submitAll(
            asker,
            Array.from({ length: 25 }, () => ({ vars: { search } })),
          )
        ).map((job) => job.result()),
      )
    : await Promise.all(Array.from({ length: 25 }, () => kit.tools.getOrLoad('search', { query: 1 }, load)));
process.send?.(results);
await kit.close();
process.disconnect();
