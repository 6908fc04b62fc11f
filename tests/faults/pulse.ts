// What the jobs of a fault trial do: a call and a short pause, for ever.
import { program } from '../../src/index.ts';

export const pulse = program({
  role: 'pulse',
  source: `for (;;) { await ping(); await sleep(10); }`,
});
