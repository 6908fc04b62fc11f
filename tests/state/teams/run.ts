// `npm run test:teams`: ten thousand tasks, four processes, and kill -9 all the while. `-- --tasks=100 --store=postgres://…#schema` for others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killRun } from './kill-run.ts';

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '10000' },
    workers: { type: 'string', default: '4' },
    concurrency: { type: 'string', default: '8' },
    pause: { type: 'string', default: '700' },
    store: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'statek-teams-'));
try {
  const report = await killRun({
    place: values.store ?? join(folder, 'store'),
    folder,
    tasks: Number(values.tasks),
    workers: Number(values.workers),
    concurrency: Number(values.concurrency),
    pause: Number(values.pause),
    kills: 5,
  });
  const { problems, kills, ownersLost, milliseconds } = report;
  console.log(
    `${values.tasks} tasks, ${values.workers} processes, ${kills} killed, ${ownersLost} tasks taken over, ${(milliseconds / 1000).toFixed(1)} s`,
  );
  for (const problem of problems.slice(0, 20)) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
