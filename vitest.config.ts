// Which files are tests. Long runs (crash rounds, benchmarks) have commands of their own and are not listed here.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** These look at, or change, what belongs to the whole process: its memory, its handles, its timers, its warnings, its telemetry, its only kit. */
const alone = [
  'src/store/engine/feed.test.ts',
  'src/workspace/typescript/engine/bombs.test.ts',
  'src/workspace/typescript/engine/pool.test.ts',
  'tests/hostile/**/*.test.ts',
  'tests/jobs/garbage.test.ts',
  'tests/jobs/telemetry.test.ts',
  'tests/kit/secrets.test.ts',
  'tests/mcp/agents.test.ts',
  'tests/models/routing.test.ts',
  'tests/python/hostile/**/*.test.ts',
  'tests/server/telemetry.test.ts',
  'tests/store/faults.test.ts',
  'tests/store/leaks.test.ts',
];
/** Here the only kit of the process counts, and files close theirs: they share workers with each other, and with no others. */
const objects = ['tests/objects/**/*.test.ts'];
const never = ['**/node_modules/**', '**/dist/**', 'tests/package/consumer/**'];

// Reading the sources and starting the engines takes longer than most files of tests: once for each worker.
const inOneWorld = { isolate: false, restoreMocks: true, unstubEnvs: true } as const;

export default defineConfig({
  test: {
    // Tests wait for processes and disks a good part of their time; by default a machine with two cores would get one worker.
    maxWorkers: Math.max(3, availableParallelism()),
    // A guard against tests that hang, and nothing else: on a busy machine any of them may take long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'alone', include: alone, exclude: never, isolate: true } },
      { extends: true, test: { name: 'objects', include: objects, exclude: never, ...inOneWorld } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'engines/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: [...never, ...alone, ...objects],
          ...inOneWorld,
        },
      },
    ],
  },
});
