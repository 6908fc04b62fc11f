// A process that gives one command after another, to be killed.
import { openStore } from '../../../src/index.ts';
import { command, managersOn, rounds } from './commands.ts';

const [folder = '', first = '1'] = process.argv.slice(2);
const managers = managersOn(await openStore(folder));
for (let round = Number(first); round <= rounds; round++) {
  process.send?.({ begun: round });
  await command(managers, round);
  process.send?.({ done: round });
}
process.exit(0);
