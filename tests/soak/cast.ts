// What runs in a soak: an agent with a scripted model, programs in both languages, durable objects, a tool with an effect, and a
// schedule that keeps everything coming.
import { appendFileSync } from 'node:fs';
import { Agent, Durable, Models, program, Statek, tool, type StatekOptions } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';

/** Every job books once; the file of bookings is outside of the store, so that nothing can be doubled unseen. */
export class Ledger extends Durable {
  static durable = { name: 'SoakLedger' };
  total = 0;
  add(amount: number): number {
    this.total += amount;
    return this.total;
  }
}

export const counts = program({
  role: 'counts',
  source:
    'const seen = []; for (let i = 0; i < 3; i++) { await sleep(5); seen.push(i) } ledger.add(1); await book(job); seen.length',
});
export const adds = program({
  role: 'adds',
  language: 'python',
  source: 'seen = []\nfor i in range(3):\n    sleep(0.005)\n    seen.append(i)\nledger.add(1)\nbook(job)\nlen(seen)',
});

export async function openSoak(
  store: string,
  bookings: string,
  more: Partial<StatekOptions> = {},
): Promise<{ readonly kit: Statek; readonly book: object }> {
  const book = tool({
    name: 'book',
    idempotent: true,
    execute: async (job: string) => {
      appendFileSync(bookings, `${job}\n`);
      return job;
    },
  });
  const clerk = new Agent({ role: 'clerk', chatStyle: 'CONSOLE', tools: [book], metadata: { MODEL: 'script' } });
  const script = scriptedModel(['ledger.add(1); await book(job); exit(1)'], {
    by: 'turn',
    // What the model has been asked would be what grows.
    keepRequests: 10,
  });
  const kit = await Statek.open({
    store,
    agents: [clerk],
    drivers: [counts, adds],
    classes: [Ledger],
    services: { book },
    models: new Models({ models: { script } }),
    retention: { last: 5 },
    keepJobsFor: 10_000,
    leaseMilliseconds: 2000,
    liveWorkspaces: 100,
    settings: { logLevel: 'error' },
    ...more,
  });
  return { kit, book };
}
