// Planning a group is the same as deciding its transactions one by one, and asks only for what was said to be required.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { anyTransaction, modelCollections } from '../conformance/model/model-choices.ts';
import { StoreModel } from '../conformance/model/model.ts';
import { Random } from '../conformance/model/random.ts';
import { work } from '../conformance/cases/collections.ts';
import { encodeParts } from '../key.ts';
import { openStore } from '../open.ts';
import { planGroup, requirementsOf, type Facts, type PlainTransaction } from './plan.ts';
import type { CommitResult, Lease } from '../store.ts';

const outcomeOf = (result: CommitResult): number | string =>
  result.status === 'committed' ? result.revision : `${result.conflict.kind} ${result.conflict.collection}`;

describe('planning', () => {
  test('a group comes to what its transactions come to one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 2, max: 25 }), async (seed, size) => {
        const random = new Random(seed);
        const model = new StoreModel();
        const store = await openStore('memory:', { clock: new ManualClock() });
        await store.declare(...modelCollections);
        const leases: Lease[] = [];
        for (let round = 0; round < 5; round++) {
          const group = Array.from({ length: size }, () => anyTransaction(random, model, leases));
          const results = await store.commit(group);
          expect(results.map(outcomeOf)).toStrictEqual(group.map((transaction) => model.commit(transaction)));
          for (const collection of modelCollections) {
            expect((await store.scan(collection, {})).entries).toStrictEqual(model.entries(collection, {}));
          }
          for (const { lease } of await store.claim(work, { owner: 'o', limit: 2, leaseMilliseconds: 1000 })) {
            model.claimed(lease, 1000);
            leases.push(lease);
          }
        }
        await store.close();
      }),
      { numRuns: 60 },
    );
  });

  test('it asks for nothing that was not required beforehand', () => {
    const anyKey = fc.constantFrom('a', 'b', 'c').map((name) => encodeParts([name]));
    const collection = fc.constantFrom(1, 2);
    const anyPlain: fc.Arbitrary<PlainTransaction> = fc.record({
      checks: fc.array(
        fc.oneof(
          fc.record({ kind: fc.constant('absent' as const), collection, key: anyKey }),
          fc.record({
            kind: fc.constant('revision' as const),
            collection,
            key: anyKey,
            revision: fc.constantFrom(1, 5),
          }),
          fc.record({
            kind: fc.constant('unchanged' as const),
            collection,
            bounds: fc.constant({ lower: encodeParts(['a']), upper: encodeParts(['z']) }),
            since: fc.integer({ min: 0, max: 12 }),
          }),
        ),
        { maxLength: 2 },
      ),
      leases: fc.array(fc.record({ collection, key: anyKey, token: fc.constantFrom(1, 2), release: fc.boolean() }), {
        maxLength: 1,
      }),
      writes: fc.array(fc.record({ collection, key: anyKey, value: fc.constantFrom(null, '{}') }), { maxLength: 1 }),
    });
    fc.assert(
      fc.property(fc.array(anyPlain, { maxLength: 6 }), (group) => {
        const { keys, leases, logSince } = requirementsOf(group);
        const asked: string[] = [];
        const facts: Facts = {
          head: 10,
          horizon: 2,
          revisionOf(id, key) {
            if (keys.get(id)?.has(key) !== true) asked.push(`key ${key}`);
            return 5;
          },
          changedSince(_id, _bounds, since) {
            if (logSince === undefined || since < logSince) asked.push(`log since ${since}`);
            return false;
          },
          tokenOf(id, key) {
            if (leases.get(id)?.has(key) !== true) asked.push(`lease ${key}`);
            return 1;
          },
          nameOf: (id) => `collection ${id}`,
        };
        const plan = planGroup(group, facts);
        expect(asked).toStrictEqual([]);
        expect(plan.outcomes.length).toBe(group.length);
        expect(plan.log.map((row) => row.revision)).toStrictEqual(plan.log.map((_, index) => 11 + index));
        expect(plan.head).toBe(10 + plan.log.length);
      }),
      { numRuns: 2000 },
    );
  });
});
