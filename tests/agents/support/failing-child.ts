// A process whose job fails, to be killed while it tells those who clean up.
import { join } from 'node:path';
import { Models, Statek } from '../../../src/index.ts';
import { failingAgent, failingModel } from './failing.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder = '', mode = ''] = process.argv.slice(2);
const agent = failingAgent(folder, mode === 'again', () => process.send?.('told'));
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: [agent],
  models: new Models({ models: { script: failingModel() }, env: {} }),
  settings: { logLevel: 'silent' },
  leaseMilliseconds: 2000,
});
kit.start();
await kit.submit(agent, { id: 'job', message: 'Please.' });
