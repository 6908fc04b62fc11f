// One of two processes that make the same singleton at the same moment, in one space after another.
import { createInterface } from 'node:readline';
import { Durable } from '../../src/objects/durable.ts';
import { idOf } from '../../src/objects/graph.ts';
import { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { openPlace, type PlaceDescription } from '../crash/place.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

class Root extends Durable {
  static durable = { singleton: true };
  title = 'untitled';
  list: number[] = [];
}

const store = await openPlace(JSON.parse(process.argv[2] ?? '') as PlaceDescription);
const objects = await Objects.open(store, { classes: [Root] });
const lost: string[] = [];
process.on('warning', (warning) => {
  if ((warning as { code?: string }).code === 'STATEK_CHANGE_LOST') lost.push(warning.message);
});
process.stdout.write('ready\n');
for await (const name of createInterface({ input: process.stdin })) {
  const make = (): Root => objects.spaces.use(name, () => new Root());
  const shown = (root: Root): object => ({ id: idOf(root), title: root.title, list: [...root.list], lost });
  if (store.synchronous === undefined) {
    process.stdout.write(`${JSON.stringify(await transact(objects, () => shown(make())))}\n`);
  } else {
    const root = make();
    await objects.plainWrites.flush();
    process.stdout.write(`${JSON.stringify(shown(root))}\n`);
  }
}
process.exit();
