// Which files are tests. Long runs (crash rounds, benchmarks) have commands of their own and are not listed here.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'engines/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'tests/package/consumer/**'],
    isolate: true,
    // Tests wait for processes and disks a good part of their time; by default a machine with two cores would get one worker.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
