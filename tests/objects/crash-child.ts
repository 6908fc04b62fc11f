// A process that changes a graph by numbered transactions without end, until it is killed. Each number printed is one
// that was made durable, or that threw and left nothing.
import { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { openStore } from '../../src/store/open.ts';
import { applyNumbered, graphClasses, Root } from './support/graph-model.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [, , folder = '', seed = '0', first = '1'] = process.argv;
const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
const objects = await Objects.open(store, { classes: graphClasses });
process.stdout.write('ready\n');

for (let number = Number(first); ; number++) {
  try {
    await transact(objects, () => applyNumbered(new Root(), Number(seed), number));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  process.stdout.write(`${number}\n`);
}
