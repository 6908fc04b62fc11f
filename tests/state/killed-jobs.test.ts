// A job whose process was killed with -9 is recovered from a snapshot in another process, and resumed as another job.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Models, Statek } from '../../src/index.ts';
import { code, counter, script } from './support/recovery.ts';

it.each(['typescript', 'python'] as const)('%s', { timeout: 180_000 }, async (language) => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-state-jobs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = fork(join(import.meta.dirname, 'support/recovery-child.ts'), [folder, language]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const more = code(language, 'count += 10', 'count += 10');
  const kit = await Statek.open({
    store: join(folder, 'store'),
    agents: [counter(language)],
    models: new Models({ models: { script: script(more, 'Eleven.', more, 'Eleven again.') }, env: {} }),
    leaseMilliseconds: 1000,
  });
  onTestFinished(() => kit.close());
  const job = await kit.job('job');
  expect(await job.local('count')).toBe(100);
  const { jobId, from } = await kit.agents.recover('job', { from: 'one' });
  expect([jobId, from?.kind]).toEqual(['job', 'snapshot']);
  expect(await job.result()).toBe('Eleven.');
  expect(await job.local('count')).toBe(11);
  const resumed = await kit.workflows.resumeFrom('job', 'one', { id: 'second' });
  const second = await kit.job(resumed.workflowId);
  expect(await second.result()).toBe('Eleven again.');
  expect(await second.local('count')).toBe(11);
});
