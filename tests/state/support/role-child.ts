// A process that works on the role of a team's member until it is killed.
import { program, Statek } from '../../../src/index.ts';
import { openLocation, type StateLocation } from './places.ts';

const kit = await Statek.open({
  store: await openLocation(JSON.parse(process.argv[2] ?? '') as StateLocation),
  drivers: [program({ role: 'clerk', source: '1' })],
  leaseMilliseconds: 1000,
});
kit.start();
process.send?.('started');
process.on('disconnect', () => process.exit(0));
