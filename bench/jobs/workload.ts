// What the benchmarks of jobs run: jobs that make steps, and jobs that wait.
import { program, type Driver } from '../../src/index.ts';

/** Makes as many calls as its input says. Each returns a text of 500 bytes, which is recorded; that is a step. */
export const stepper: Driver = {
  role: 'stepper',
  calls: { step: async (number: number) => String(number).padEnd(500, '.') },
  next: ({ event, input, turn }) => (turn > (input as number) ? { finish: event.kind } : { call: 'step', input: turn }),
};

/** Runs as many steps of guest code as its input says. */
export const coder: Driver = {
  role: 'coder',
  next: ({ input, turn }) =>
    turn > (input as number)
      ? { finish: turn }
      : {
          run: `globalThis.total = (globalThis.total ?? 0) + ${turn}; globalThis.note = String(total).padEnd(500, '.'); total`,
        },
};

/** Waits for a message, and is done. */
export const waiter: Driver = {
  role: 'waiter',
  next: ({ event }) => (event.kind === 'begin' ? { wait: 'message' } : { finish: 1 }),
};

/** A program that sleeps in the middle of a loop. */
export const sleeper = program({
  role: 'sleeper',
  source: `let sum = 0; for (const n of [1, 2, 3]) { sum += n; if (n === 2) await sleep(duration); } sum`,
});
