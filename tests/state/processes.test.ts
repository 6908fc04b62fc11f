// Several processes at once, and processes that are killed with -9 in the middle of commands.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, Statek } from '../../src/index.ts';
import { managersOn, rounds } from './support/commands.ts';

function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `statek-state-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function child(file: string, ...parameters: string[]): ChildProcess {
  const started = fork(join(import.meta.dirname, 'support', file), parameters);
  onTestFinished(() => void started.kill('SIGKILL'));
  return started;
}

it.each(['jobs', 'manager'])('100 misses on four processes load once (%s)', { timeout: 240_000 }, async (mode) => {
  const folder = folderFor('load');
  // The store is made by one of them, so that none waits for another to make it.
  await (await Statek.open({ store: join(folder, 'store') })).close();
  const children = Array.from({ length: 4 }, () => child('loading-child.ts', folder, mode));
  await Promise.all(children.map((one) => once(one, 'message')));
  const answers = children.map((one) => once(one, 'message') as Promise<[unknown[]]>);
  for (const one of children) one.send('go');
  const results = (await Promise.all(answers)).flatMap(([found]) => found);
  expect(results).toEqual(Array.from({ length: 100 }, () => 'found'));
  expect(readFileSync(join(folder, 'loads'), 'utf8')).toBe('loaded\n');
  await Promise.all(children.map(async (one) => (one.exitCode === null ? once(one, 'exit') : [])));
  const kit = await Statek.open({ store: join(folder, 'store') });
  expect(await kit.tools.getToolStats('search')).toMatchObject({ totalExecutions: 100, cacheHits: 99 });
  await kit.close();
});

it('loses and doubles nothing when it is killed in the middle of commands', { timeout: 240_000 }, async () => {
  const folder = folderFor('kill');
  const seen = { done: 0 };
  let kills = 0;
  while (seen.done < rounds) {
    const victim = child('commands-child.ts', folder, String(seen.done + 1));
    const exited = once(victim, 'exit');
    const from = seen.done;
    victim.on('message', (told: { readonly begun?: number; readonly done?: number }) => {
      seen.done = told.done ?? seen.done;
      // In the middle of a round, at another place each time.
      if ((told.begun ?? 0) >= from + 6 && !victim.killed) {
        kills++;
        setTimeout(() => victim.kill('SIGKILL'), Math.random() * 12);
      }
    });
    await exited;
  }
  expect(kills).toBeGreaterThan(3);
  const store = await openStore(folder);
  onTestFinished(() => store.close());
  const { tools, workflows, agents, recovery } = managersOn(store);
  const failed = rounds / 4;
  expect(await tools.getToolStats('search')).toMatchObject({
    totalExecutions: rounds,
    failed,
    completed: rounds - failed,
  });
  const { executions } = await tools.getExecutionHistory({ toolName: 'search' });
  expect(new Set(executions.map(({ executionId }) => executionId)).size).toBe(rounds);
  expect(await tools.getPendingRetries({ due: true })).toHaveLength(failed);
  expect(await workflows.get('w')).toMatchObject({ status: 'completed', currentStep: rounds, progress: 1 });
  const names = (await workflows.listCheckpoints('w')).map(({ checkpointId }) => checkpointId);
  expect(names.filter((name) => name.startsWith('step_'))).toEqual(
    Array.from({ length: rounds / 5 }, (_, index) => `step_${(index + 1) * 5}_complete`),
  );
  expect(names.filter((name) => name.startsWith('mine'))).toHaveLength(rounds);
  for (let round = 1; round <= rounds; round++)
    expect((await workflows.get(`resumed ${round}`)).resumedFrom).toEqual({
      workflowId: 'w',
      checkpointId: `mine ${round}`,
    });
  expect((await agents.listSnapshots('a')).map(({ snapshotId }) => snapshotId)).toEqual([
    `s${rounds - 2}`,
    `s${rounds - 1}`,
    `s${rounds}`,
  ]);
  expect(await agents.listCheckpoints('a')).toHaveLength(rounds);
  const { failures, attempts, recoveries } = await recovery.getFailureStats('a');
  expect(failures).toBe(rounds);
  expect(attempts).toBeGreaterThanOrEqual(recoveries);
});
