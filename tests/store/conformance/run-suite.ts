// Runs the conformance suite on one engine. Each has a test file of its own, so that they run side by side.
import { describe, expect, test } from 'vitest';
import type { StoreHarness } from '../../../src/store/conformance/harness.ts';
import { storeConformance } from '../../../src/store/conformance/suite.ts';

/** Without a harness everything is skipped. */
export function runSuite(engine: string, harness: StoreHarness | undefined): void {
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
