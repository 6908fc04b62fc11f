// The shop of the examples as a process of its own. It is ended by being killed.
import { serveShop } from '../../../examples/express/serve.ts';
import { models, shipperWith } from '../../../examples/express/shipper.ts';
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [, , store = '', port = '0'] = process.argv;
const kit = await Statek.open({ store, agents: [shipperWith('script')], models });
const { url } = await serveShop(kit, Number(port));
process.send?.(url);
