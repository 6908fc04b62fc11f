// A process that makes objects, drops them and collects without end, until it is killed.
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import { newIndex } from '../../src/objects/graph.ts';
import { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { openStore } from '../../src/store/open.ts';
import { Random } from '../crash/random.ts';
import { classes, Hub, Item } from './collect-support.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [, , folder = '', seedText = '0'] = process.argv;
const random = new Random(Number(seedText));
const store = await openStore(folder, { sqlite: { durability: 'relaxed' } });
const objects = await Objects.open(store, { classes });

function branch(depth: number): Item {
  const item = new Item();
  item['list'] = Array.from({ length: random.between(0, 200) }, (_, index) => index);
  item['map'] = new Map(Array.from({ length: random.between(0, 90) }, (_, index) => [index, { index }]));
  const index = newIndex<Item>(objects);
  item['index'] = index;
  if (depth > 0) for (let key = 0; key < 2; key++) index.add(key, branch(depth - 1));
  return item;
}

process.stdout.write('ready\n');
for (;;) {
  await transact(objects, () => (new Hub()[`slot${random.between(0, 2)}`] = branch(2)));
  const { removed } = await collectObjects(objects, { graceMilliseconds: 0 });
  process.stdout.write(`${removed}\n`);
}
