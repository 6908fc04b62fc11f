// What the jobs of a chaos run do. Every process of the run has the same drivers and services; what counts happens on a
// server that counts.
import { program, tool, type Driver } from '../../src/index.ts';

/** What has an effect on the counting server. */
export interface Effects extends Record<string, object> {
  charge(input: string): unknown;
  mail(input: string): unknown;
}

export function effects(url: string): Effects {
  const post = async (path: string, key: string): Promise<string> => {
    const response = await fetch(`${url}${path}?key=${encodeURIComponent(key)}`, { method: 'POST' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.text();
  };
  return {
    // The server knows the key, so it may be called again after a crash and when it cannot be reached.
    charge: tool({
      name: 'charge',
      idempotent: true,
      retry: { attempts: 50, backoff: 50, longest: 500 },
      execute: async (_what: string, { idempotencyKey }) => post('/idempotent', idempotencyKey),
    }),
    // It must not be called twice for anything.
    mail: tool({ name: 'mail', execute: async (what: string) => post('/plain', what) }),
  };
}

const outcome = `.then(() => 'sent', (error) => error.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed')`;

export function drivers(services: Effects): Driver[] {
  const { charge, mail } = services;
  return [
    program({
      role: 'order',
      source: `
        const log: string[] = [];
        await sleep(pause);
        log.push(await charge(order + ' a'));
        const sent = await mail(order + ' m')${outcome};
        const kids = await Promise.all([1, 2].map((n) => delegate('kid', { vars: { n, order, charge } })));
        await approve('Go on with ' + order + '?');
        const said = await signal('go ' + order);
        ({ sent, kids, said, charged: log.length })`,
    }),
    program({
      role: 'kid',
      source: `await sleep(n * 5); await charge(order + ' kid ' + n); n * 10`,
    }),
    {
      role: 'stepper',
      calls: { charge: charge, mail },
      next: ({ event, input, state }) => {
        const order = input as string;
        const done = ((state as string[] | null) ?? []).slice();
        if (event.kind === 'call') {
          const { failed, error, value } = event.call;
          done.push(
            failed ? (error?.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed') : value === 'sent' ? 'sent' : 'charged',
          );
        }
        const calls = ['charge', 'mail', 'charge', 'charge'];
        const name = calls[done.length];
        return name === undefined
          ? { finish: done, state: done }
          : { call: name, input: `${order} ${name} ${done.length}`, state: done };
      },
    },
  ];
}
