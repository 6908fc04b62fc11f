// Uses outside a transaction: each synchronous turn is one, later ones see it at once and fall with it.
import { describe, expect, test, vi } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { ObjectConflictError } from '../../src/objects/errors.ts';
import { find, idOf, remove } from '../../src/objects/graph.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import { memoryPlace, openAt, placeFor, sqlitePlace } from './support/places.ts';

class Note extends Durable {
  text = '';
  links: Note[] = [];
  count = 0;
}
class Other extends Durable {}

/** Lets everything that is waiting in this turn run. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Commits wait until they are let go. */
function holdCommits({ store }: Objects): () => void {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const commit = store.commit.bind(store);
  store.commit = async (transactions) => {
    await held;
    return commit(transactions);
  };
  return () => {
    store.commit = commit;
    release();
  };
}

describe.each([memoryPlace, sqlitePlace])('on $name', (place) => {
  /** `mine` is what `new` means; changes of `theirs` are another process's. */
  async function two(): Promise<{ mine: Objects; theirs: Objects }> {
    const open = await placeFor(place);
    const mine = await openAt(open, [Note]);
    const theirs = await openAt(open, [Note, Other]);
    theirs.close();
    return { mine, theirs };
  }

  test('writes until the next await are one commit; later code sees them before they are durable', async () => {
    const { mine, theirs } = await two();
    const release = holdCommits(mine);
    const note = new Note();
    note.text = 'first';
    await nextTurn();
    expect(note.text).toBe('first');
    note.links.push(new Note());
    await nextTurn();
    note.text += ' second';
    expect(find(Note).count()).toBe(2);
    await nextTurn();
    expect([note.text, note.links.length, find(Note).count()]).toEqual(['first second', 1, 2]);
    remove(note.links[0] as Note);
    await nextTurn();
    expect(find(Note).count()).toBe(1);
    expect([...find(Note).reverse()]).toEqual([note]);
    expect(await mine.store.revision()).toBe(0);
    expect(mine.plainWrites.isBusy).toBe(true);
    release();
    await mine.plainWrites.flush();
    expect(mine.plainWrites.isBusy).toBe(false);
    expect(await mine.store.revision()).toBe(4);
    expect((theirs.find(idOf(note)) as Note).text).toBe('first second');
  });

  test('changes of another process show up in the next turn', async () => {
    const { mine, theirs } = await two();
    const note = new Note();
    await mine.plainWrites.flush();
    await transact(theirs, () => ((theirs.find(idOf(note)) as Note).text = 'theirs'));
    expect(note.text).toBe('theirs');
  });

  test('a turn that comes too late is reported, and takes with it what built on it', async () => {
    const { mine, theirs } = await two();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const [note, apart, witness, free] = [new Note(), new Note(), new Note(), new Note()];
    await mine.plainWrites.flush();
    const release = holdCommits(mine);
    note.text = `${note.text} lost`;
    const made = new Note();
    await nextTurn();
    // Built on the lost turn: on a field, and on a query that met an object of it.
    apart.text = `built on ${note.text}`;
    await nextTurn();
    witness.count = find(Note).count();
    await nextTurn();
    apart.count = 7;
    await nextTurn();
    // Not built on it.
    free.count = 3;
    await nextTurn();
    await transact(theirs, () => ((theirs.find(idOf(note)) as Note).text = 'theirs'));
    release();
    const failure: unknown = await mine.plainWrites.flush().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AggregateError);
    const { errors } = failure as AggregateError;
    expect(errors.every((error) => error instanceof ObjectConflictError)).toBe(true);
    expect(errors.map(({ message }: Error) => message.slice(0, 24))).toEqual([
      'Another process changed ',
      'This change depends on o',
      'This change depends on o',
      'This change depends on o',
    ]);
    expect([note.text, apart.text, apart.count, witness.count]).toEqual(['theirs', '', 0, 0]);
    expect(free.count).toBe(3);
    expect(mine.find(idOf(made))).toBeUndefined();
    expect(warned).toHaveBeenCalledTimes(4);
    warned.mockRestore();
    // Reported once.
    await mine.plainWrites.flush();
    apart.count = 1;
    await mine.plainWrites.flush();
    expect(apart.count).toBe(1);
  });

  test('what others add to a range between two turns is no conflict of the first, but of the second', async () => {
    const { mine, theirs } = await two();
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const witness = new Note();
    await mine.plainWrites.flush();
    const release = holdCommits(mine);
    new Note();
    await nextTurn();
    witness.count = find(Note).count();
    await nextTurn();
    await transact(theirs, () => new Note());
    release();
    await expect(mine.plainWrites.flush()).rejects.toThrow(ObjectConflictError);
    expect([find(Note).count(), witness.count]).toEqual([3, 0]);
    warned.mockRestore();
  });

  test('turns that saw only each other are kept, ranges included', async () => {
    const { mine } = await two();
    const release = holdCommits(mine);
    const witness = new Note();
    for (let count = 0; count < 5; count++) {
      await nextTurn();
      new Note();
      witness.count = find(Note).count();
    }
    release();
    await mine.plainWrites.flush();
    expect([witness.count, find(Note).count()]).toEqual([6, 6]);
  });

  test('a transaction waits for the turns before it, and those begun meanwhile', async () => {
    const { mine } = await two();
    const note = new Note();
    const first = transact(mine, () => note.count++);
    note.count = 10;
    await nextTurn();
    await first;
    await mine.plainWrites.flush();
    expect(note.count).toBe(11);
  });
});

test('a read that fails in a turn with changes is reported by flush', async () => {
  const mine = await openAt(await placeFor(memoryPlace), [Note]);
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const [note, other] = [new Note(), new Note()];
  await mine.plainWrites.flush();
  const { synchronous } = mine.store;
  note.text = 'changed';
  const read = vi.spyOn(synchronous as NonNullable<typeof synchronous>, 'read').mockImplementation(() => {
    throw new Error('disk on fire');
  });
  expect(() => other.text).toThrow('disk on fire');
  read.mockRestore();
  await expect(mine.plainWrites.flush()).rejects.toThrow('disk on fire');
  expect(note.text).toBe('');
  warned.mockRestore();
});
