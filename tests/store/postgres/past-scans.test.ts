// Scans at a revision are done in two ways, by how far back it lies. Both agree with a plain record of what happened.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordCollection } from '../../../src/store/collection.ts';
import type { ScanOptions, Store, Transaction } from '../../../src/store/store.ts';
import { describePostgres } from './support/trial.ts';

const numbers = recordCollection<number>('numbers', { keeps: 'versions' });
const keys = 12;

type State = ReadonlyMap<number, { readonly value: number; readonly revision: number }>;

/** Writes and removes at random and returns what the collection held at each revision. */
async function history(store: Store, seed: number, length: number): Promise<readonly State[]> {
  const [choices] = fc.sample(
    fc.array(fc.record({ key: fc.nat(keys - 1), removed: fc.boolean() }), { minLength: length, maxLength: length }),
    { seed, numRuns: 1 },
  ) as [{ key: number; removed: boolean }[]];
  const states: State[] = [new Map()];
  const transactions = choices.map(({ key, removed }, index): Transaction => {
    const state = new Map(states.at(-1));
    if (removed) state.delete(key);
    else state.set(key, { value: index, revision: index + 1 });
    states.push(state);
    return {
      writes: [
        removed
          ? { kind: 'remove', collection: numbers, key: [key] }
          : { kind: 'put', collection: numbers, key: [key], value: index },
      ],
    };
  });
  // In groups of several sizes, so that some versions come and go within one.
  for (let start = 0, size = 1; start < length; start += size, size = (size % 7) + 1)
    await store.commit(transactions.slice(start, start + size));
  return states;
}

async function scanned(store: Store, from: number, to: number, options: ScanOptions): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.scan(numbers, { from: [from], to: [to] }, { ...options, cursor });
    expect(page.entries.length).toBeLessThanOrEqual(options.limit ?? Infinity);
    expect(page.revision).toBe(options.at);
    for (const { key, value, revision } of page.entries) found.push([key[0], { value, revision }]);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

await describePostgres('scans at a revision', (trial) => {
  test.for([1, 2])('the same near the head and far back (seed %i)', async (seed) => {
    const store = await trial.open();
    await store.declare(numbers);
    const states = await history(store, seed, 330);
    for (let at = 0; at < states.length; at += 13) {
      const [from, to] = [at % 4, keys - (at % 3)];
      const expected = [...(states[at] as State)]
        .filter(([key]) => key >= from && key < to)
        .toSorted(([a], [b]) => a - b);
      const limit = 1 + (at % 5);
      expect(await scanned(store, from, to, { at, limit }), `at ${at}`).toEqual(expected);
      expect(await scanned(store, from, to, { at, limit, reverse: true }), `at ${at} in reverse`).toEqual(
        expected.toReversed(),
      );
      const entries = await store.read(numbers, [[from], [to]], { at });
      for (const [index, key] of [from, to].entries()) {
        const { value, revision } = entries[index] ?? {};
        expect(entries[index] && { value, revision }).toEqual(states[at]?.get(key));
      }
    }
  });

  test('pruning in portions keeps what the horizon needs', async () => {
    const store = await trial.open();
    await store.declare(numbers);
    const states = await history(store, 3, 250);
    expect(await store.prune(240)).toBe(240);
    for (const at of [240, 245, 250])
      expect(await scanned(store, 0, keys, { at })).toEqual([...(states[at] as State)].toSorted(([a], [b]) => a - b));
    expect(await trial.query('select count(*)::integer as n from $schema._log')).toEqual([{ n: 10 }]);
    expect(await trial.query('select coalesce(min(until), 241) > 240 as kept from $schema._numbers_past')).toEqual([
      { kept: true },
    ]);
    expect((await store.verify()).problems).toEqual([]);
  });
});
