// Managed collections, queries and indexes in guest code: they behave like the language's own, write through, and read no
// more of the store than what is looked at.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Durable, find, index, openStore, Statek, tags, type Store, type Workspace } from '../../src/index.ts';
import { errorOf, openKit, valueOf } from '../workspace/support/kits.ts';
import { storeFolder } from './support/open.ts';

class Book extends Durable {
  title: string;
  year: number;

  constructor(title: string, year: number) {
    super();
    this.title = title;
    this.year = year;
  }
}

class Library extends Durable {
  static durable = { singleton: true };
  books: Book[] = [];
  numbers: number[] = [];
  byTitle = new Map<string, Book>();
  labels = new Set<string>();
  notes: Record<string, unknown> = {};
  byYear = index<Book>();

  query(...wanted: string[]): Iterable<Book> {
    return find(Book, ...wanted);
  }
}

const classes = [Book, Library];
let kit: Statek;
let library: Library;
let workspace: Workspace;

beforeEach(async () => {
  kit = await openKit({ classes });
  library = await kit.transaction(() => {
    const made = new Library();
    for (const [at, title] of ['Emma', 'Ulysses', 'Dubliners'].entries()) {
      const book = new Book(title, 1900 + at);
      made.books.push(book);
      made.byTitle.set(title, book);
      made.byYear.add(book.year, book);
      if (title !== 'Emma') tags(book).add('joyce');
    }
    made.numbers.push(1, 2, 3);
    return made;
  });
  workspace = await kit.workspace('main', { vars: { library, Book } });
});

describe('a managed list', () => {
  test('is read and written like an array', async () => {
    const value = await valueOf(
      workspace,
      `const list = library.numbers;
       list.push(4, 5);
       list[0] = 10;
       const removed = list.splice(1, 2, 20, 30, 40);
       list.unshift(0);
       const last = list.pop();
       ({ removed, last, all: [...list], length: list.length, at: list.at(-1), is: Array.isArray(list),
          mapped: list.map((n) => n * 2), found: list.indexOf(30), has: 3 in list, json: JSON.stringify(list),
          entries: [...list.entries()].length, keys: Object.keys(list).length, sum: list.reduce((a, b) => a + b) })`,
    );
    expect(value).toEqual({
      removed: [2, 3],
      last: 5,
      all: [0, 10, 20, 30, 40, 4],
      length: 6,
      at: 4,
      is: true,
      mapped: [0, 20, 40, 60, 80, 8],
      found: 3,
      has: true,
      json: '[0,10,20,30,40,4]',
      entries: 6,
      keys: 6,
      sum: 104,
    });
    expect([...library.numbers]).toEqual([0, 10, 20, 30, 40, 4]);
    await workspace.run('list.length = 2; list.reverse(); list.sort((a, b) => a - b); list.fill(7, 1);');
    expect([...library.numbers]).toEqual([0, 7]);
    await workspace.run('delete list[0];');
    expect([...library.numbers]).toEqual([undefined, 7]);
    expect((await errorOf(workspace, 'list[10] = 1')).name).toBe('RangeError');
    expect((await errorOf(workspace, 'list.push(() => 1)')).name).toBe('TypeError');
  });

  test('holds objects as they are, and is the same list next time', async () => {
    await workspace.run('const held = library.books; const emma = held[0]; held.push(new Book("Persuasion", 1817));');
    const value = await valueOf(
      workspace,
      'emma.year = 1815; [held === library.books, held.length, held[0] === emma, held.find((b) => b.title === "Ulysses").year, held.includes(emma), held.at(-1) instanceof Book]',
    );
    expect(value).toEqual([true, 4, true, 1901, true, true]);
    expect(library.books.map(({ title, year }) => `${title} ${year}`)).toEqual([
      'Emma 1815',
      'Ulysses 1901',
      'Dubliners 1902',
      'Persuasion 1817',
    ]);
  });
});

describe('a managed map, set or plain object', () => {
  test('has the methods of a Map', async () => {
    const value = await valueOf(
      workspace,
      `const map = library.byTitle;
       const before = [map.size, map.has('Emma'), map.get('Emma').year, map.get('none')];
       map.set('New', new Book('New', 2000)).set('Newer', map.get('Emma'));
       const gone = [map.delete('Ulysses'), map.delete('none')];
       const each = []; map.forEach((book, title) => each.push(title));
       [before, gone, [...map.keys()], [...map.values()].map((b) => b.year), each.length, map instanceof Map, new Map(map).size]`,
    );
    expect(value).toEqual([
      [3, true, 1900, undefined],
      [true, false],
      ['Emma', 'Dubliners', 'New', 'Newer'],
      [1900, 1902, 2000, 1900],
      4,
      true,
      4,
    ]);
    expect(library.byTitle.get('Newer')).toBe(library.books[0]);
    await workspace.run('map.clear()');
    expect(library.byTitle.size).toBe(0);
  });

  test('has the methods of a Set', async () => {
    const value = await valueOf(
      workspace,
      `const set = library.labels;
       set.add('a').add('b').add('a').add('c');
       [set.size, set.delete('b'), set.has('b'), [...set], [...set.union(new Set(['z']))], set instanceof Set]`,
    );
    expect(value).toEqual([3, true, false, ['a', 'c'], ['a', 'c', 'z'], true]);
    expect([...library.labels]).toEqual(['a', 'c']);
  });

  test('has any names, and nests', async () => {
    const value = await valueOf(
      workspace,
      `library.notes.shelf = { row: 1, places: [1, 2], when: new Date(0), big: 12n };
       library.notes.shelf.places.push(3);
       library.notes.other = 1; delete library.notes.other;
       [Object.keys(library.notes), library.notes.shelf.places.length, 'shelf' in library.notes, { ...library.notes.shelf }.row]`,
    );
    expect(value).toEqual([['shelf'], 3, true, 1]);
    expect(JSON.parse(JSON.stringify({ ...(library.notes['shelf'] as object), big: 0 }))).toEqual({
      row: 1,
      places: [1, 2, 3],
      when: '1970-01-01T00:00:00.000Z',
      big: 0,
    });
  });
});

describe('queries and indexes', () => {
  test('are iterated, counted and kept in variables', async () => {
    const value = await valueOf(
      workspace,
      `const joyce = library.query('joyce');
       const years = library.byYear;
       [[...joyce].map((b) => b.title), joyce.count(), joyce.first().title, [...joyce.reverse()].length, joyce.has(library.books[0]),
        [...years].map((b) => b.year), [...years.select(1901)].map((b) => b.title), years.count(1900, 1902)]`,
    );
    expect(value).toEqual([
      ['Ulysses', 'Dubliners'],
      2,
      'Ulysses',
      2,
      false,
      [1900, 1901, 1902],
      ['Ulysses', 'Dubliners'],
      2,
    ]);
    await kit.transaction(() => {
      const book = new Book('Exiles', 1899);
      tags(book).add('joyce');
      library.byYear.add(book.year, book);
    });
    expect(await valueOf(workspace, '[joyce.count(), [...years][0].title]')).toEqual([3, 'Exiles']);
    expect(
      await valueOf(workspace, 'years.remove(1899, [...years][0]); years.add(2000, library.books[0]); years.count()'),
    ).toBe(4);
  });

  test('come page by page, as far as they are looked at', async () => {
    const folder = storeFolder();
    const first = await openStore(folder, { sqlite: { durability: 'relaxed' } });
    const maker = await Statek.open({ store: first, classes });
    await maker.transaction(() => {
      const made = new Library();
      for (let number = 0; number < 2000; number++) {
        const book = new Book(`b${number}`, number);
        tags(book).add('many');
        made.byYear.add(number, book);
      }
    });
    await maker.close();
    await first.close();
    const { reads, workspace: fresh } = await reopened(folder);
    expect(await valueOf(fresh, 'let n = 0; for (const b of library.query("many")) if (++n === 10) break; n')).toBe(10);
    expect(reads.rows).toBeLessThan(500);
    reads.rows = 0;
    expect(await valueOf(fresh, 'n = 0; for (const b of library.byYear) if (++n === 10) break; n')).toBe(10);
    expect(reads.rows).toBeLessThan(900);
    expect(
      await valueOf(fresh, '[[...library.query("many")].length, [...library.byYear].length, library.byYear.count()]'),
    ).toEqual([2000, 2000, 2000]);
  });
});

describe('a list of 100,000', () => {
  test('is loaded and written as far as it is used', async () => {
    const folder = storeFolder();
    const first = await openStore(folder, { sqlite: { durability: 'relaxed' } });
    const maker = await Statek.open({ store: first, classes });
    await maker.transaction(() => {
      const { numbers } = new Library();
      for (let start = 0; start < 100_000; start += 10_000)
        numbers.push(...Array.from({ length: 10_000 }, (_, place) => start + place));
    });
    await maker.close();
    await first.close();
    const { reads, workspace: fresh } = await reopened(folder);
    const source =
      'const big = library.numbers; let sum = 0; for (let i = 0; i < 10; i++) sum += big[i * 9999]; [big.length, sum]';
    expect(await valueOf(fresh, source)).toEqual([100_000, 449_955]);
    expect(reads.rows).toBeLessThan(60);
    reads.rows = 0;
    expect(await valueOf(fresh, 'big[50_000] = -1; big.push(7); [big.at(-1), big.slice(49_999, 50_002)]')).toEqual([
      7,
      [49_999, -1, 50_001],
    ]);
    expect(reads.rows).toBeLessThan(60);
    expect(await valueOf(fresh, 'let count = 0; for (const item of big) if (count++ === 250) break; count')).toBe(251);
    expect(reads.rows).toBeLessThan(120);
  });
});

/** A new kit on a store, with a workspace that has the library; and how many rows of objects it has read since. */
async function reopened(folder: string): Promise<{ reads: { rows: number }; workspace: Workspace }> {
  const store = await openStore(folder);
  const reads = { rows: 0 };
  const own = await Statek.open({ store: counting(store, reads), classes });
  onTestFinished(async () => {
    await own.close();
    await store.close();
  });
  const vars = { library: await own.transaction(() => new Library()) };
  const fresh = await own.workspace('main', { vars });
  reads.rows = 0;
  return { reads, workspace: fresh };
}

/** Counts the rows of objects that are read at once. */
function counting(store: Store, reads: { rows: number }): Store {
  const { synchronous } = store;
  if (synchronous === undefined) throw new Error('This store does not read at once.');
  const counted: typeof synchronous = {
    revision: () => synchronous.revision(),
    changes: (collections, options) => synchronous.changes(collections, options),
    read: (collection, keys, options) => {
      if (collection.name.startsWith('object')) reads.rows += keys.length;
      return synchronous.read(collection, keys, options);
    },
    scan: (collection, range, options) => {
      const page = synchronous.scan(collection, range, options);
      if (collection.name.startsWith('object')) reads.rows += page.entries.length;
      return page;
    },
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'synchronous') return counted;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
