// What the page is measured on: a job of many commits, and one that goes a step further with each signal.
import { program } from '../../src/index.ts';

export const waiting = program({ role: 'waiting', source: `await ask('Well?')` });

export const counting = program<number>({
  role: 'counting',
  source: (steps) => `let count = 0;
const log = [];
for (let i = 0; i < ${String(steps)}; i++) {
  count += 1;
  if (count % 100 === 0) log.push('round ' + count);
  await until(Date.now());
}
count`,
});

export const stepping = program({
  role: 'stepping',
  source: `let rounds = 0; for (;;) { await signal('next'); rounds += 1; }`,
});
