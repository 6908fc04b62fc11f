// Another process: it works on the jobs of the store, and ends when it is told to.
import { Statek } from '../../src/index.ts';
import { counting, stepping, waiting } from './programs.ts';

const [, , folder = ''] = process.argv;
const kit = await Statek.open({ store: folder, drivers: [counting, stepping, waiting] });
const worker = kit.start();
process.send?.('working');
process.once('message', () => {
  void (async () => {
    await worker.stop();
    await kit.close();
    process.disconnect();
  })();
});
