// A worker whose function holds up its thread for several lease times, and notes each run.
import { appendFileSync } from 'node:fs';
import { Statek } from '../../../src/index.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { longSlice } from './long-slice.ts';

saveCompiledModules();

const [place = '', runs = '', lease = '', milliseconds = ''] = process.argv.slice(2);
const work = (): number => {
  appendFileSync(runs, 'run\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(milliseconds));
  return 7;
};
const kit = await Statek.open({
  store: await openStoreAt(place),
  drivers: [longSlice],
  services: { work },
  leaseMilliseconds: Number(lease),
  limits: { hardCpuMilliseconds: 60_000 },
});
kit.start();
process.on('disconnect', () => process.exit(0));
