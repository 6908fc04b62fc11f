// Drivers that tests share.
import type { Driver, Turn } from '../../../src/index.ts';

/** Collects messages until one says 'stop', then finishes with all of them. A message starts it again. */
export const collector: Driver = {
  role: 'collector',
  reopens: true,
  next: ({ messages, state }) => {
    const all = [...((state as unknown[] | null) ?? []), ...messages.map(({ body }) => body)] as never[];
    return all.includes('stop' as never) && messages.length > 0
      ? { finish: all, state: [] }
      : { wait: 'message', state: all };
  },
};

/** Makes calls one after another, as its input says, and finishes with what they returned. */
export function caller(calls: Driver['calls'], role = 'caller'): Driver {
  return {
    role,
    calls,
    next: ({ event, input, state }: Turn) => {
      const names = input as string[];
      const done = [...((state as unknown[] | null) ?? [])];
      if (event.kind === 'call') done.push(event.call.failed ? `${event.call.error?.name}` : event.call.value);
      const name = names[done.length];
      return name === undefined
        ? { finish: done, state: done as never }
        : { call: name, input: done.length, state: done as never };
    },
  };
}
