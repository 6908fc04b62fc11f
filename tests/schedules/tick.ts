// What the schedules of the trial submit: a job that says when it was due, and is over.
import type { Driver } from '../../src/index.ts';

export const tick: Driver = {
  role: 'tick',
  next: () => ({ finish: 'tick' }),
};
