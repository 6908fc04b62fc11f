// One worker process of a fault trial: works on the jobs of the store, counts the calls they make, and lets itself be
// cut off from its store, held up, or given a wrong clock.
import { Statek, tool, type Store } from '../../src/index.ts';
import { openStoreAt } from '../chaos/place.ts';
import { saveCompiledModules } from '../support/compiled.ts';
import { Outage } from './outage.ts';
import { pulse } from './pulse.ts';

export type Order =
  | { readonly kind: 'refuse'; readonly on: boolean }
  | { readonly kind: 'block'; readonly milliseconds: number }
  | { readonly kind: 'clock'; readonly offset: number };

// Processes die here all the time.
process.env['STATEK_LOG_LEVEL'] ??= 'error';
saveCompiledModules();

const [place = '', lease = '5000', movesClock] = process.argv.slice(2);
let offset = 0;
// With a clock of its own a process has no session: only for trials of wrong clocks.
const clock = movesClock === 'true' ? { now: () => Date.now() + offset } : undefined;
let calls = 0;
const ping = tool({
  name: 'ping',
  idempotent: true,
  execute: async (_input: unknown, { idempotencyKey }) => {
    calls++;
    process.send?.({ job: idempotencyKey.split('/')[0] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return calls;
  },
});
const outage = new Outage();
const store: Store = outage.over(await openStoreAt(place, clock));
const kit = await Statek.open({
  store,
  drivers: [pulse],
  services: { ping },
  leaseMilliseconds: Number(lease),
  ...(clock === undefined ? {} : { clock }),
});
kit.start({ maxCrashes: 20 });
process.send?.('started');
process.on('message', (order: Order) => {
  if (order.kind === 'refuse') outage.isOn = order.on;
  else if (order.kind === 'clock') offset = order.offset;
  else {
    const end = performance.now() + order.milliseconds;
    while (performance.now() < end);
  }
});
process.on('disconnect', () => process.exit(0));
