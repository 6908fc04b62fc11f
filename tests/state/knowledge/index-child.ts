// Indexes a source, writes a line for each call of the handler, and is killed meanwhile.
import { appendFileSync } from 'node:fs';
import { KnowledgeStateManager } from '../../../src/state.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [place = '', log = '', count = '0'] = process.argv.slice(2);
const knowledge = new KnowledgeStateManager({ store: await openStoreAt(place), leaseMilliseconds: 3000 });
const items = Array.from({ length: Number(count) }, (_, number) => ({
  id: `item-${number}`,
  content: `item number${number} of everything`,
}));
const report = await knowledge.index(
  'source',
  items,
  async ({ id }, { idempotencyKey }) => {
    appendFileSync(log, `${id} ${idempotencyKey}\n`);
    if (Number(id.slice(5)) % 10 === 0) process.send?.('working');
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { embeddings: 1 };
  },
  { knowledgeBase: 'base', concurrency: 2, waitMilliseconds: 60_000 },
);
process.send?.(report);
process.disconnect();
await knowledge.close();
process.exit(0);
