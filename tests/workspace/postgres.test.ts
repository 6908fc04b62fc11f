// A program that waits in one kit goes on in another one on the same PostgreSQL database, as on another machine.
import { expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { postgresForTests } from '../support/postgres.ts';

const server = await postgresForTests();

it.skipIf(server === undefined)('goes on in another kit on the same database', async () => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  try {
    const open = async (): Promise<Statek> => Statek.open({ store: await openPostgres(server.url, { schema }) });
    const first = await open();
    const begun = await (
      await first.workspace('letters', { vars: { people: ['ann', 'bob'] } })
    ).run(`
      const done: string[] = [];
      for (const person of people) done.push(person + ' ' + (await signal('send ' + person)));
      done`);
    expect(begun.status).toBe('suspended');
    await first.close();
    await first.store.close();

    const second = await open();
    const workspace = await second.workspace('letters');
    await second.signal('send ann', 1);
    await second.signal('send bob', 2);
    const ended = await workspace.settled();
    expect([ended.status, ended.value]).toEqual(['done', ['ann 1', 'bob 2']]);
    expect(Object.keys(await workspace.locals())).toEqual(expect.arrayContaining(['people', 'done']));
    await second.close();
    await second.store.close();
  } finally {
    await drop();
  }
});
