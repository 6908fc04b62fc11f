// A worker that dies after a slice that took long, before it is noted.
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { adds, Counter } from './adds.ts';

saveCompiledModules();
const [store = ''] = process.argv.slice(2);
const kit = await Statek.open({
  store,
  drivers: [adds],
  classes: [Counter],
  slowSliceMilliseconds: 0,
  settings: { logLevel: 'silent' },
  faults: {
    hit: (point) => {
      if (point === 'slice.slow') process.kill(process.pid, 'SIGKILL');
    },
  },
});
await kit.runUntilIdle();
