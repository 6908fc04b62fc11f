// One worker process of a chaos run. It works until it is killed.
import { openStoreAt } from './place.ts';
import { Statek } from '../../src/index.ts';
import { drivers, effects } from './world.ts';
import { saveCompiledModules } from '../support/compiled.ts';

// Processes die here all the time.
process.env['STATEK_LOG_LEVEL'] ??= 'error';
saveCompiledModules();

const [place = '', url = '', lease = '2000'] = process.argv.slice(2);
const services = effects(url);
const kit = await Statek.open({
  store: await openStoreAt(place),
  drivers: drivers(services),
  services,
  leaseMilliseconds: Number(lease),
});
// Processes are killed from outside here, more often in a row than is any job's fault.
kit.start({ concurrency: 40, maxCrashes: 20 });
process.send?.('started');
process.on('disconnect', () => process.exit(0));
