// Which files are tests. Long runs (crash rounds, benchmarks) have commands of their own and are not listed here.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'engines/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'tests/package/consumer/**'],
    isolate: true,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
