// What our own simulations are of: jobs of every kind, and a server that counts what is asked of it.
import { program, Statek, tool, type Driver } from '../../src/index.ts';
import type { SeededRandom, SimulatedWorld } from '../../src/testing.ts';
import { indexProblems } from './indexes.ts';

interface Effects extends Record<string, object> {
  charge(input: string): unknown;
  mail(input: string): unknown;
}

class Counts {
  readonly plain = new Map<string, number>();
  readonly idempotent = new Map<string, number>();

  add(counts: Map<string, number>, key: string): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
}

const settled = `.then(() => 'sent', (error) => (error.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed'))`;

/** `programs`: with guest code, which is slower to simulate. */
export function jobWorld(random: SeededRandom, programs: boolean): SimulatedWorld {
  const counts = new Counts();
  const services = servicesOf(counts, random);
  const drivers = driversOf(services);
  const ids: string[] = [];
  const cancelled = new Set<string>();
  const decided = new Set<string>();
  return {
    open: (parts) => Statek.open({ ...parts, drivers, services, leaseMilliseconds: 1500 }),

    begin: async (kit) => {
      for (let index = 0; index < 8; index++) {
        ids.push(`step ${index}`);
        await kit.submit('stepper', { id: `step ${index}`, input: `step ${index}`, priority: random.below(3) });
      }
      ids.push('talk 0');
      await kit.submit('talker', { id: 'talk 0' });
      const orders = programs ? 3 : 0;
      for (let index = 0; index < orders; index++) {
        const id = `order ${index}`;
        ids.push(id);
        const vars = { order: id, pause: random.below(300), ...services };
        await kit.submit('order', { id, vars });
      }
      for (let index = 0; index < orders; index++) {
        ids.push(`wait ${index}`);
        await kit.submit('waiter', { id: `wait ${index}`, vars: { charge: services.charge } });
      }
    },

    meddle: async (kit) => {
      for await (const { id, job, kind } of kit.pending()) {
        if (decided.has(id)) continue;
        if (kind === 'approve') {
          await kit.approve(id, { by: 'the simulation' });
          decided.add(id);
        } else if (kind === 'signal') {
          await kit.signal(`go ${job}`, job);
          decided.add(id);
        }
      }
      const talker = await kit.job('talk 0');
      if (talker.status !== 'DONE' && (await talker.messages()).length < 5) await talker.say('word');
      if (random.chance(0.05)) {
        const victim = await kit.job('step 7');
        if (victim.status !== 'DONE') {
          await victim.cancel('no longer needed');
          cancelled.add(victim.id);
        }
      }
      const paused = await kit.job('step 6');
      if (paused.status !== 'DONE') {
        if (paused.paused) await paused.resume();
        else if (random.chance(0.2)) await paused.pause().catch(() => undefined);
      }
    },

    isOver: async (kit) => (await kit.countJobs()) === (await kit.countJobs({ status: 'DONE' })),

    check: async (kit) => {
      const problems: string[] = [];
      for (const id of ids) {
        const job = await kit.job(id);
        if (cancelled.has(id) && job.outcome === 'cancelled') continue;
        if (job.outcome !== 'completed') {
          problems.push(`${id} is ${job.outcome ?? job.status}: ${job.error?.message ?? ''}`);
          continue;
        }
        problems.push(...problemsOf(id, await job.result(), counts));
        if (id.startsWith('order') && (await kit.countJobs({ parent: id })) !== 2)
          problems.push(`${id} has too many children`);
      }
      return [...problems, ...(await indexProblems(kit.store))];
    },
  };
}

function problemsOf(id: string, result: unknown, counts: Counts): string[] {
  const problems: string[] = [];
  const once = (key: string, sent: string): void => {
    const made = counts.plain.get(key) ?? 0;
    if (made > 1) problems.push(`${key} was made ${made} times`);
    if (sent === 'sent' && made !== 1) problems.push(`${key} counts as sent and was not made`);
  };
  if (id.startsWith('step')) {
    const [first, sent = '', third] = result as string[];
    if (first !== 'charged' || third !== 'charged') problems.push(`${id} ended with ${String(result)}`);
    once(`${id} 1`, sent);
    for (const number of [1, 3])
      if (!counts.idempotent.has(`${id}/call/${number}`)) problems.push(`${id} was never charged`);
  } else if (id.startsWith('wait')) {
    if (result !== 60) problems.push(`${id} ended with ${String(result)}`);
  } else if (id.startsWith('talk')) {
    if (JSON.stringify(result) !== '[1,2,3,4,5]') problems.push(`${id} heard ${JSON.stringify(result)}`);
  } else {
    const { sent, kids, said } = result as { sent: string; kids: number[]; said: string };
    if (JSON.stringify(kids) !== '[10,20]') problems.push(`${id} has children that gave ${JSON.stringify(kids)}`);
    if (said !== id) problems.push(`${id} heard ${said}`);
    once(`${id} m`, sent);
  }
  return problems;
}

function servicesOf(counts: Counts, random: SeededRandom): Effects {
  const turn = async (): Promise<void> => {
    for (let index = random.below(4); index > 0; index--) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    charge: tool({
      name: 'charge',
      idempotent: true,
      retry: { attempts: 20, backoff: 10, longest: 200 },
      execute: async (_what: string, { idempotencyKey }) => {
        await turn();
        if (random.chance(0.1)) throw new Error('cannot be reached');
        counts.add(counts.idempotent, idempotencyKey);
        return 'charged';
      },
    }),
    mail: tool({
      name: 'mail',
      execute: async (what: string) => {
        await turn();
        counts.add(counts.plain, what);
        await turn();
        return 'sent';
      },
    }),
  };
}

function driversOf({ charge, mail }: Effects): Driver[] {
  return [
    {
      role: 'stepper',
      calls: { charge: charge, mail },
      next: ({ event, input, state }) => {
        const done = ((state as string[] | null) ?? []).slice();
        if (event.kind === 'call') {
          const { failed, error, value } = event.call;
          done.push(failed ? (error?.code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'failed') : String(value));
        }
        const name = ['charge', 'mail', 'charge'][done.length];
        return name === undefined
          ? { finish: done, state: done }
          : { call: name, input: `${String(input)} ${done.length}`, state: done };
      },
    },
    {
      // Counts what it hears: each message once, in order.
      role: 'talker',
      next: ({ messages, state }) => {
        const heard = [...((state as number[] | null) ?? []), ...messages.map(({ number }) => number)];
        return heard.length >= 5 ? { finish: heard, state: heard } : { wait: 'message', state: heard };
      },
    },
    program({
      role: 'order',
      source: `
        await sleep(pause);
        await charge(order);
        const sent = await mail(order + ' m')${settled};
        const kids = await Promise.all([1, 2].map((n) => delegate('kid', { vars: { n } })));
        await approve('Go on?');
        const said = await signal('go ' + order);
        ({ sent, kids, said })`,
    }),
    // Many short waits, so that a job is often ready again before the process that parked it has let go of it.
    program({
      role: 'waiter',
      source: `let n = 0; for (; n < 60; n++) { if (n % 3 === 0) await charge('w' + n); await sleep(n % 5); } n`,
    }),
    program({ role: 'kid', source: `await sleep(n * 5); n * 10` }),
  ];
}
