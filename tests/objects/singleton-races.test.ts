// Two processes make the same singleton at the same time on an empty store: both get the one there is.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { ObjectConflictError } from '../../src/objects/errors.ts';
import { exists, find, idOf, newIndex, remove } from '../../src/objects/graph.ts';
import { collectObjects } from '../../src/objects/collecting/collect.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { transact } from '../../src/objects/transactions/transact.ts';
import type { SharedCrashEngine } from '../crash/place.ts';
import { bankPlace } from '../bank/place.ts';
import { fieldsOf } from './support/open.ts';
import { memoryPlace, openAt, placeFor, serverPlaces, sqlitePlace } from './support/places.ts';

/** The classes of one of two processes: the same to the store, and not to this one. */
function classesOf() {
  const graph: { objects?: Objects } = {};
  class Invoice extends Durable {
    root: object | undefined;
    number = 0;
  }
  class Root extends Durable {
    static durable = { singleton: true };
    title = 'untitled';
    list: number[] = [];
    byName = new Map<string, unknown>([['first', { deep: [1] }]]);
    sorted = newIndex<Invoice>(graph.objects as Objects);
    sample = new Invoice();
  }
  class Page extends Durable.over(
    class {
      texts = ['a'];
    },
  ) {
    static durable = { singleton: true };
    size = 3;
  }
  return { graph, Root, Page, Invoice, all: [Root, Page, Invoice] };
}

/** Warnings of lost changes, as long as the test runs. */
function lostChanges(): string[] {
  const lost: string[] = [];
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    lost.push(String(warning));
  });
  onTestFinished(() => emit.mockRestore());
  return lost;
}

describe.each([memoryPlace, sqlitePlace])('in two turns on $name', (place) => {
  async function twoGraphs() {
    const open = await placeFor(place);
    const [first, second] = [classesOf(), classesOf()];
    const [winner, loser] = [await openAt(open, first.all), await openAt(open, second.all)];
    first.graph.objects = winner;
    second.graph.objects = loser;
    return { first, second, winner, loser };
  }

  test('both get the one singleton, and nothing is lost', async () => {
    const lost = lostChanges();
    const { first, second, winner, loser } = await twoGraphs();
    const [a, b] = [new first.Root(), new second.Root()];
    const { list } = b;
    const [page, samePage] = [new first.Page(), new second.Page()];
    await winner.plainWrites.flush();
    await loser.plainWrites.flush();
    expect(idOf(b)).toBe(idOf(a));
    expect(exists(b)).toBe(true);
    a.list.push(7);
    await winner.plainWrites.flush();
    expect([...list]).toEqual([7]);
    expect([idOf(b.sample), [...find(second.Invoice)].length]).toEqual([idOf(a.sample), 1]);
    expect(fieldsOf(b)).toEqual(fieldsOf(a));
    expect([idOf(samePage), [...samePage.texts], samePage.size]).toEqual([idOf(page), ['a'], 3]);
    b.title = 'ours';
    await loser.plainWrites.flush();
    expect(a.title).toBe('ours');
    expect(lost).toEqual([]);
  });

  test('the rest of the turn is kept, and refers to the one there is', async () => {
    const lost = lostChanges();
    const { first, second, winner, loser } = await twoGraphs();
    const a = new first.Root();
    const invoice = new second.Invoice();
    invoice.root = new second.Root();
    invoice.number = 5;
    a.title = 'changed at once';
    await winner.plainWrites.flush();
    await loser.plainWrites.flush();
    expect(exists(invoice)).toBe(true);
    expect(invoice.root).toBe(new second.Root());
    expect((invoice.root as { title: string }).title).toBe('changed at once');
    expect(lost).toEqual([]);
  });

  test('a later turn that builds on the same first values is kept', async () => {
    const lost = lostChanges();
    const { first, second, winner, loser } = await twoGraphs();
    new first.Root();
    const b = new second.Root();
    await Promise.resolve();
    b.title = 'later';
    b.sorted.add(1, new second.Invoice());
    await winner.plainWrites.flush();
    await loser.plainWrites.flush();
    expect([new first.Root().title, [...new first.Root().sorted.select()].length]).toEqual(['later', 1]);
    expect(lost).toEqual([]);
  });

  test('fields changed after construction are reported as lost, by name, if the other process has them otherwise', async () => {
    const lost = lostChanges();
    const { first, second, winner, loser } = await twoGraphs();
    const a = new first.Root();
    a.title = 'winner';
    const b = new second.Root();
    b.title = 'loser';
    b.list.push(1);
    await winner.plainWrites.flush();
    const failure = await loser.plainWrites.flush().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ObjectConflictError);
    expect((failure as Error).message).toContain('(title, list)');
    expect(lost).toHaveLength(1);
    expect([b.title, [...b.list], exists(b)]).toEqual(['winner', [], true]);
    b.title = 'again';
    await loser.plainWrites.flush();
    expect(a.title).toBe('again');
  });

  test('a turn that depends on what it found in its own singleton is not kept', async () => {
    const lost = lostChanges();
    const { first, second, winner, loser } = await twoGraphs();
    new first.Root().title = 'winner';
    const invoice = new second.Invoice();
    const seen = new second.Root().title;
    invoice.number = seen.length;
    await winner.plainWrites.flush();
    await expect(loser.plainWrites.flush()).rejects.toThrow(/different contents than this code has read/);
    expect([exists(invoice), new second.Root().title, lost.length]).toEqual([false, 'winner', 1]);
  });

  test('one that is made again after it was removed is another object, and nothing of that is collected', async () => {
    const { first, second, winner, loser } = await twoGraphs();
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const [a, b] = [new first.Root(), new second.Root()];
      await winner.plainWrites.flush();
      await loser.plainWrites.flush();
      expect(idOf(b)).toBe(idOf(a));
      ids.push(idOf(a));
      remove(a);
      await winner.plainWrites.flush();
      await collectObjects(winner, { graceMilliseconds: 0 });
      expect(exists(b)).toBe(false);
    }
    expect(new Set(ids).size).toBe(3);
  });
});

test.each(serverPlaces)('both get the one singleton in two transactions on $name', async (place) => {
  const open = await placeFor(place);
  const [first, second] = [classesOf(), classesOf()];
  const [one, two] = [await openAt(open, first.all), await openAt(open, second.all)];
  first.graph.objects = one;
  second.graph.objects = two;
  const ids = await Promise.all([
    transact(one, () => idOf(new first.Root())),
    transact(two, () => idOf(new second.Root())),
  ]);
  expect(ids[0]).toBe(ids[1]);
});

const engines = [{ name: 'sqlite' }, ...serverPlaces] as readonly { readonly name: SharedCrashEngine }[];
const program = fileURLToPath(new URL('./singleton-child.ts', import.meta.url));

test.each(engines)('both get the one singleton in two processes on $name', async ({ name }) => {
  const place = await bankPlace(name);
  if (place === undefined) return;
  onTestFinished(() => place.dispose());
  const children = [1, 2].map(() => {
    const child = spawn(process.execPath, [program, JSON.stringify(place.description)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return { child, next: async () => String((await lines.next()).value) };
  });
  const rounds = 5;
  for (const { next } of children) expect(await next()).toBe('ready');
  for (let round = 0; round < rounds; round++) {
    for (const { child } of children) child.stdin.write(`space-${round}\n`);
    const [first, second] = await Promise.all(children.map(async ({ next }) => JSON.parse(await next()) as unknown));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ title: 'untitled', list: [], lost: [] });
  }
});
