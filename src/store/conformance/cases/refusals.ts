// Refusals: a call that makes no sense is refused as a whole, before anything is written.
import assert from 'node:assert/strict';
import { StoreArgumentError } from '../../errors.ts';
import type { Check, LeaseCheck, Transaction, Write } from '../../store.ts';
import { conformanceCase } from '../case.ts';
import { records, work } from './collections.ts';
import { keysIn, put, refuses, refusesUnchanged, remove, write } from '../model/steps.ts';

export const refusalCases = [
  conformanceCase('refusals: a key written twice in one transaction', async ({ store }) => {
    for (const second of [put(records, ['k'], 2), remove(records, ['k'])]) {
      await refusesUnchanged(store, StoreArgumentError, () => write(store, put(records, ['k'], 1), second));
    }
    await refusesUnchanged(store, StoreArgumentError, () => write(store, put(records, [0], 1), put(records, [-0], 2)));
    await write(store, put(records, ['k'], 1), put(work, ['k'], 1), put(records, ['k', 'k'], 1));
  }),

  conformanceCase('refusals: checks, writes and leases of kinds that do not exist', async ({ store }) => {
    await write(store, put(work, ['item'], 1));
    const [claimed] = await store.claim(work, { owner: 'o', limit: 1, leaseMilliseconds: 60_000 });
    assert.ok(claimed !== undefined);
    const key = ['k'];
    const checks: unknown[] = [
      { kind: 'exists', collection: records, key },
      { kind: undefined, collection: records, key },
      { collection: records, key },
      { kind: 'revision', collection: records, key },
      { kind: 'revision', collection: records, key, revision: 0 },
      { kind: 'revision', collection: records, key, revision: 1.5 },
      { kind: 'revision', collection: records, key, revision: '1' },
      { kind: 'unchanged', collection: records, range: {}, since: -1 },
      { kind: 'unchanged', collection: records, range: {} },
      { kind: 'unchanged', collection: records, range: { perfix: [] }, since: 0 },
    ];
    const writes: unknown[] = [
      { kind: 'merge', collection: records, key, value: 1 },
      { collection: records, key, value: 1 },
      { kind: 'put', collection: records, key },
    ];
    const leases: unknown[] = [
      { lease: claimed.lease, afterwards: 'drop' },
      { lease: claimed.lease },
      { lease: { ...claimed.lease, collection: 'suite_records' }, afterwards: 'keep' },
      { lease: { ...claimed.lease, collection: 'nowhere' }, afterwards: 'keep' },
    ];
    const good = { writes: [put(records, ['good'], 1)] };
    const refused = (transaction: Transaction): Promise<Error> =>
      refusesUnchanged(store, StoreArgumentError, () => store.commit([good, transaction, good]));
    for (const check of checks) await refused({ checks: [check as Check], writes: [put(records, key, 1)] });
    for (const bad of writes) await refused({ writes: [bad as Write] });
    for (const lease of leases) await refused({ leases: [lease as LeaseCheck], writes: [put(records, key, 1)] });
    await refused({ check: [], writes: [] } as Transaction);
    assert.deepEqual(await keysIn(store, records), []);
  }),

  conformanceCase('refusals: one bad transaction harms no call made at the same time', async ({ store }) => {
    const calls = [
      write(store, put(records, ['a'], 1)),
      refuses(StoreArgumentError, () => write(store, put(records, ['bad'], undefined))),
      write(store, put(records, ['b'], 1)),
    ];
    await Promise.all(calls);
    assert.deepEqual(await keysIn(store, records), [['a'], ['b']]);
  }),

  conformanceCase('refusals: claims and renewals that make no sense', async ({ store }) => {
    const claim = { owner: 'o', limit: 1, leaseMilliseconds: 1000 };
    const bad: object[] = [];
    for (const number of [0, -1, 1.5, Number.NaN, Infinity, undefined]) {
      bad.push({ ...claim, limit: number }, { ...claim, leaseMilliseconds: number });
      await refuses(StoreArgumentError, () => store.renew([], number as number));
    }
    for (const options of bad) await refuses(StoreArgumentError, () => store.claim(work, options as typeof claim));
    await refuses(StoreArgumentError, () => store.claim(records as never, claim));
    for (const before of [-1, 1.5, Number.NaN]) await refuses(StoreArgumentError, () => store.prune(before));
  }),
];
