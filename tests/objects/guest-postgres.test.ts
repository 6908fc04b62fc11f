// Objects in slices on a store that cannot read at once: what a failed slice would have written is nowhere, not in memory
// either.
import { expect, it } from 'vitest';
import { Durable, Statek } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { postgresForTests } from '../support/postgres.ts';

class Meeting extends Durable {
  static durable = { singleton: true };
  start = 9;
  guests: string[] = [];
}

class Link extends Durable {
  next: Link | null = null;
  value = 0;
}
class Chain extends Durable {
  static durable = { singleton: true };
  first: Link | null = null;
}

const server = await postgresForTests();

it.skipIf(server === undefined)('forgets what a slice that failed wrote', async () => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  const store = await openPostgres(server.url, { schema });
  const kit = await Statek.open({ store, classes: [Meeting] });
  try {
    const meeting = await kit.transaction(() => new Meeting());
    await kit.load(meeting);
    const workspace = await kit.workspace('main', { vars: { meeting }, limits: { slicesPerStep: 2 } });
    const waits = await workspace.run('meeting.start = 10; await new Promise(() => {})');
    expect(waits.error?.code).toBe('DEADLOCK');
    expect(meeting.start).toBe(9);
    await workspace.run('await sleep(0); await sleep(0); meeting.start = 11;');
    expect((await workspace.settled()).error?.code).toBe('LIMIT');
    expect(meeting.start).toBe(9);
    await workspace.run('meeting.start = 12; throw new Error("no")', { allOrNothing: true });
    expect(meeting.start).toBe(9);
    await workspace.run('meeting.start = 13;');
    expect(meeting.start).toBe(13);
    expect((await workspace.run('meeting.start')).value).toBe(13);
  } finally {
    await kit.close();
    await store.close();
    await drop();
  }
});

// Thirty hops from one object to the next, none of which this process has seen.
it.skipIf(server === undefined).each([
  ['typescript', 'let at = chain.first, sum = 0; tick(); while (at !== null) { sum += at.value; at = at.next; } sum'],
  [
    'python',
    'at, total = chain.first, 0\ntick()\nwhile at is not None:\n    total += at.value\n    at = at.next\ntotal',
  ],
] as const)('loads what %s code walks through', async (language, source) => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  const store = await openPostgres(server.url, { schema });
  try {
    const writer = await Statek.open({ store, classes: [Chain, Link] });
    await writer.transaction(() => {
      const chain = new Chain();
      for (let value = 1; value <= 30; value++) {
        const link = new Link();
        [link.next, link.value, chain.first] = [chain.first, value, link];
      }
    });
    await writer.close();
    let ticks = 0;
    const tick = (): void => void (ticks += 1);
    const kit = await Statek.open({ store, classes: [Chain, Link], services: { tick } });
    const chain = await kit.transaction(() => new Chain());
    const workspace = await kit.workspace('main', { language, vars: { chain, tick } });
    expect(await workspace.run(source)).toMatchObject({ error: undefined, value: 465 });
    // Python waits for what is missing; TypeScript begins again, but not thirty times.
    expect(ticks).toBeLessThanOrEqual(language === 'python' ? 1 : 4);
    await kit.close();
  } finally {
    await store.close();
    await drop();
  }
});
