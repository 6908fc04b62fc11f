// Every engine answers as the model does, whatever is asked of it and in whatever order. STATEK_TEST_SEED runs one seed.
import { describe, expect, test } from 'vitest';
import { compareStoreWithModel } from '../../src/store/conformance/model/model-run.ts';
import type { StoreHarness } from '../../src/store/conformance/harness.ts';
import {
  cacheHarness,
  fileHarness,
  keyValueHarness,
  memoryHarness,
  postgresHarness,
  redisHarness,
  sqliteHarness,
} from './support/harnesses.ts';

interface Runs {
  readonly harness: StoreHarness | undefined;
  readonly runs: number;
  readonly steps: number;
}

const engines: Record<string, Runs> = {
  memory: { harness: memoryHarness, runs: 20, steps: 200 },
  sqlite: { harness: sqliteHarness, runs: 4, steps: 150 },
  file: { harness: fileHarness({ format: 'msgpack', compression: 'gzip' }), runs: 4, steps: 150 },
  cache: { harness: cacheHarness, runs: 10, steps: 200 },
  'key-value': { harness: keyValueHarness, runs: 6, steps: 150 },
  postgres: { harness: await postgresHarness(), runs: 3, steps: 100 },
  redis: { harness: await redisHarness(), runs: 4, steps: 150 },
};

const given = process.env['STATEK_TEST_SEED'];
const firstSeed = given === undefined ? Math.trunc(Math.random() * 2 ** 32) : Number(given);

for (const [engine, { harness, runs, steps }] of Object.entries(engines)) {
  describe.skipIf(harness === undefined)(`the model and ${engine}`, () => {
    for (let run = 0; run < (given === undefined ? runs : 1); run++) {
      const seed = (firstSeed + run) >>> 0;
      test(`agree on ${steps} operations, seed ${seed}`, async () => {
        await expect(compareStoreWithModel(harness as StoreHarness, { seed, steps })).resolves.toBeUndefined();
      });
    }
  });
}
