// Tags and queries: what is found, in which order, in how many pages, and inside a transaction with its own changes.
import { describe, expect, test } from 'vitest';
import { InvalidOptionError } from '../../src/base/options.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { Durable } from '../../src/objects/durable.ts';
import { find, idOf, remove, transaction } from '../../src/objects/graph.ts';
import { Objects } from '../../src/objects/objects.ts';
import { no, type Query } from '../../src/objects/queries/query.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { openObjects, openTestStore, reopen } from './support/open.ts';

class Person extends Durable {
  name: string;

  constructor(name: string, ...tagged: string[]) {
    super();
    this.name = name;
    tags(this).add(...tagged);
  }
}
class Manager extends Person {}

const names = (query: Iterable<Person>): string => [...query].map(({ name }) => name).join('');

const backwards = (text: string): string => text.split('').toReversed().join('');

async function people(): Promise<Objects> {
  const objects = await openObjects([Person, Manager]);
  new Person('a', 'staff', 'london');
  new Person('b', 'staff', 'paris');
  new Manager('c', 'staff', 'paris', 'boss');
  new Person('d', 'guest');
  new Person('e');
  return objects;
}

describe('find', () => {
  test('refuses a class that is not durable: the compiler does, and the program', async () => {
    class Plain {
      name = 'x';
    }
    await openObjects([Person]);
    // @ts-expect-error -- its objects are not durable
    expect(() => find(Plain)).toThrow('The class Plain cannot be looked for: it does not extend Durable.');
    // @ts-expect-error -- its objects are not durable
    await expect(openObjects([Plain])).rejects.toThrow('The class Plain cannot be registered');
  });

  test('takes tags together, one of a list, and none of what is forbidden', async () => {
    await people();
    const expected: [Query<Person>, string][] = [
      [find(Person), 'abcde'],
      [find(Manager), 'c'],
      [find(Person, 'staff'), 'abc'],
      [find(Manager, 'staff'), 'c'],
      [find(Person, 'staff', 'paris'), 'bc'],
      [find(Person, ['london', 'guest']), 'ad'],
      [find(Person, ['paris', 'london', 'staff'], no('boss')), 'ab'],
      [find(Person, no('staff')), 'de'],
      [find(Person, 'staff', ['london', 'boss'], no('guest'), no('paris')), 'a'],
      [find(Person, []), ''],
      [find(Person, 'nobody'), ''],
    ];
    for (const [query, found] of expected) {
      expect(names(query)).toBe(found);
      expect(query.count()).toBe(found.length);
      expect(names(query.reverse())).toBe(backwards(found));
      expect(names(query.limit(2))).toBe(found.slice(0, 2));
      expect(query.limit(2).count()).toBe(Math.min(2, found.length));
      expect(query.limit(0).count()).toBe(0);
      expect(query.first()?.name).toBe(found[0]);
      for (const size of [1, 2, 100]) expect(pages(query, size)).toBe(found);
      expect(pages(query.reverse(), 2)).toBe(backwards(found));
      expect(pages(query.limit(3), 2)).toBe(found.slice(0, 3));
    }
    expect(find(Person, 'boss').has(find(Manager).first() as Manager)).toBe(true);
    expect(find(Person, 'guest').has(find(Manager).first() as Manager)).toBe(false);
  });

  test('finds in the order of making, whichever process made it', async () => {
    const clock = new ManualClock(1_000_000);
    const store = await openTestStore();
    let made = '';
    for (let round = 0; round < 6; round++) {
      const objects = await Objects.open(store, { classes: [Person], clock });
      for (let count = 0; count < 7; count++) {
        const name = String.fromCharCode(97 + made.length);
        made += name;
        await transaction(() => new Person(name, 'all'));
        if (count % 3 === 0) clock.advance(1);
      }
      // A clock that was set back in between changes nothing for one process.
      clock.advance(2);
      objects.close();
    }
    await openObjects([Person], store);
    expect(names(find(Person))).toBe(made);
    expect(names(find(Person, 'all').reverse())).toBe(backwards(made));
  });

  test('goes through many pages of the store, also while changes are on their way', async () => {
    const objects = await openObjects([Person]);
    for (let count = 0; count < 700; count++) new Person('x', count % 2 === 0 ? 'even' : 'odd');
    expect(find(Person).count()).toBe(700);
    await objects.plainWrites.flush();
    expect(find(Person).count()).toBe(700);
    const [third] = [...find(Person, 'even')].slice(2);
    await Promise.resolve();
    remove(third as Person);
    new Person('y', 'odd');
    await Promise.resolve();
    await Promise.resolve();
    expect([find(Person).count(), find(Person, 'even').count(), find(Person, 'odd').count()]).toEqual([700, 349, 351]);
    expect([...find(Person).reverse()].length).toBe(700);
    expect(pages(find(Person), 64).length).toBe(700);
    await objects.plainWrites.flush();
    expect([find(Person).count(), find(Person, 'even').count(), find(Person, 'odd').count()]).toEqual([700, 349, 351]);
  });

  test('sees the changes of its own transaction', async () => {
    await people();
    await transaction(() => {
      const [a] = find(Person);
      tags(a as Person).remove('staff');
      tags(a as Person).add('guest');
      new Person('f', 'staff');
      remove(find(Person, 'boss').first() as Person);
      expect(names(find(Person, 'staff'))).toBe('bf');
      expect(names(find(Person, 'guest'))).toBe('ad');
      expect(names(find(Person))).toBe('abdef');
    });
    expect(names(find(Person, 'staff'))).toBe('bf');
  });

  test('ends when objects are made, tagged or removed while it is gone through', async () => {
    await people();
    await transaction(() => {
      let met = '';
      for (const person of find(Person)) {
        met += person.name;
        new Person(person.name.toUpperCase(), 'staff');
        if (person.name === 'b') remove([...find(Person)].find(({ name }) => name === 'd') as Person);
      }
      expect(met).toBe('abce');
      for (const person of find(Person, 'staff')) {
        tags(person).remove('staff');
        tags(person).add('done');
      }
    });
    expect(names(find(Person, 'staff'))).toBe('');
    expect(names(find(Person, 'done'))).toBe('abcABCE');
  });

  test('refuses what makes no sense', async () => {
    await people();
    expect(() => find(Person, '')).toThrow(/A tag must be a string/);
    expect(() => find(Person, 5 as unknown as string)).toThrow(/A tag must be a string/);
    expect(() => no('x'.repeat(201))).toThrow(/A tag must be a string/);
    expect(() => find(Person).limit(-1)).toThrow(/whole number/);
    expect(() => find(Person).page(0)).toThrow(/page: the size/);
    expect(() => find(Person).page(2, 'nonsense')).toThrow(/cursor/);
    class Stranger extends Durable {}
    expect(() => find(Stranger)).toThrow(/not registered/);
  });
});

describe('tags', () => {
  test('are a small set of texts that survives', async () => {
    const objects = await people();
    const [a] = find(Person);
    const tagged = tags(a as Person);
    tagged.add('x', 'x', 'staff');
    expect([...tagged]).toEqual(['staff', 'london', 'x']);
    expect([tagged.size, tagged.has('x'), tagged.has('y')]).toEqual([3, true, false]);
    tagged.remove('x', 'none');
    const again = (await reopen(objects, [Person, Manager])).find(idOf(a as Person)) as Person;
    expect([...tags(again)]).toEqual(['staff', 'london']);
    expect(() => tags(again).add('fine', '')).toThrow(/A tag must be a string/);
    expect([...tags(again)]).toEqual(['staff', 'london']);
    expect(() => tags({})).toThrow(InvalidOptionError);
    remove(again);
    expect(() => tags(again).add('x')).toThrow(/is gone/);
  });
});

function pages(query: Query<Person>, size: number): string {
  let text = '';
  let cursor: string | undefined;
  do {
    const page = query.page(size, cursor);
    text += names(page.items);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return text;
}
