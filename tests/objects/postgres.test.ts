// A store that cannot read at once: transactions load what they miss and run again; outside of them things are loaded
// first, or an error says how.
import { describe, expect, test, vi } from 'vitest';
import { Durable } from '../../src/objects/durable.ts';
import { NotLoadedError, ObjectConflictError } from '../../src/objects/errors.ts';
import { find, idOf, index } from '../../src/objects/graph.ts';
import { load } from '../../src/objects/transactions/load.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { transact, transactAt } from '../../src/objects/transactions/transact.ts';
import { openedOnce, serverPlaces } from './support/places.ts';

class Part extends Durable {
  name = '';
  next: Part | null = null;
}
class Whole extends Durable {
  parts: Part[] = [];
  byName = new Map<string, Part>();
  data: Record<string, unknown> = {};
  sorted = index<Part>();
  numbers: number[] = [];
}

describe.each(serverPlaces)('on $name', (place) => {
  const shared = openedOnce(place, [Part, Whole]);

  /** A graph that another process has made; `reader` knows nothing of it. */
  async function made(): Promise<{ reader: Objects; writer: Objects; whole: Whole }> {
    const [reader, writer] = shared();
    const id = await transact(writer, () => {
      const whole = new Whole();
      for (let count = 0; count < 5; count++) {
        const part = new Part();
        part.name = `part ${count}`;
        part.next = whole.parts.at(-1) ?? null;
        whole.parts.push(part);
        whole.byName.set(part.name, part);
        whole.sorted.add(-count, part);
      }
      whole.numbers.push(...Array.from({ length: 5000 }, (_, count) => count));
      whole.data = { deep: { deeper: [1, { deepest: 'yes' }] }, ['then' as string]: 'not a promise' };
      return idOf(whole);
    });
    return { reader, writer, whole: await transact(reader, () => reader.find(id) as Whole) };
  }

  test('a transaction loads what it misses, whatever it is', async () => {
    const { reader, whole } = await made();
    const seen = await transact(reader, () => ({
      names: whole.parts.map(({ name }) => name),
      chain: whole.byName.get('part 4')?.next?.next?.name,
      sorted: [...whole.sorted].map(({ name }) => name).join(),
      deepest: JSON.stringify(whole.data),
      numbers: whole.numbers.reduce((sum, number) => sum + number, 0),
      found: find(Part).count() >= 5,
    }));
    expect(seen).toEqual({
      names: ['part 0', 'part 1', 'part 2', 'part 3', 'part 4'],
      chain: 'part 2',
      sorted: 'part 4,part 3,part 2,part 1,part 0',
      deepest: '{"deep":{"deeper":[1,{"deepest":"yes"}]},"then":"not a promise"}',
      numbers: 12_497_500,
      found: true,
    });
  });

  test('a long list is read in a few runs', async () => {
    const { reader, whole } = await made();
    let runs = 0;
    const sum = await transact(reader, () => {
      runs++;
      let total = 0;
      for (const number of whole.numbers) total += number;
      return total;
    });
    expect(sum).toBe(12_497_500);
    expect(runs).toBeLessThan(12);
  });

  test('many objects of a query are read in a few runs', async () => {
    const [reader, writer] = shared();
    await transact(writer, () => {
      for (let count = 0; count < 600; count++) new Part().name = 'many';
    });
    let runs = 0;
    const found = await transact(reader, () => {
      runs++;
      return [...find(Part)].filter(({ name }) => name === 'many').length;
    });
    expect(found).toBe(600);
    expect(runs).toBeLessThan(20);
  });

  test('a fault cannot be swallowed', async () => {
    const { reader, whole } = await made();
    const name = await transact(reader, () => {
      try {
        return whole.parts[4]?.name;
      } catch {
        return 'swallowed';
      }
    });
    expect(name).toBe('part 4');
  });

  test('outside a transaction, what is not loaded says how to load it, and nothing is lost by that', async () => {
    const { reader, whole } = await made();
    expect(() => whole.parts).toThrow(NotLoadedError);
    expect(() => whole.parts).toThrow(/transaction\(.*load\(/);
    expect(() => find(Part, 'x').count()).toThrow(/2 open kits/);
    expect(await Promise.resolve(whole)).toBe(whole);
    const own = await transact(reader, () => new Part());
    own.name = 'kept';
    expect(() => whole.numbers).toThrow(NotLoadedError);
    await reader.plainWrites.flush();
    expect(await transact(reader, () => own.name)).toBe('kept');
  });

  test('load brings the object, its collections and what it refers to', async () => {
    const { reader, writer, whole } = await made();
    expect(await load(reader, whole)).toBe(whole);
    expect(whole.parts.length).toBe(5);
    expect(whole.numbers.at(-1)).toBe(4999);
    expect(Object.keys(whole.data)).toEqual(['deep', 'then']);
    const [first] = await load(reader, whole.parts);
    expect(first?.name).toBe('part 0');
    (first as Part).name = 'changed';
    whole.numbers.push(-1);
    await reader.plainWrites.flush();
    const seen = await transact(writer, () => {
      const theirs = writer.find(idOf(whole)) as Whole;
      return [theirs.parts[0]?.name, theirs.numbers.at(-1)];
    });
    expect(seen).toEqual(['changed', -1]);
  });

  test('a turn on what was loaded too long ago fails once, and the next one works', async () => {
    const { reader, writer, whole } = await made();
    await load(reader, whole);
    const [first] = await load(reader, whole.parts);
    await transact(writer, () => ((writer.find(idOf(first as Part)) as Part).name = 'theirs'));
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    (first as Part).name = 'late';
    await expect(reader.plainWrites.flush()).rejects.toThrow(ObjectConflictError);
    warned.mockRestore();
    expect(first?.name).toBe('theirs');
    (first as Part).name = 'again';
    await reader.plainWrites.flush();
    expect(await transact(writer, () => (writer.find(idOf(first as Part)) as Part).name)).toBe('again');
  });

  test('the order of fields and of members is kept, and the past can be read', async () => {
    const [reader, writer] = shared();
    const id = await transact(writer, () => {
      const part = new Part() as Part & Record<string, unknown>;
      for (const name of ['zebra', 'a', 'longer name', 'b']) part[name] = name;
      part['object'] = { zz: 1, a: 2, mmm: 3 };
      return idOf(part);
    });
    const revision = await reader.store.revision();
    await transact(writer, () => ((writer.find(id) as Part).name = 'later'));
    const look = (): unknown => {
      const part = reader.find(id) as Part & { object: object };
      return [part.name, Object.keys(part), Object.keys(part.object)];
    };
    const names = ['name', 'next', 'zebra', 'a', 'longer name', 'b', 'object'];
    expect(await transact(reader, look)).toEqual(['later', names, ['zz', 'a', 'mmm']]);
    expect(await transactAt(reader, revision, look)).toEqual(['', names, ['zz', 'a', 'mmm']]);
  });
});
