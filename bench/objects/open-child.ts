// A new process that opens a store and reads one field of one object, and tells how long that took. Starting Node and
// loading the modules is left out: a program does that once, whatever it opens.
import { Statek } from '../../src/index.ts';
import { classes, type Person } from './people.ts';

await import('../../src/store/sqlite/open.ts');
const [store = '', id = ''] = process.argv.slice(2);
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const before = cpu();
const started = performance.now();
const kit = await Statek.open({ store, classes });
const opened = performance.now();
const person = (await kit.fetch(id)) as Person | undefined;
if (typeof person?.name !== 'string') throw new Error('The person has no name.');
const read = performance.now();
process.stdout.write(JSON.stringify({ open: opened - started, read: read - opened, cpu: cpu() - before }));
await kit.close();
