// Books a seat in an asynchronous call: something outside, a transaction, and then a moment before the call returns.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { Seats } from './booking.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [folder = '', pause = '0'] = process.argv.slice(2);
const desk = {
  async book(seat: string): Promise<string> {
    appendFileSync(join(folder, 'outside'), `${seat}\n`);
    await kit.transaction(() => void new Seats().taken.push(seat));
    process.send?.('held');
    await new Promise((resolve) => setTimeout(resolve, Number(pause)));
    return `booked ${seat}`;
  },
};
const kit = await Statek.open({
  store: join(folder, 'store'),
  classes: [Seats],
  services: { desk },
  leaseMilliseconds: 1000,
});
const workspace = await kit.workspace('booking', { vars: { desk } });
await workspace.run('let told; try { told = await desk.book("12A"); } catch (error) { told = error.code; } told');
await workspace.settled();
process.send?.('done');
setInterval(() => undefined, 1000);
