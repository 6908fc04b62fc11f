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

const server = await postgresForTests();

it.skipIf(server === undefined)('forgets what a slice that failed wrote', { timeout: 60_000 }, async () => {
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
