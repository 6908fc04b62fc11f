// Transactions of two graphs on one store, as two processes have them: all or nothing, as if they ran one by one.
import { describe, expect, test } from 'vitest';
import type { DurableClass } from '../../src/objects/declaration.ts';
import { Durable } from '../../src/objects/durable.ts';
import { ObjectConflictError, TransactionError } from '../../src/objects/errors.ts';
import { find, idOf, index, remove, transaction } from '../../src/objects/graph.ts';
import type { Objects } from '../../src/objects/objects.ts';
import { tags } from '../../src/objects/queries/tags.ts';
import { maxTries, runOnce, transact } from '../../src/objects/transactions/transact.ts';
import { memoryPlace, openAt, openedOnce, placeFor, places } from './support/places.ts';

class Slot extends Durable {
  time = 0;
  owner: string | null = null;
}
class Counter extends Durable {
  count = 0;
  list: number[] = [];
}
class Registry extends Durable {
  static durable = { singleton: true };
  byTime = index<Slot>();
  total = 0;
}
const classes = [Slot, Counter, Registry];

/** The same object in another graph. */
const other = <Target extends object>(objects: Objects, target: Target): Target => objects.find(idOf(target)) as Target;

describe.each(places)('on $name', (place) => {
  const shared = openedOnce(place, classes);

  async function two(): Promise<[Objects, Objects]> {
    const [first, second] = shared();
    await transact(first, () => {
      for (const target of classes as DurableClass[]) for (const made of find(target)) remove(made);
    });
    return [first, second];
  }

  /** Runs the action of `first`, lets `between` commit something, and only then commits: the first time only. */
  async function overtaken<Result>(
    first: Objects,
    action: () => Result,
    between: () => Promise<unknown>,
  ): Promise<[result: Result, commits: number]> {
    let commits = 0;
    const { store } = first;
    const commit = store.commit.bind(store);
    store.commit = async (transactions) => {
      if (commits++ === 0) await between();
      return commit(transactions);
    };
    try {
      return [await transact(first, action), commits];
    } finally {
      store.commit = commit;
    }
  }

  test('changes meet, and none is lost', async () => {
    const [first, second] = await two();
    const counter = await transact(first, () => new Counter());
    const add = async (objects: Objects): Promise<void> => {
      for (let time = 0; time < 8; time++)
        await transact(objects, () => {
          const own = other(objects, counter);
          own.count++;
          own.list.push(own.count);
        });
    };
    await Promise.all([add(first), add(second), add(first)]);
    const { count, list } = await transact(second, () => {
      const own = other(second, counter);
      return { count: own.count, list: [...own.list] };
    });
    expect([count, list]).toEqual([24, Array.from({ length: 24 }, (_, position) => position + 1)]);
  });

  test('what is read is of one moment, and the function runs again when that has passed', async () => {
    const [first, second] = await two();
    const [left, right] = await transact(first, () => [new Counter(), new Counter()] as const);
    const [sums, commits] = await overtaken(
      first,
      () => {
        left.count++;
        return left.count + right.count;
      },
      () =>
        transact(second, () => {
          other(second, left).count = 10;
          other(second, right).count = -10;
        }),
    );
    expect([sums, commits]).toEqual([1, 2]);
  });

  test('two that each find a free slot and book it do not both get it (phantoms and write skew)', async () => {
    const [first, second] = await two();
    await transact(first, () => new Registry());
    const book = (owner: string, time: number): boolean => {
      const taken = [...find(Slot, 'booked')].some((slot) => slot.time === time);
      if (taken) return false;
      const slot = new Slot();
      slot.time = time;
      slot.owner = owner;
      tags(slot).add('booked');
      new Registry().byTime.add(time, slot);
      return true;
    };
    const [isFirst] = await overtaken(
      first,
      () => book('first', 9),
      async () => expect(await transact(second, () => book('second', 9))).toBe(true),
    );
    expect(isFirst).toBe(false);
    // The same by index: both see that nothing is there.
    const bookByIndex = (owner: string): boolean => {
      const { byTime } = new Registry();
      if (byTime.count(10, 11) > 0) return false;
      const slot = new Slot();
      slot.owner = owner;
      byTime.add(10.5, slot);
      return true;
    };
    const [isTaken] = await overtaken(
      first,
      () => bookByIndex('first'),
      async () => expect(await transact(second, () => bookByIndex('second'))).toBe(true),
    );
    expect(isTaken).toBe(false);
  });

  test('two that each read what the other writes do not pass each other', async () => {
    const [first, second] = await two();
    const [left, right] = await transact(first, () => [new Counter(), new Counter()] as const);
    await overtaken(
      first,
      () => {
        if (right.count === 0) left.count = 1;
      },
      () =>
        transact(second, () => {
          if (other(second, left).count === 0) other(second, right).count = 1;
        }),
    );
    expect(await transact(first, () => left.count + right.count)).toBe(1);
  });

  test('what an index counts takes in that an object is removed, and not that it is changed', async () => {
    const [first, second] = await two();
    const slot = await transact(first, () => {
      const made = new Slot();
      new Registry().byTime.add(1, made);
      return made;
    });
    const count = (): number => (new Registry().total = new Registry().byTime.count());
    const [unchanged, once] = await overtaken(first, count, () =>
      transact(second, () => (other(second, slot).time = 5)),
    );
    expect([unchanged, once]).toEqual([1, 1]);
    const [changed, twice] = await overtaken(
      first,
      () => {
        new Registry().total = 7;
        return count();
      },
      () => transact(second, () => remove(other(second, slot))),
    );
    expect([changed, twice]).toEqual([0, 2]);
  });

  test('a function that throws leaves nothing, and one inside it is undone alone', async () => {
    const [first] = await two();
    const counter = await transact(first, () => new Counter());
    const failing = transact(first, () => {
      counter.count = 5;
      counter.list.push(1);
      tags(counter).add('x');
      new Slot();
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    const state = await transact(first, () => [
      counter.count,
      [...counter.list],
      [...tags(counter)],
      find(Slot).count(),
    ]);
    expect(state).toEqual([0, [], [], 0]);
    await transact(first, () => {
      counter.count = 1;
      counter.list.push(1);
      expect(() =>
        transaction(() => {
          counter.count = 2;
          counter.list.push(2);
          tags(counter).add('inner');
          new Slot();
          throw new Error('inner');
        }),
      ).toThrow('inner');
      expect([counter.count, [...counter.list], tags(counter).size, find(Slot).count()]).toEqual([1, [1], 0, 0]);
      void transaction(() => counter.list.push(3));
    });
    expect(await transact(first, () => [counter.count, [...counter.list]])).toEqual([1, [1, 3]]);
  });

  test('an async function is refused before it has done anything', async () => {
    const [first] = await two();
    const counter = await transact(first, () => new Counter());
    let isRun = false;
    const asynchronous = transact(first, async () => {
      isRun = true;
      await Promise.resolve();
      counter.count = 1;
    });
    await expect(asynchronous).rejects.toThrow(TransactionError);
    expect(isRun).toBe(false);
    const promised = transact(first, () => {
      counter.count = 2;
      return Promise.resolve(1);
    });
    await expect(promised).rejects.toThrow(/must not be async/);
    expect(await transact(first, () => counter.count)).toBe(0);
  });

  test('reading alone commits nothing, and sees one moment while others write', async () => {
    const [first, second] = await two();
    const counter = await transact(first, () => new Counter());
    const revision = await first.store.revision();
    expect(await transact(first, () => counter.count)).toBe(0);
    expect(await first.store.revision()).toBe(revision);
    const { transaction: begun } = await runOnce(first, () => counter.count);
    await transact(second, () => (other(second, counter).count = 9));
    expect(first.within(begun, () => counter.count)).toBe(0);
    expect(await transact(first, () => counter.count)).toBe(9);
  });
});

test('a function that is overtaken every time gives up, and says so', async () => {
  const open = await placeFor(memoryPlace);
  const [first, second] = [await openAt(open, classes), await openAt(open, classes)];
  const counter = await transact(first, () => new Counter());
  const { store } = first;
  const commit = store.commit.bind(store);
  store.commit = async (transactions) => {
    await transact(second, () => other(second, counter).count++);
    return commit(transactions);
  };
  const failing = transact(first, () => (counter.list = [counter.count]));
  await expect(failing).rejects.toThrow(ObjectConflictError);
  store.commit = commit;
  expect(await transact(first, () => [counter.count, counter.list.length])).toEqual([maxTries, 0]);
});
