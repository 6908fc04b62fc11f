// A process that works on the jobs of schedules until it is killed.
import { Statek } from '../../src/index.ts';
import { tick } from './tick.ts';

const [store = ''] = process.argv.slice(2);
const kit = await Statek.open({ store, drivers: [tick], leaseMilliseconds: 2000 });
kit.start({ concurrency: 50 });
process.send?.('ready');
