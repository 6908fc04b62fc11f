// Shared facts: who reads what, who wins, what expires, and what is left behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Durable, Objects } from '../../objects/door.ts';
import { openStore, type Store } from '../../store/door.ts';
import { MemoryReadOnlyError } from './binding.ts';
import { Memory } from './memory.ts';
import { edgeRows, expiryRows, factRows, memoryCollections } from './rows.ts';

class User extends Durable {
  name = '';
}

describe.each(['memory', 'sqlite'])('on %s', (engine) => {
  let folder: string;
  let store: Store;
  let memory: Memory;
  let clock: ManualClock;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'statek-memory-'));
    store = await openStore(engine === 'memory' ? 'memory:' : folder);
    clock = new ManualClock(1000);
    memory = await Memory.open(store, { clock });
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const names = async (...specifiers: string[]): Promise<string[]> =>
    (await memory.bind(specifiers).recall()).map(({ name, value }) => `${name}=${JSON.stringify(value)}`);

  const rowsLeft = async (): Promise<number> => {
    const pages = await Promise.all(memoryCollections.map((collection) => store.scan(collection, {})));
    return pages.reduce((sum, page) => sum + page.entries.length, 0);
  };

  test('every subset is read, and the newest wins', async () => {
    await memory.bind([]).remember('zone', 'UTC');
    await memory.bind(['b', 'a']).remember('length', 25, { category: 'PREFERENCE' });
    await memory.bind(['c']).remember('length', 60);
    await memory.bind(['a', 'b', 'd']).remember('secret', true);
    expect(await names()).toEqual(['zone="UTC"']);
    expect(await names('a')).toEqual(['zone="UTC"']);
    expect(await names('a', 'b')).toEqual(['length=25', 'zone="UTC"']);
    expect(await names('c', 'b', 'a', 'a')).toEqual(['length=60', 'zone="UTC"']);
    await memory.bind(['a', 'b']).remember('length', 30);
    expect(await names('a', 'b', 'c')).toEqual(['length=30', 'zone="UTC"']);
    const fact = await memory.bind(['a', 'b', 'c']).get('length');
    expect(fact).toMatchObject({ value: 30, specifiers: ['s:a', 's:b'], category: 'ENTITY', created: 1000 });
    expect(await memory.bind(['a']).get('length')).toBeUndefined();
  });

  test('facts are searched, by category too', async () => {
    const binding = memory.bind(['a']);
    await binding.remember('lunch', { place: 'Blue Room' }, { category: 'PREFERENCE' });
    await binding.remember('blue', 'a colour', { category: 'VOCABULARY' });
    await binding.remember('other', 1);
    const search = async (query: string, category?: string): Promise<string[]> =>
      (await binding.search(query, { category })).map(({ name }) => name);
    expect(await search('BLUE')).toEqual(['blue', 'lunch']);
    expect(await search('room blue')).toEqual(['lunch']);
    expect(await search('', 'VOCABULARY')).toEqual(['blue']);
    expect((await binding.recall({ category: 'PREFERENCE' })).map(({ name }) => name)).toEqual(['lunch']);
    await expect(binding.recall({ category: 'RULE' })).rejects.toThrow(
      "There is no category 'RULE'; there are PREFERENCE, ENTITY, VOCABULARY.",
    );
    const extended = await Memory.open(store, { categories: ['RULE'] });
    await extended.bind(['a']).remember('be kind', true, { category: 'RULE' });
    expect((await memory.list()).facts).toHaveLength(4);
    const page = await memory.list({ limit: 3 });
    expect((await memory.list({ limit: 3, cursor: page.cursor as string })).facts).toHaveLength(1);
  });

  test('what has expired is not read, and is purged', async () => {
    const binding = memory.bind(['a']);
    await binding.remember('soon', 1, { expiresIn: 10 });
    await binding.remember('later', 1, { expiresIn: 1000 });
    await binding.remember('kept', 1, { expiresIn: 10 });
    await binding.remember('kept', 2);
    clock.advance(10);
    expect(await names('a')).toEqual(['kept=2', 'later=1']);
    expect(await binding.get('soon')).toBeUndefined();
    expect((await memory.list()).facts).toHaveLength(2);
    expect(await memory.purge()).toBe(1);
    expect(await memory.purge()).toBe(0);
    expect((await store.scan(expiryRows, {})).entries).toHaveLength(1);
    await binding.remember('soon', 3);
    expect(await names('a')).toEqual(['kept=2', 'later=1', 'soon=3']);
  });

  test('nothing is left of what is forgotten', async () => {
    await memory.bind(['a', 'b', 'c']).remember('x', 1);
    await memory.bind(['a', 'b']).remember('y', 1, { expiresIn: 5 });
    expect(await memory.bind(['a']).forget('x')).toBe(false);
    expect(await memory.bind(['c', 'b', 'a']).forget('x')).toBe(true);
    expect(await names('a', 'b', 'c')).toEqual(['y=1']);
    expect((await store.scan(edgeRows, {})).entries).toHaveLength(2);
    expect(await memory.bind(['a', 'b']).forget('y')).toBe(true);
    expect(await rowsLeft()).toBe(0);
  });

  test('a read-only binding reads', async () => {
    await memory.bind(['a']).remember('x', 1);
    const binding = memory.bind(['a'], { readonly: true });
    expect(await binding.get('x')).toBeDefined();
    await expect(async () => binding.remember('x', 2)).rejects.toThrow(MemoryReadOnlyError);
    await expect(async () => binding.forget('x')).rejects.toThrow(MemoryReadOnlyError);
  });

  test('many write and forget at once, and each change stands or falls as a whole', async () => {
    const bindings = [['a'], ['a', 'b'], ['a', 'b', 'c'], ['b']].map((specifiers) => memory.bind(specifiers));
    await Promise.all(bindings.flatMap((binding, index) => [1, 2, 3].map((n) => binding.remember(`n${n}`, index))));
    await Promise.all(bindings.flatMap((binding) => [1, 2].map((n) => binding.forget(`n${n}`))));
    expect((await store.scan(factRows, {})).entries).toHaveLength(4);
    for (const binding of bindings) expect(await binding.get('n3')).toBeDefined();
    await Promise.all(bindings.map((binding) => binding.forget('n3')));
    expect(await rowsLeft()).toBe(0);
  });

  test('a planned change is part of a larger transaction, or falls with it', async () => {
    const binding = memory.bind(['a']);
    const first = await binding.planRemember('x', 1);
    const second = await binding.planRemember('x', 2);
    const results = await store.commit([first, second]);
    expect(results.map(({ status }) => status)).toEqual(['committed', 'conflict']);
    expect((await binding.get('x'))?.value).toBe(1);
  });
});

test('durable objects are specifiers', async () => {
  const store = await openStore('memory:');
  await Objects.open(store, { classes: [User] });
  const memory = await Memory.open(store);
  const [one, two] = [new User(), new User()];
  await memory.bind([one, 'x']).remember('a', 1);
  expect(await memory.bind(['x', one, two]).get('a')).toBeDefined();
  expect(await memory.bind(['x', two]).get('a')).toBeUndefined();
  expect(() => memory.bind([{}])).toThrow('durable');
});

test.each([
  [{ category: 'X' }, "no category 'X'"],
  [{ expiresIn: 0 }, 'expiresIn'],
  [{ expires: 1 }, "no option 'expires'"],
])('%j is refused', async (options, message) => {
  const memory = await Memory.open(await openStore('memory:'));
  await expect(async () => memory.bind(['a']).remember('x', 1, options as object)).rejects.toThrow(message);
  await expect(async () => memory.bind(['a']).remember('', 1)).rejects.toThrow('name');
  expect(() => memory.bind([''])).toThrow('specifier');
});

test('property: a binding reads what a list of all facts says it should', async () => {
  const specifiers = fc.subarray(['a', 'b', 'c', 'd']);
  const change = fc.record({
    specifiers,
    name: fc.constantFrom('x', 'y'),
    kind: fc.constantFrom('remember', 'forget'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 15 }), specifiers, async (changes, reader) => {
      const store = await openStore('memory:');
      const memory = await Memory.open(store, { clock: new ManualClock() });
      let model: { readonly in: readonly string[]; readonly name: string; readonly value: number }[] = [];
      for (const [value, { specifiers: set, name, kind }] of changes.entries()) {
        model = model.filter((fact) => !(fact.name === name && fact.in.join() === set.join()));
        if (kind === 'forget') await memory.bind(set).forget(name);
        else {
          await memory.bind(set).remember(name, value);
          model.push({ in: set, name, value });
        }
      }
      const expected: Record<string, number> = {};
      for (const fact of model) if (fact.in.every((one) => reader.includes(one))) expected[fact.name] = fact.value;
      const read = (await memory.bind(reader).recall()).map(({ name, value }) => [name, value]);
      expect(Object.fromEntries(read)).toEqual(expected);
      const edges = (await store.scan(edgeRows, {})).entries.length;
      const prefixes = new Set(model.flatMap((fact) => fact.in.map((_, end) => fact.in.slice(0, end + 1).join())));
      expect(edges).toBe(prefixes.size);
      await store.close();
    }),
    { numRuns: 60 },
  );
});
