// A process that runs one step in Python and ends at once.
import { Statek } from '../../src/index.ts';

const [store = ''] = process.argv.slice(2);
const kit = await Statek.open({ store });
const step = await (await kit.workspace('main', { language: 'python' })).run('sum(n * n for n in range(10))');
process.exit(step.value === 285 ? 0 : 1);
