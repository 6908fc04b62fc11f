// A short run of what `npm run test:backup` does for long.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { backupRound } from './round.ts';

test('processes that write, back up and restore are killed, and what is restored is one revision', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-backup-round-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const report = await backupRound({
    source: join(folder, 'source'),
    target: join(folder, 'target'),
    folder,
    megabytes: 4,
    delay: (most) => Math.random() * most,
  });
  expect(report.problems).toEqual([]);
  expect(report.revision).toBeGreaterThan(30);
}, 180_000);
