// A kit that is served over standard input and output.
import { serveMcpStdio } from '../../../src/mcp.ts';
import { servedKit } from './served-kit.ts';

const [store = 'memory:', options = '{}'] = process.argv.slice(2);
const kit = await servedKit(store);
kit.start();
await serveMcpStdio(kit, JSON.parse(options) as object).ended;
await kit.close();
