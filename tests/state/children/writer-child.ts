// A process that changes state: it increments counters, or saves until it is killed and says after each save that it was made.
import { StateManager } from '../../../src/state/manager/manager.ts';
import { openLocation, type StateLocation } from '../support/places.ts';

interface Task {
  readonly location: StateLocation;
  readonly verb: 'increment' | 'save';
  readonly times: number;
}

const { location, verb, times } = JSON.parse(process.argv[2] ?? '') as Task;
const store = await openLocation(location);
const state = new StateManager({ store });
for (let index = 1; index <= times; index++) {
  if (verb === 'increment') await state.mutate<number>('counter', (value = 0) => value + 1);
  else {
    await state.save(`key ${index % 7}`, { index });
    process.stdout.write(`${index}\n`);
  }
}
await state.close();
await store.close();
