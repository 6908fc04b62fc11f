// A worker that dies after it cancelled the job before, and before it submits the next one of the schedule.
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { asks } from './asks.ts';

saveCompiledModules();
const [store = ''] = process.argv.slice(2);
const kit = await Statek.open({
  store,
  drivers: [asks],
  leaseMilliseconds: 60_000,
  faults: {
    hit: (point) => {
      if (point === 'schedule.cancelled') process.kill(process.pid, 'SIGKILL');
    },
  },
});
kit.start();
