// A process whose workspace is in the middle of a call that never ends.
import { Statek, tool } from '../../../src/index.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [place = '', lease = ''] = process.argv.slice(2);
const work = tool({
  name: 'work',
  idempotent: true,
  execute: async () => {
    process.send?.('working');
    return new Promise(() => undefined);
  },
});
const kit = await Statek.open({
  store: await openStoreAt(place),
  services: { work },
  leaseMilliseconds: Number(lease),
});
const workspace = await kit.workspace('w', { vars: { work } });
await workspace.run('await work()');
process.on('disconnect', () => process.exit(0));
