// A job that changes a durable object many share.
import { Durable, program } from '../../../src/index.ts';

export class Counter extends Durable {
  n = 0;
}

export const adds = program({ role: 'adds', source: 'counter.n = counter.n + 1' });
