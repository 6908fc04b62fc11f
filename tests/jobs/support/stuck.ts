// A driver whose only call ends when the test wants it to.
import { tool, type Driver } from '../../../src/index.ts';

export function stuck(execute: () => Promise<string>): Driver {
  return {
    role: 'stuck',
    calls: { work: tool({ name: 'work', idempotent: true, execute }) },
    next: ({ event }) => (event.kind === 'call' ? { finish: event.call.value } : { call: 'work' }),
  };
}
