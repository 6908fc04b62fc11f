// One process of the continuation test: opens the store, begins the program if it is new, delivers some signals, goes on as far as
// it can, says what it found, and is killed.
import { Statek } from '../../../src/index.ts';
import { program, signals } from './program.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder = '', from = '0', count = '0'] = process.argv.slice(2);

/** Stands for a service of the application; what it is told counts only once it is in the store. */
const ledger = { note: (line: string): number => line.length };

const kit = await Statek.open({ store: folder, services: { ledger }, leaseMilliseconds: 400 });
const workspace = await kit.workspace('program', { language: 'python', vars: { ledger } });
if ((await workspace.commits({ limit: 3 })).length < 3) await workspace.run(program);
// What an earlier process was sent comes before what this one sends.
await kit.runUntilIdle();
for (const [name, payload] of signals.slice(Number(from), Number(from) + Number(count))) {
  await kit.signal(name, payload);
  await kit.runUntilIdle();
}
await kit.runUntilIdle();
const step = await workspace.step(1);
process.send?.({ kind: 'state', status: step.status, value: step.value, console: await workspace.console() });
// Killed here, without closing anything.
setInterval(() => undefined, 1000);
