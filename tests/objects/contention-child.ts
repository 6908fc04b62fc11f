// One of two processes whose programs want the same: runs a step whenever it is told to, and says what came of it.
import { Statek } from '../../src/index.ts';
import type { PlaceDescription } from '../crash/place.ts';
import { openPlace } from '../crash/place.ts';
import { Booking, contentionClasses, Doctor } from './contention.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [placeText = '', name = ''] = process.argv.slice(2);
const store = await openPlace(JSON.parse(placeText) as PlaceDescription);
const kit = await Statek.open({ store, classes: contentionClasses });
const vars = { Booking, bookings: kit.find(Booking), doctors: kit.find(Doctor) };
const workspace = await kit.workspace(name, { vars });
process.on('message', (source: string) => {
  void workspace.run(source).then(({ value, error }) => process.send?.({ value, error }));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
