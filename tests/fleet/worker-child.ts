// One worker process of a fleet run. It works until it is killed.
import { join } from 'node:path';
import { Models, Statek } from '../../src/index.ts';
import { agentsOf, fleetModel, setAgents } from './world.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [folder = '', agents = '1', name = '', lease = '5000'] = process.argv.slice(2);
setAgents(Number(agents));
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: agentsOf(Number(agents)),
  models: new Models({ models: { fleet: fleetModel(join(folder, `served-${name}`)) }, env: {} }),
  settings: { logLevel: 'silent' },
  leaseMilliseconds: Number(lease),
});
kit.start({ concurrency: 50 });
process.send?.('started');
process.on('disconnect', () => process.exit(0));
