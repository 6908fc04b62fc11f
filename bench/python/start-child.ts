// A process that runs one step in Python on the built package, says when it has the result, and ends at once.
import { writeSync } from 'node:fs';
import type * as Package from '../../src/index.ts';

const [entry = '', store = ''] = process.argv.slice(2);
const { Statek } = (await import(entry)) as typeof Package;
const kit = await Statek.open({ store });
const step = await (await kit.workspace('main', { language: 'python' })).run('sum(n * n for n in range(10))');
if (step.value !== 285) throw new Error(`The result is ${String(step.value)}.`);
writeSync(1, 'result\n');
process.exit(0);
