// The jobs of the benchmarks: some make steps, some wait.
import { program, type Driver } from '../../src/index.ts';

/** Makes `input` calls. Each returns 500 bytes, which are recorded; that is a step. */
export const stepper: Driver = {
  role: 'stepper',
  calls: { step: async (number: number) => String(number).padEnd(500, '.') },
  next: ({ event, input, turn }) => (turn > (input as number) ? { finish: event.kind } : { call: 'step', input: turn }),
};

/** Runs `input` steps of guest code. */
export const coder: Driver = {
  role: 'coder',
  next: ({ input, turn }) =>
    turn > (input as number)
      ? { finish: turn }
      : {
          run: `globalThis.total = (globalThis.total ?? 0) + ${turn}; globalThis.note = String(total).padEnd(500, '.'); total`,
        },
};

/** Waits for a message, then ends. */
export const waiter: Driver = {
  role: 'waiter',
  next: ({ event }) => (event.kind === 'begin' ? { wait: 'message' } : { finish: 1 }),
};

/** A program that sleeps in the middle of a loop. */
export const sleeper = program({
  role: 'sleeper',
  source: `let sum = 0; for (const n of [1, 2, 3]) { sum += n; if (n === 2) await sleep(duration); } sum`,
});
