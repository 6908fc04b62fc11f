// A process that works on a job and never gets done with it.
import { Statek } from '../../../src/index.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { stuck } from './stuck.ts';

saveCompiledModules();

const [place = '', lease = ''] = process.argv.slice(2);
const driver = stuck(() => {
  process.send?.('working');
  return new Promise(() => undefined);
});
const kit = await Statek.open({ store: await openStoreAt(place), drivers: [driver], leaseMilliseconds: Number(lease) });
kit.start();
process.on('disconnect', () => process.exit(0));
