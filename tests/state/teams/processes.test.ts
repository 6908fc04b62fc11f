// Several processes work on one queue and are killed meanwhile; `npm run test:teams` does it with ten thousand tasks.
import { expect, it } from 'vitest';
import { postgresForTests } from '../../support/postgres.ts';
import { storeFolder } from '../../workspace/support/kits.ts';
import { killRun } from './kill-run.ts';

const small = { tasks: 120, workers: 2, concurrency: 4, pause: 300, kills: 2 };

it('completes every task once while workers are killed', { timeout: 180_000 }, async () => {
  const folder = storeFolder();
  const { problems, kills } = await killRun({ ...small, place: folder, folder });
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(2);
});

it('does so on PostgreSQL', { timeout: 180_000 }, async ({ skip }) => {
  const postgres = await postgresForTests();
  if (postgres === undefined) return skip('there is no PostgreSQL');
  const { schema, drop } = await postgres.freshSchema();
  try {
    const place = `${postgres.url}#${schema}`;
    const { problems } = await killRun({ ...small, tasks: 60, place, folder: storeFolder() });
    expect(problems).toEqual([]);
  } finally {
    await drop();
  }
});
