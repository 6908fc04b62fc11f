// A process that dies in the middle of a call of an MCP server's tool.
import { deskAgent, deskScript } from './kill-agent.ts';
import { Models, Statek } from '../../../src/index.ts';
import { join } from 'node:path';
import { Place } from './place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder = '', tool = 'slow'] = process.argv.slice(2);
const place = new Place(folder);
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: [await deskAgent(place)],
  models: new Models({ models: { script: deskScript(tool) }, env: {} }),
  leaseMilliseconds: 2000,
});
kit.start();
await kit.submit('clerk', { id: 'job', message: 'Go.' });
await place.until(() => place.lines().length > 0);
process.send?.('called');
