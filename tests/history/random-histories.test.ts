// Random histories against a model: every commit that is kept gives back its image byte for byte, whatever was
// committed, forked, rolled back, dropped and collected around it.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { Random } from '../crash/random.ts';
import { HistoryModel } from './model.ts';

const seeds = Array.from({ length: 5 }, () => Number(process.env['STATEK_SEED'] ?? randomInt(2 ** 31)));

test.each(seeds)('a random history, seed %i (STATEK_SEED runs one again)', async (seed) => {
  const store = await openStore('memory:');
  const model = await HistoryModel.open(store, new Random(seed));
  for (let round = 0; round < 3; round++) {
    for (let step = 0; step < 150; step++) await model.step();
    expect(await model.problems()).toEqual([]);
  }
  await model.collect();
  await model.reopen();
  expect(await model.problems()).toEqual([]);
  await store.close();
});
