// Copies: what was handed in or out can be changed by its holder without changing what is stored.
import assert from 'node:assert/strict';
import { conformanceCase } from '../case.ts';
import { byteVersions, bytes, records, versions, work } from './collections.ts';
import { keysIn, put, valueOf, write } from '../model/steps.ts';

export const copyCases = [
  conformanceCase('copies: a record counts as it was when commit() was called', async ({ store }) => {
    const value = { list: [1, 2, 3], inner: { name: 'before' } };
    const committing = write(store, put(records, ['k'], value), put(versions, ['k'], value));
    value.list.push(4);
    value.inner.name = 'after';
    await committing;
    value.list.length = 0;
    const expected = { list: [1, 2, 3], inner: { name: 'before' } };
    assert.deepEqual(await valueOf(store, records, ['k']), expected);
    assert.deepEqual(await valueOf(store, versions, ['k']), expected);
  }),

  conformanceCase('copies: bytes count as they were when commit() was called', async ({ store }) => {
    const value = new Uint8Array([1, 2, 3]);
    const committing = write(store, put(bytes, ['k'], value), put(byteVersions, ['k'], value));
    value.fill(9);
    await committing;
    value.fill(8);
    assert.deepEqual(await valueOf(store, bytes, ['k']), new Uint8Array([1, 2, 3]));
    assert.deepEqual(await valueOf(store, byteVersions, ['k']), new Uint8Array([1, 2, 3]));
  }),

  conformanceCase('copies: keys count as they were when the call was made', async ({ store }) => {
    const part = new Uint8Array([1]);
    const date = new Date(5);
    const key = [part, date];
    const committing = write(store, put(records, key, 'value'));
    part[0] = 7;
    date.setTime(6);
    key.pop();
    await committing;
    assert.deepEqual(await keysIn(store, records), [[new Uint8Array([1]), new Date(5)]]);
    const asked = [new Uint8Array([1]), new Date(5)] as const;
    const reading = store.read(records, [asked]);
    asked[0][0] = 7;
    asked[1].setTime(6);
    assert.equal((await reading)[0]?.value, 'value');
  }),

  conformanceCase('copies: a transaction counts as it was when commit() was called', async ({ store }) => {
    const writes = [put(records, ['a'], 1)];
    const transactions = [{ writes }];
    const committing = store.commit(transactions);
    writes.push(put(records, ['b'], 2));
    transactions.push({ writes: [put(records, ['c'], 3)] });
    assert.equal((await committing).length, 1);
    assert.deepEqual(await keysIn(store, records), [['a']]);
  }),

  conformanceCase('copies: changing what was read changes nothing stored', async ({ store }) => {
    await write(store, put(records, ['k'], { list: [1] }), put(bytes, ['k'], new Uint8Array([1, 2])));
    await write(store, put(versions, ['k'], { list: [1] }), put(byteVersions, ['k'], new Uint8Array([1, 2])));
    const at = await store.revision();
    await write(store, put(versions, ['k'], { list: [2] }), put(byteVersions, ['k'], new Uint8Array([3])));
    for (let round = 0; round < 2; round++) {
      const [record] = await store.read(records, [['k']]);
      const [old] = await store.read(versions, [['k']], { at });
      for (const entry of [record, old]) {
        assert.ok(entry !== undefined);
        assert.deepEqual(entry.value, { list: [1] });
        entry.value.list.push(9);
      }
      const [blob] = await store.read(bytes, [['k']]);
      const [oldBlob] = await store.read(byteVersions, [['k']], { at });
      const scanned = (await store.scan(bytes, {})).entries[0];
      const scannedOld = (await store.scan(byteVersions, {}, { at })).entries[0];
      for (const entry of [blob, oldBlob, scanned, scannedOld]) {
        assert.ok(entry !== undefined);
        assert.deepEqual(entry.value, new Uint8Array([1, 2]));
        entry.value.fill(9);
      }
    }
  }),

  conformanceCase('copies: two reads share nothing', async ({ store }) => {
    await write(store, put(bytes, ['k'], new Uint8Array([1])), put(work, ['w'], { list: [1] }));
    const [one, two] = await store.read(bytes, [['k'], ['k']]);
    one?.value.fill(9);
    assert.deepEqual(two?.value, new Uint8Array([1]));
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 1000 });
    assert.ok(claimed !== undefined);
    (claimed.entry.value as { list: number[] }).list.push(2);
    assert.deepEqual(await valueOf(store, work, ['w']), { list: [1] });
  }),
];
