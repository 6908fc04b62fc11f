// Ready work that nobody touches is noticed; work that goes on is not.
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/door.ts';
import { jobRows, jobWorkRows } from '../../jobs/door.ts';
import { Standstill } from './standstill.ts';

test('a job that is in its queue and does not change is a standstill, one that changes is not', async () => {
  const clock = new ManualClock(1);
  const place = 'memory:standstill';
  const store = await openStore(place, { clock });
  await store.declare(jobRows, jobWorkRows);
  const standstill = await Standstill.over(place, clock);
  const touch = (turns: number): Promise<unknown> =>
    store.commit([
      {
        writes: [
          { kind: 'put', collection: jobRows, key: ['j'], value: { id: 'j', turns } },
          { kind: 'put', collection: jobWorkRows, key: ['role', 1, 'j'], value: { job: 'j' } },
        ],
      },
    ]);
  clock.advance(10_000);
  for (let turns = 0; turns < 5; turns++) {
    await touch(turns);
    standstill.look();
    clock.advance(1000);
    standstill.look();
  }
  clock.advance(1000);
  expect(() => standstill.look()).toThrow("the job 'j' is ready, and nobody has touched it for 2000 ms");
  await store.commit([{ writes: [{ kind: 'remove', collection: jobWorkRows, key: ['role', 1, 'j'] }] }]);
  standstill.look();
  await standstill.close();
  await store.close();
});
