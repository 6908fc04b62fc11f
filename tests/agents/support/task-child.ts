// A process that makes calls of a task on a state in a store, and tells each result; it may be killed.
import { Versioned } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { always, taskWorker, times10 } from './task-worker.ts';

saveCompiledModules();

const [folder = '', ...inputs] = process.argv.slice(2);
const state = Versioned(folder);
const { work } = taskWorker('ann', always(times10));
await Promise.all(
  inputs.map(async (input) => {
    const result = await work(Number(input), { state });
    process.send?.([Number(input), result]);
  }),
);
await state.close();
process.disconnect();
