// A new process that resumes a workspace and tells how long that took, its own start left out.
import { Statek } from '../../src/index.ts';

const [store = '', name = ''] = process.argv.slice(2);
const kit = await Statek.open({ store });
// Another workspace first, so that what every process does once is not counted.
await (await kit.workspace('warm')).run('1');
const started = performance.now();
const step = await (await kit.workspace(name)).run('total');
const time = performance.now() - started;
if (step.status !== 'done') throw new Error(step.error?.message);
process.stdout.write(String(time));
await kit.close();
