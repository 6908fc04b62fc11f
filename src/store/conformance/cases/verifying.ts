// Verifying: a healthy store has no problems, whatever happened to it.
import assert from 'node:assert/strict';
import { conformanceCase } from '../case.ts';
import { byteVersions, bytes, records, versions, work } from './collections.ts';
import { numbers, put, remove, write } from '../model/steps.ts';

export const verifyingCases = [
  conformanceCase('verifying: an empty store is healthy', async ({ store, openBare }) => {
    assert.deepEqual(await store.verify(), { entries: 0, bytes: 0, problems: [] });
    assert.deepEqual((await (await openBare()).verify()).problems, []);
  }),

  conformanceCase('verifying: it counts the entries and finds nothing wrong', async ({ store, open }) => {
    for (const round of numbers(3)) {
      await write(store, ...numbers(20).map((index) => put(records, [index], { round, text: 'x'.repeat(index) })));
      await write(store, ...numbers(20).map((index) => put(bytes, [index], new Uint8Array(index).fill(round))));
      await write(store, put(versions, ['k'], round), put(byteVersions, ['k'], new Uint8Array([round])));
      await write(store, ...numbers(5).map((index) => put(work, [round, index], 'item')));
    }
    await write(store, ...numbers(10).map((index) => remove(records, [index])), remove(versions, ['k']));
    await store.claim(work, { owner: 'o', limit: 3, leaseMilliseconds: 1000 });
    await store.prune(4);
    for (const each of [store, await open()]) {
      const report = await each.verify();
      assert.deepEqual(report.problems, []);
      // Superseded versions may be counted too.
      assert.ok(report.entries >= 10 + 20 + 1 + 15, `${report.entries} entries`);
      assert.ok(report.bytes > 0);
    }
  }),
];
