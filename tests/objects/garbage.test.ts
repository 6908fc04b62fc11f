// What programs hold is not collected, for as long as a commit that shows it is kept.
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { Durable } from '../../src/objects/durable.ts';
import { exists, idOf } from '../../src/objects/graph.ts';
import { Statek } from '../../src/kit/statek.ts';

class Note extends Durable {
  text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
}

it('keeps objects that variables hold, until no kept commit holds them', async () => {
  const clock = new ManualClock(1_000_000);
  const kit = await Statek.open({ store: 'memory:', classes: [Note], clock });
  const workspace = await kit.workspace('w', { vars: { Note } });
  await workspace.run(
    'let note = new Note("mine"); const other = new Note("kept in a closure"); const f = () => other.text',
  );
  await workspace.run('new Note("nobody\'s"); undefined');
  const note = (await workspace.local('note')) as Note;
  const first = await kit.gc({ graceMilliseconds: 0 });
  expect(first.objects).toMatchObject({ removed: 1, live: 2 });
  expect(
    kit
      .find(Note)
      .toArray()
      .map(({ text }) => text),
  ).toEqual(['mine', 'kept in a closure']);

  // The variable lets go; the commit before still holds it.
  const [before] = await workspace.commits();
  await workspace.run('note = undefined');
  expect((await kit.gc({ graceMilliseconds: 0 })).objects).toMatchObject({ removed: 0 });
  expect(await (await workspace.at(before?.hash ?? '')).run('note.text')).toBe('mine');

  const last = await kit.gc({ graceMilliseconds: 0, retention: { last: 1 } });
  expect(last.objects).toMatchObject({ removed: 1, live: 1 });
  expect(last.horizon).toBeGreaterThan(0);
  expect(exists(note)).toBe(false);
  expect((await workspace.run('f()')).value).toBe('kept in a closure');
  await kit.close();
});

it('keeps what a call was given and what it has returned', async () => {
  const gate = Promise.withResolvers<void>();
  const desk = {
    async keep(note: Note): Promise<Note> {
      await gate.promise;
      return note;
    },
  };
  const kit = await Statek.open({ store: 'memory:', classes: [Note], services: { desk } });
  const workspace = await kit.workspace('w', { vars: { desk, Note } });
  await workspace.run('let back; desk.keep(new Note("lent")).then((note) => { back = note; }); await signal("go")');
  await kit.gc({ graceMilliseconds: 0 });
  gate.resolve();
  await kit.runUntilIdle();
  await kit.gc({ graceMilliseconds: 0 });
  await kit.signal('go');
  await workspace.settled();
  expect((await workspace.run('back.text')).value).toBe('lent');
  await kit.close();
});

it('forks keep what they began with', async () => {
  const kit = await Statek.open({ store: 'memory:', classes: [Note] });
  const workspace = await kit.workspace('w', { vars: { Note } });
  await workspace.run('let note = new Note("shared")');
  const fork = await workspace.fork();
  await workspace.run('note = undefined');
  await kit.gc({ graceMilliseconds: 0, retention: { last: 1 } });
  expect((await fork.run('note.text')).value).toBe('shared');
  const id = idOf((await fork.local('note')) as Note);
  expect(await kit.fetch(id)).toBeDefined();
  await kit.close();
});
