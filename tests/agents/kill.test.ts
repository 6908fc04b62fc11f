// A process is killed with -9 in the middle of a turn. A committed reply is never asked for again and its code runs once; a
// request that was under way is made again.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Models, Statek } from '../../src/index.ts';
import { jobRows } from '../../src/jobs/rows.ts';
import { failingAgent, failingModel } from './support/failing.ts';
import { killAgents, killModels, type KillLanguage, type KillMode } from './support/kill-script.ts';

async function killedAndContinued(mode: KillMode, language: KillLanguage): Promise<{ result: unknown; log: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-agents-kill-'));
  try {
    const child = fork(join(import.meta.dirname, 'support/kill-child.ts'), [folder, mode, language]);
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    const kit = await Statek.open({
      store: join(folder, 'store'),
      agents: killAgents(folder, mode, language, undefined),
      models: new Models({ models: killModels(folder, mode, language, undefined), env: {} }),
      leaseMilliseconds: 2000,
    });
    const result = await (await kit.job('job')).result();
    await kit.close();
    return { result, log: readFileSync(join(folder, 'log'), 'utf8').trim().split('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.each<KillLanguage>(['typescript', 'python'])('%s', (language) => {
  it('asks again when it was killed during the request', async () => {
    const { result, log } = await killedAndContinued('request', language);
    expect(result).toEqual([1, 'settled']);
    expect(log).toEqual(['asked', 'asked', 'called', 'asked']);
  });

  it('never asks for a committed reply again, and runs its code once', async () => {
    const { result, log } = await killedAndContinued('code', language);
    expect(result).toEqual([1, 'OUTCOME_UNKNOWN']);
    expect(log).toEqual(['asked', 'called', 'asked']);
  });

  it('goes on waiting for another agent, which was killed with it', async () => {
    const { result, log } = await killedAndContinued('delegate', language);
    expect(result).toEqual([1, 'OUTCOME_UNKNOWN']);
    expect(log).toEqual(['asked', 'asked', 'called', 'asked']);
  });
});

it.each([
  ['once', ['told no room']],
  ['again', ['told no room', 'told no room']],
])('tells those who clean up %s when it was killed over it', async (mode, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-agents-told-'));
  try {
    const child = fork(join(import.meta.dirname, 'support/failing-child.ts'), [folder, mode]);
    await once(child, 'message');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    const kit = await Statek.open({
      store: join(folder, 'store'),
      agents: [failingAgent(folder, mode === 'again')],
      models: new Models({ models: { script: failingModel() }, env: {} }),
      settings: { logLevel: 'silent' },
      leaseMilliseconds: 2000,
    });
    const worker = kit.start();
    const job = await kit.job('job');
    await expect(job.result()).rejects.toThrow('no room');
    // What is to be told is told before the job leaves the queue.
    while ((await kit.store.read(jobRows, [['job']]))[0]?.value.telling !== undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await worker.stop();
    await kit.close();
    expect(readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')).toEqual(expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
