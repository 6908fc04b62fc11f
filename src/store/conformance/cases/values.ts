// Values: what is written is what is read, and what JSON would change without a word is refused with its path.
import assert from 'node:assert/strict';
import { StoreArgumentError } from '../../errors.ts';
import { maxValueBytes } from '../../value.ts';
import { jsonValues, nested } from './awkward.ts';
import { conformanceCase } from '../case.ts';
import { byteVersions, bytes, records, versions, work } from './collections.ts';
import { put, refusesUnchanged, valueOf, write } from '../model/steps.ts';

class Point {
  readonly x = 1;
}

class List extends Array<number> {}

const cycle: { self?: unknown } = {};
cycle.self = { cycle };

/** Values with the path at which each is refused. */
const refusedValues: readonly (readonly [value: unknown, path: string])[] = [
  [undefined, ''],
  [{ a: undefined }, '.a'],
  [{ a: [1, { b: undefined }] }, '.a[1].b'],
  [[Number.NaN], '[0]'],
  [[1, Infinity], '[1]'],
  [{ n: -Infinity }, '.n'],
  [{ n: -0 }, '.n'],
  [{ n: 1n }, '.n'],
  [{ s: Symbol('s') }, '.s'],
  [{ f: () => 1 }, '.f'],
  [{ d: new Date(0) }, '.d'],
  [{ m: new Map() }, '.m'],
  [{ s: new Set() }, '.s'],
  [{ r: /a/ }, '.r'],
  [{ e: new Error('no') }, '.e'],
  [{ b: new Uint8Array(1) }, '.b'],
  [{ p: new Point() }, '.p'],
  [{ l: new List() }, '.l'],
  [{ w: Object(1) as unknown }, '.w'],
  [{ p: Promise.resolve() }, '.p'],
  // eslint-disable-next-line no-sparse-arrays
  [{ h: [1, , 2] }, '.h[1]'],
  [{ h: new Array(3) }, '.h[0]'],
  [{ named: Object.assign([1], { name: 'x' }) }, '.named'],
  [{ symbols: { [Symbol('s')]: 1 } }, '.symbols'],
  [{ t: { toJSON: () => 'other' } }, '.t'],
  [{ t: Object.defineProperty({}, 'toJSON', { value: () => 'other' }) }, '.t'],
  [{ t: Object.defineProperty([], 'toJSON', { value: () => 'other' }) }, '.t'],
  [cycle, '.self.cycle'],
];

const byteValues: readonly Uint8Array[] = [
  new Uint8Array(),
  new Uint8Array([0]),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  new Uint8Array(Buffer.from('\\x00 \\000 \'text\' "quoted"')),
  new Uint8Array(1024 * 1024).fill(0xff),
];

export const valueCases = [
  conformanceCase('values: every JSON value comes back as it was', async ({ store }) => {
    for (const collection of [records, versions, work]) {
      await write(store, ...jsonValues.map((value, index) => put(collection, [index], value)));
      const entries = await store.read(
        collection,
        jsonValues.map((_, index) => [index]),
      );
      for (const [index, value] of jsonValues.entries()) assert.deepEqual(entries[index]?.value, value);
      const page = await store.scan(collection, {});
      assert.deepEqual(
        page.entries.map((entry) => entry.value),
        jsonValues,
      );
    }
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  }),

  conformanceCase('values: the members of a record keep their order', async ({ store }) => {
    const text = '{"zebra":1,"ant":2,"bee":{"z":1,"aa":2,"b":3},"a":4}';
    await write(store, put(records, ['k'], JSON.parse(text)));
    assert.equal(JSON.stringify(await valueOf(store, records, ['k'])), text);
  }),

  conformanceCase('values: records nest 200 levels', async ({ store }) => {
    await write(store, put(records, ['deep'], nested(200)));
    assert.deepEqual(await valueOf(store, records, ['deep']), nested(200));
    await refusesUnchanged(store, StoreArgumentError, () => write(store, put(records, ['deeper'], nested(201))));
  }),

  conformanceCase('values: null is a value, not an absence', async ({ store }) => {
    await write(store, put(records, ['null'], null));
    const [found, missing] = await store.read(records, [['null'], ['missing']]);
    assert.equal(found?.value, null);
    assert.equal(missing, undefined);
    const check = { kind: 'absent', collection: records, key: ['null'] } as const;
    const [result] = await store.commit([{ checks: [check] }]);
    assert.equal(result?.status, 'conflict');
  }),

  conformanceCase('values: bytes come back as they were, as plain Uint8Arrays', async ({ store }) => {
    for (const collection of [bytes, byteVersions]) {
      await write(store, ...byteValues.map((value, index) => put(collection, [index], value)));
      const page = await store.scan(collection, {});
      assert.deepEqual(
        page.entries.map((entry) => entry.value),
        byteValues,
      );
      for (const [index, value] of byteValues.entries())
        assert.deepEqual(await valueOf(store, collection, [index]), value);
    }
  }),

  conformanceCase('values: a view stores what it shows, not the buffer behind it', async ({ store }) => {
    const buffer = Uint8Array.from({ length: 100 }, (_, index) => index);
    await write(store, put(bytes, ['view'], buffer.subarray(10, 13)), put(bytes, ['buffer'], Buffer.from('text')));
    assert.deepEqual(await valueOf(store, bytes, ['view']), new Uint8Array([10, 11, 12]));
    assert.deepEqual(await valueOf(store, bytes, ['buffer']), new Uint8Array([0x74, 0x65, 0x78, 0x74]));
  }),

  conformanceCase('values: what is not JSON is refused with its path', async ({ store }) => {
    for (const [value, path] of refusedValues) {
      const good = put(records, ['good'], 1);
      const error = await refusesUnchanged(store, StoreArgumentError, () =>
        write(store, good, put(records, ['bad'], value)),
      );
      assert.ok(
        error.message.includes(`["bad"]${path} `) || (value === cycle && error.message.includes(`["bad"]${path}.`)),
        error.message,
      );
    }
    assert.deepEqual(await store.read(records, [['good'], ['bad']]), [undefined, undefined]);
  }),

  conformanceCase('values: a collection of bytes takes only bytes', async ({ store }) => {
    for (const value of ['text', [1, 2], null, undefined, 5, new ArrayBuffer(2), new Uint16Array(2), { 0: 1 }]) {
      await refusesUnchanged(store, StoreArgumentError, () => write(store, put(bytes, ['k'], value)));
    }
  }),

  conformanceCase('values: large ones come back as they were, larger than allowed are refused', async ({ store }) => {
    const text = 'é😀 \0'.repeat(500_000);
    const large = new Uint8Array(8 * 1024 * 1024).map((_, index) => (index * 2654435761) >>> 24);
    await write(store, put(records, ['large'], { text }), put(bytes, ['large'], large));
    assert.deepEqual(await valueOf(store, records, ['large']), { text });
    assert.ok(Buffer.from((await valueOf(store, bytes, ['large'])) as Uint8Array).equals(large));
    await refusesUnchanged(store, StoreArgumentError, () =>
      write(store, put(bytes, ['larger'], new Uint8Array(maxValueBytes + 1))),
    );
  }),
];
