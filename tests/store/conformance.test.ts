// Every engine keeps every promise of the store.
import { describe, expect, test } from 'vitest';
import type { StoreHarness } from '../../src/store/conformance/harness.ts';
import { storeConformance } from '../../src/store/conformance/suite.ts';
import { memoryHarness, postgresHarness, sqliteHarness } from './support/harnesses.ts';

const engines: Record<string, StoreHarness | undefined> = {
  memory: memoryHarness,
  sqlite: sqliteHarness,
  postgres: await postgresHarness(),
};

for (const [engine, harness] of Object.entries(engines)) {
  describe.skipIf(harness === undefined)(`conformance of ${engine}`, () => {
    for (const { name, run } of storeConformance) {
      test(`${engine}: ${name}`, { timeout: 120_000 }, async (context) => {
        const verdict = await run(harness as StoreHarness);
        if (verdict.status === 'skipped') context.skip(verdict.reason);
        expect(verdict.status).toBe('passed');
      });
    }
  });
}
