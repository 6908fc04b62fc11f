// A location selects the engine; what it does not know, and options it does not take, are refused.
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../base/clock.ts';
import { InvalidOptionError } from '../base/options.ts';
import { recordCollection } from './collection.ts';
import { mustCommit } from './must-commit.ts';
import { openStore, type OpenStoreOptions } from './open.ts';

const things = recordCollection<number>('things');

describe('openStore', () => {
  test.each([
    'redis://here/x',
    'redis://here?unknown=1',
    'file:///tmp/x',
    'http://x',
    'sqlite:x',
    'MEMORYX:',
    '',
    '  ',
    'a\0b',
  ])('refuses %o', async (location) => {
    await expect(openStore(location)).rejects.toThrow(InvalidOptionError);
  });

  test('refuses options that do not exist or do not belong', async () => {
    await expect(openStore('memory:', { clok: new ManualClock() } as OpenStoreOptions)).rejects.toThrow("'clok'");
    await expect(openStore('memory:', { sqlite: {} })).rejects.toThrow("'sqlite'");
    await expect(openStore('postgres://x', { clock: new ManualClock() })).rejects.toThrow("'clock'");
    await expect(openStore('postgres://x', { sqlite: {} })).rejects.toThrow("'sqlite'");
    await expect(openStore('redis://x', { clock: new ManualClock() })).rejects.toThrow("'clock'");
    await expect(openStore('rediss://x', { sqlite: {} })).rejects.toThrow("'sqlite'");
    const misspelt = { sqlite: { durabilty: 'full' } } as OpenStoreOptions;
    await expect(openStore('never-made', misspelt)).rejects.toThrow("'durabilty'");
    const wrong = { sqlite: { durability: 'some' } } as object as OpenStoreOptions;
    await expect(openStore('never-made', wrong)).rejects.toThrow(InvalidOptionError);
  });

  test('memory stores without a name share nothing, those with one share everything while one is open', async () => {
    const [a, b] = [await openStore('memory:'), await openStore('memory:')];
    const [c, d] = [await openStore('memory:shared'), await openStore('memory:shared')];
    for (const store of [a, b, c, d]) await store.declare(things);
    await mustCommit(a, { writes: [{ kind: 'put', collection: things, key: [1], value: 1 }] });
    await mustCommit(c, { writes: [{ kind: 'put', collection: things, key: [1], value: 1 }] });
    expect(await b.read(things, [[1]])).toStrictEqual([undefined]);
    expect((await d.read(things, [[1]]))[0]?.value).toBe(1);
    for (const store of [a, b, c, d]) await store.close();
    const fresh = await openStore('memory:shared');
    expect(await fresh.revision()).toBe(0);
    await fresh.close();
  });
});
