// The process that is killed in the middle of a call: the call leaves a line in a file, and never ends.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder = ''] = process.argv.slice(2);
const bank = {
  pay: async (): Promise<never> => {
    appendFileSync(join(folder, 'payments'), 'paid\n');
    process.send?.('paying');
    return new Promise(() => undefined);
  },
};
const kit = await Statek.open({ store: join(folder, 'store'), services: { bank }, leaseMilliseconds: 500 });
const workspace = await kit.workspace('payment', { vars: { bank } });
await workspace.run("let seen = 'nothing'; try { await bank.pay(); } catch (error) { seen = error.code; } seen");
// The call holds nothing that keeps a process alive by itself.
setInterval(() => undefined, 1000);
