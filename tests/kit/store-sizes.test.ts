// The size of a store is written down once an hour, by whoever is first, and for four weeks.
import { expect, it, onTestFinished } from 'vitest';
import { SimulatedClock } from '../../src/testing.ts';
import { openStore } from '../../src/store.ts';
import { StoreSizes } from '../../src/kit/store-sizes.ts';

const hour = 3_600_000;

it('writes one size per hour, in however many processes, and keeps four weeks of them', async () => {
  const clock = new SimulatedClock(0);
  const store = await openStore('memory:', { clock });
  onTestFinished(() => store.close());
  let bytes = 1000;
  store.size = () => Promise.resolve(bytes);
  const sizes = new StoreSizes(store, clock);
  const other = new StoreSizes(store, clock);
  expect(await sizes.list()).toEqual([]);
  await Promise.all([sizes.measure(), other.measure()]);
  bytes = 2000;
  clock.advance(hour / 2);
  await sizes.measure();
  expect(await sizes.list()).toEqual([{ time: new Date(0), bytes: 1000 }]);
  clock.advance(hour / 2);
  await other.measure();
  expect((await sizes.list()).map((size) => size.bytes)).toEqual([1000, 2000]);
  for (let hours = 0; hours < 24 * 28 + 5; hours++) {
    clock.advance(hour);
    await sizes.measure();
  }
  const kept = await sizes.list();
  expect(kept).toHaveLength(24 * 28 + 1);
  expect(kept[0]?.time.getTime()).toBe(clock.now() - 24 * 28 * hour);
});
