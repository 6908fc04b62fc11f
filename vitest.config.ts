// Which files are tests. Long runs (crash rounds, benchmarks) have commands of their own and are not listed here.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest: begun last, one of them would keep everybody waiting at the end. */
const longest = [
  'tests/hostile/snippets',
  'tests/mcp/serve',
  'tests/python/hostile',
  'tests/cli',
  'tests/docs',
  'tests/examples',
  'tests/bank',
  'tests/agents/kill',
  'tests/objects/calendar',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is the sequencer's own method
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((name) => moduleId.includes(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'engines/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', 'tests/package/consumer/**'],
    isolate: true,
    // Tests wait for processes and disks a good part of their time; by default a machine with two cores would get one worker.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
  },
});
