// One of the processes that use one workspace at the same time: counts up in it, and says which numbers it was given.
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder = '', steps = '0'] = process.argv.slice(2);
const kit = await Statek.open({ store: folder, leaseMilliseconds: 1000 });
const workspace = await kit.workspace('shared');
const values: unknown[] = [];
for (let step = 0; step < Number(steps); step++) values.push((await workspace.run('count += 1; count')).value);
await kit.close();
process.send?.(values);
