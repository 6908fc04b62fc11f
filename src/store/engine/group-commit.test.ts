// Group commit shares writes, keeps order, and lets a bad member fail alone.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreArgumentError, StoreFullError, StoreUnavailableError, StoreUnknownOutcomeError } from '../errors.ts';
import { GroupCommit } from './group-commit.ts';
import type { EncodedKey } from '../key.ts';
import type { Outcome, PlainTransaction } from './plan.ts';

/** A transaction that can be told apart by its key. */
function transaction(name: string): PlainTransaction {
  return { checks: [], leases: [], writes: [{ collection: 0, key: name as EncodedKey, value: null }] };
}

const nameOf = ({ writes }: PlainTransaction): string => writes[0]?.key ?? '';

/** An engine that notes each group, numbers what it commits, and fails where told. */
class NotingEngine {
  readonly groups: string[][] = [];
  readonly committed: string[] = [];
  running = 0;
  mostAtOnce = 0;
  failure: (group: readonly string[]) => Error | undefined = () => undefined;

  readonly commit = async (transactions: readonly PlainTransaction[]): Promise<readonly Outcome[]> => {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.running);
    const names = transactions.map(nameOf);
    this.groups.push(names);
    await new Promise((resolve) => setImmediate(resolve));
    this.running--;
    const failure = this.failure(names);
    if (failure !== undefined) throw failure;
    return names.map((name) => ({ status: 'committed', revision: this.committed.push(name) }));
  };
}

const names = (count: number, start = 0): string[] => Array.from({ length: count }, (_, index) => `${start + index}`);

describe('group commit', () => {
  test('with `gathers`, callers that were answered join those that have waited meanwhile', async () => {
    for (const gathers of [false, true]) {
      const engine = new NotingEngine();
      const group = new GroupCommit(engine.commit, { gathers });
      const caller = async (name: string): Promise<void> => {
        for (let turn = 0; turn < 3; turn++) {
          await group.submit([transaction(name)]);
          // What a caller does next takes a few promises.
          for (let index = 0; index < 20; index++) await Promise.resolve();
        }
      };
      const first = caller('a');
      await Promise.resolve();
      await Promise.resolve();
      await Promise.all([first, caller('b')]);
      expect(engine.groups).toEqual(
        gathers ? [['a'], ['b', 'a'], ['b', 'a'], ['b']] : [['a'], ['b'], ['a'], ['b'], ['a'], ['b']],
      );
    }
  });

  test('what is submitted in one turn shares one write; what comes meanwhile shares the next', async () => {
    const engine = new NotingEngine();
    const group = new GroupCommit(engine.commit);
    const first = names(5).map((name) => group.submit([transaction(name)]));
    await Promise.resolve();
    await Promise.resolve();
    const second = names(3, 5).map((name) => group.submit([transaction(name)]));
    await Promise.all([...first, ...second]);
    expect(engine.groups).toStrictEqual([names(5), names(3, 5)]);
  });

  test('each call gets its own outcomes, whatever the sizes', async () => {
    const anyCalls = fc.array(fc.record({ size: fc.integer({ min: 1, max: 700 }), wait: fc.boolean() }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(anyCalls, async (calls) => {
        const engine = new NotingEngine();
        const group = new GroupCommit(engine.commit);
        const results: Promise<void>[] = [];
        let next = 0;
        for (const { size, wait } of calls) {
          const own = names(size, next);
          next += size;
          results.push(
            group.submit(own.map(transaction)).then((outcomes) => {
              const revisions = outcomes.map((outcome) => (outcome.status === 'committed' ? outcome.revision : 0));
              expect(revisions).toStrictEqual(own.map((name) => Number(name) + 1));
              return undefined;
            }),
          );
          if (wait) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(results);
        expect(engine.committed).toStrictEqual(names(next));
        expect(engine.mostAtOnce).toBeLessThanOrEqual(1);
        expect(engine.groups.every((members) => members.length <= 1000)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test('one call larger than a group is not torn apart', async () => {
    const engine = new NotingEngine();
    const group = new GroupCommit(engine.commit);
    const results = await Promise.all([
      group.submit([transaction('0')]),
      group.submit(names(3000, 1).map(transaction)),
      group.submit([transaction('3001')]),
    ]);
    expect(results.map((outcomes) => outcomes.length)).toStrictEqual([1, 3000, 1]);
    expect(engine.groups.map((members) => members.length)).toStrictEqual([1, 3000, 1]);
  });

  test('when a group fails its members are tried one by one, in order, and the bad one fails alone', async () => {
    const engine = new NotingEngine();
    engine.failure = (members) => (members.includes('2') ? new StoreFullError('too large') : undefined);
    const group = new GroupCommit(engine.commit);
    const settled = await Promise.allSettled(names(5).map((name) => group.submit([transaction(name)])));
    expect(settled.map(({ status }) => status)).toStrictEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(engine.groups).toStrictEqual([names(5), ['0'], ['1'], ['2'], ['3'], ['4']]);
  });

  test.each([new StoreUnknownOutcomeError('lost'), new StoreUnavailableError('away')])(
    '%o is told to all, and nothing is written a second time',
    async (failure) => {
      const engine = new NotingEngine();
      engine.failure = () => failure;
      const group = new GroupCommit(engine.commit);
      const settled = await Promise.allSettled(names(3).map((name) => group.submit([transaction(name)])));
      expect(
        settled.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : undefined)),
      ).toStrictEqual([failure, failure, failure]);
      expect(engine.groups.length).toBe(1);
      engine.failure = () => undefined;
      await group.submit([transaction('later')]);
      expect(engine.committed).toStrictEqual(['later']);
    },
  );

  test('an engine that throws at once fails the call, not the process', async () => {
    const group = new GroupCommit(() => {
      throw new StoreArgumentError('at once');
    });
    await expect(group.submit([transaction('0')])).rejects.toThrow('at once');
    await expect(group.submit([transaction('1')])).rejects.toThrow('at once');
  });

  test('drained waits for everything submitted before', async () => {
    const engine = new NotingEngine();
    const group = new GroupCommit(engine.commit);
    await group.drained();
    const submitted = names(2500).map((name) => group.submit([transaction(name)]));
    await group.drained();
    expect(engine.committed.length).toBe(2500);
    await Promise.all(submitted);
  });
});
