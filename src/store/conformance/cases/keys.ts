// Keys: any tuple of parts is a key of its own, comes back as it was, and sorts by its parts.
import assert from 'node:assert/strict';
import { StoreArgumentError } from '../../errors.ts';
import { maxKeyBytes, type Key } from '../../key.ts';
import type { Range } from '../../range.ts';
import { awkwardStrings } from './awkward.ts';
import { conformanceCase } from '../case.ts';
import { bytes, otherRecords, records } from './collections.ts';
import { keysIn, put, refusesUnchanged, remove, valueOf, write } from '../model/steps.ts';

const lastDate = 8_640_000_000_000_000;

/** In order, first to last. */
const sortedKeys: readonly Key[] = [
  [],
  ...[[null], [null, null], [null, ''], [false], [false, 1], [true]],
  ...[-Infinity, -Number.MAX_VALUE, -1e10, -256, -255, -2, -1.5, -1, -Number.MIN_VALUE].map((part) => [part]),
  ...[0, Number.MIN_VALUE, 0.1, 1, 1.5, 2, 10, 255, 256, 2 ** 53, 1e300, Number.MAX_VALUE, Infinity].map((p) => [p]),
  ...[-(2n ** 1016n), -(2n ** 64n), -65537n, -65536n, -257n, -256n, -255n, -2n, -1n].map((part) => [part]),
  ...[0n, 1n, 127n, 128n, 255n, 256n, 65535n, 65536n, 2n ** 64n, 2n ** 1016n - 1n].map((part) => [part]),
  ...[-lastDate, -1, 0, 1, 1_700_000_000_000, lastDate].map((time) => [new Date(time)]),
  ...[[''], ['', ''], ['\0'], ['\0', 'z'], ['\0\0'], ['\0\x01'], ['\x01'], ['A'], ['B'], ['a']],
  ...[
    ['a', null],
    ['a', -1],
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'c'],
    ['a', new Uint8Array([255])],
    ['a\0'],
    ['a\x01'],
  ],
  ...[['aa'], ['b'], ['é'], ['\ud7ff'], ['\ud800'], ['\udfff'], ['\ue000'], ['\uffff'], ['😀'], ['\u{10ffff}']],
  ...[[], [0], [0, 0], [0, 255], [1], [127], [128], [255], [255, 0], [255, 255]].map((part) => [new Uint8Array(part)]),
];

const refusedParts: readonly unknown[] = [
  ...[undefined, Number.NaN, {}, [], ['a'], Symbol('part'), () => 1, new Date(Number.NaN), new Map(), /a/],
  ...[2n ** 1016n, -(2n ** 1016n) - 1n, new ArrayBuffer(1), new Uint16Array(1)],
];

export const keyCases = [
  conformanceCase('keys: any string is a key of its own', async ({ store }) => {
    await write(store, ...awkwardStrings.map((text, index) => put(records, [text], index)));
    const entries = await store.read(
      records,
      awkwardStrings.map((text) => [text]),
    );
    assert.deepEqual(
      entries.map((entry) => [entry?.key, entry?.value]),
      awkwardStrings.map((text, index) => [[text], index]),
    );
    assert.equal((await keysIn(store, records)).length, awkwardStrings.length);
    const [first, ...others] = awkwardStrings;
    await write(store, ...others.map((text) => remove(records, [text])));
    assert.deepEqual(await keysIn(store, records), [[first]]);
  }),

  conformanceCase('keys: every kind of part comes back as it was, in order', async ({ store }) => {
    await write(store, ...sortedKeys.toReversed().map((key) => put(records, key, 'value')));
    assert.deepEqual(await keysIn(store, records), sortedKeys);
    assert.deepEqual(await keysIn(store, records, {}, { reverse: true }), sortedKeys.toReversed());
    const entries = await store.read(records, sortedKeys);
    assert.deepEqual(
      entries.map((entry) => entry?.key),
      sortedKeys,
    );
  }),

  conformanceCase('keys: each key is the bound of a range, included below and excluded above', async ({ store }) => {
    await write(store, ...sortedKeys.map((key) => put(records, key, 'value')));
    for (const [index, key] of sortedKeys.entries()) {
      if (index % 3 !== 0) continue;
      assert.deepEqual(await keysIn(store, records, { from: key }), sortedKeys.slice(index));
      assert.deepEqual(await keysIn(store, records, { to: key }), sortedKeys.slice(0, index));
    }
  }),

  conformanceCase('keys: minus zero and zero are one key', async ({ store }) => {
    await write(store, put(records, [0], 'zero'));
    await write(store, put(records, [-0], 'minus zero'));
    assert.deepEqual(await keysIn(store, records), [[0]]);
    assert.equal(await valueOf(store, records, [0]), 'minus zero');
  }),

  conformanceCase('keys: parts of different kinds that look alike are different', async ({ store }) => {
    const alike: Key[] = [['1'], [1], [1n], [new Date(1)], [true], [new Uint8Array([0x31])], [new Uint8Array([1])]];
    await write(store, ...alike.map((key, index) => put(records, key, index)));
    for (const [index, key] of alike.entries()) assert.equal(await valueOf(store, records, key), index);
    assert.equal((await keysIn(store, records)).length, alike.length);
  }),

  conformanceCase('keys: tuples are not joined', async ({ store }) => {
    const tuples: Key[] = [['a', 'b'], ['ab'], ['a', '', 'b'], ['a\0b'], ['a', 'b', ''], ['', 'a', 'b'], ['a\0', 'b']];
    await write(store, ...tuples.map((key, index) => put(records, key, index)));
    for (const [index, key] of tuples.entries()) assert.equal(await valueOf(store, records, key), index);
  }),

  conformanceCase('keys: collections have keys of their own', async ({ store }) => {
    await write(
      store,
      put(records, ['k'], 'one'),
      put(otherRecords, ['k'], 'two'),
      put(bytes, ['k'], new Uint8Array([3])),
    );
    await write(store, remove(records, ['k']));
    assert.equal(await valueOf(store, records, ['k']), undefined);
    assert.equal(await valueOf(store, otherRecords, ['k']), 'two');
    assert.deepEqual(await valueOf(store, bytes, ['k']), new Uint8Array([3]));
  }),

  conformanceCase('keys: the longest key is stored, a longer one refused', async ({ store }) => {
    // One byte says that it is a string, and one ends it.
    const room = maxKeyBytes - 2;
    const longest: Key[] = [
      ['x'.repeat(room)],
      ['é'.repeat(room / 2)],
      ['\0'.repeat(room / 2)],
      [new Uint8Array(room / 2)],
    ];
    await write(store, ...longest.map((key, index) => put(records, key, index)));
    for (const [index, key] of longest.entries()) assert.equal(await valueOf(store, records, key), index);
    const tooLong: Key[] = [['x'.repeat(room + 1)], ['\0'.repeat(room / 2 + 1)], ['x'.repeat(room), null]];
    for (const key of tooLong) {
      await refusesUnchanged(store, StoreArgumentError, () => write(store, put(records, key, 1)));
      await refusesUnchanged(store, StoreArgumentError, () => store.read(records, [key]));
      assert.deepEqual(await keysIn(store, records, { prefix: key }), []);
    }
  }),

  conformanceCase('keys: what has no order is refused, everywhere', async ({ store }) => {
    for (const part of refusedParts) {
      const key = ['a', part] as Key;
      const refused = (call: () => unknown): Promise<Error> => refusesUnchanged(store, StoreArgumentError, call);
      await refused(() => write(store, put(records, key, 1)));
      await refused(() => write(store, remove(records, key)));
      await refused(() => store.commit([{ checks: [{ kind: 'absent', collection: records, key }] }]));
      await refused(() => store.read(records, [['good'], key]));
      for (const range of [{ prefix: key }, { from: key }, { to: key }]) {
        await refused(() => store.scan(records, range));
        await refused(() => store.follow({ range }));
        await refused(() => store.commit([{ checks: [{ kind: 'unchanged', collection: records, range, since: 0 }] }]));
      }
    }
    const wrong: readonly unknown[] = ['text', 5, null, undefined, { 0: 'a', length: 1 }, new Uint8Array(2)];
    for (const key of wrong) {
      await refusesUnchanged(store, StoreArgumentError, () => write(store, put(records, key as Key, 1)));
    }
    await refusesUnchanged(store, StoreArgumentError, () => store.scan(records, { perfix: ['a'] } as Range));
  }),
];
