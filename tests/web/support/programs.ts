// Programs that do what the screens show: ask, need consent, fail, print, have children, wait for a signal.
import { program } from '../../../src/index.ts';

export const trip = program({
  role: 'trip',
  source: `const rooms = [{ name: 'Blue', beds: 2 }, { name: 'Red', beds: 1 }];
let booked = 0;
const days = [];
for (const room of rooms) {
  print('looking at', room.name);
  days.push(await ask('Which day for the ' + room.name + ' room?'));
  booked += room.beds;
}
await approve('Pay for ' + booked + ' beds?', { details: { amount: 240, currency: 'EUR' } });
days.join(' and ')`,
});

export const careful = program({
  role: 'careful',
  source: `try { await approve('Delete the backup?'); 'deleted' } catch (error) { 'kept: ' + error.message }`,
});

export const broken = program({
  role: 'broken',
  source: `let total = 0;
for (const price of [1, 2, undefined]) {
  total += price;
  await until(Date.now());
  if (Number.isNaN(total)) throw new TypeError('a row has no price');
}`,
});

export const counter = program<number>({
  role: 'counter',
  source: (steps) => `let count = 0;
const log = [];
for (let i = 0; i < ${String(steps)}; i++) {
  count += 1;
  log.push('round ' + count);
  print('round', count);
  await until(Date.now());
}
count`,
});

/** Goes one round further with each signal. */
export const stepwise = program({
  role: 'stepwise',
  source: `let rounds = 0;
const list = Array.from({ length: 300 }, (_, place) => ({ place, name: 'item ' + place }));
for (;;) {
  const given = await signal('next round');
  rounds += 1;
  for (let line = 0; line < 5; line++) print('round', rounds, given);
}`,
});

export const parent = program({
  role: 'parent',
  source: `const [a, b] = await Promise.all([delegate('counter', { input: 2 }), delegate('careful')]);
[a, b]`,
});

export const all = [trip, careful, broken, counter, stepwise, parent];
