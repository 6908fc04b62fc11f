// `statek workflows` and `statek tools`: as text, as JSON, and watched.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectProcesses, json, openApplication, start, statek, statekHere } from './support/statek.ts';

expectProcesses();

const folder = mkdtempSync(join(tmpdir(), 'statek-cli-state-'));
const store = join(folder, 'data');
const at = (...words: string[]): string[] => [...words, '--store', store];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const kit = await openApplication(store);
  await kit.submit('asks', { id: 'asks-1' });
  await kit.submit('double', { id: 'double-4', vars: { n: 4 } });
  await kit.runUntilIdle();
  await kit.tools.startExecution({
    executionId: 'one',
    toolName: 'search',
    parameters: { query: 'news' },
    role: 'clerk',
  });
  await kit.tools.completeExecution('one', { result: 1, durationMs: 1500 });
  await kit.tools.startExecution({ executionId: 'two', toolName: 'book' });
  await kit.tools.failExecution('two', { error: 'no such room', durationMs: 20 });
  await kit.close();
});

it('shows statistics and history of tools', async () => {
  const stats = await statekHere(at('tools', 'stats'));
  expect(stats.stdout).toMatch(/^TOOL +CALLS +OK/);
  expect(stats.stdout).toMatch(/search +1 +100% +0% +0% +1\.5 s/);
  expect(stats.stdout).toMatch(/all +2 +50\.0%/);
  expect(await json(at('tools', 'stats', 'search'))).toMatchObject({
    total: { totalExecutions: 1, avgDurationMs: 1500 },
  });
  const history = await statekHere(at('tools', 'history'));
  expect(history.stdout).toMatch(/book +failed .*no such room/);
  const found = await json(at('tools', 'history', '--role', 'clerk'));
  expect(found).toMatchObject({ executions: [{ executionId: 'one', parameters: { query: 'news' } }] });
  expect((await statekHere(at('tools', 'colours'))).code).toBe(2);
});

it('acts on workflows', async () => {
  const list = await statek(at('workflows', 'list'));
  expect(list.stdout).toMatch(/asks-1 +asks +waiting +1\/1/);
  expect(await json(at('workflows', 'list', '--status', 'completed'))).toMatchObject({
    workflows: [{ workflowId: 'double-4', source: 'job' }],
  });
  expect((await statekHere(at('workflows', 'pause', 'asks'))).stdout).toBe('asks-1: paused\n');
  expect((await statekHere(at('workflows', 'resume', 'asks-1'))).stdout).toBe('asks-1: waiting\n');
  expect((await statekHere(at('workflows', 'checkpoint', 'asks-1', 'asked'))).stdout).toBe('asked\n');
  const show = await statekHere(at('workflows', 'show', 'asks-1'));
  expect(show.stdout).toMatch(/checkpoints +asked/);
  const resumed = await statekHere(at('workflows', 'resume-from', 'asks-1', 'asked', '--name', 'asks-2'));
  expect(resumed.stdout).toBe('asks-2\n');
  const cancelled = (await json(at('workflows', 'cancel', 'asks-2', 'not needed'))) as { reason: string };
  expect(cancelled.reason).toBe('not needed');
  expect((await statekHere(at('workflows', 'pause', 'double-4'))).code).toBe(4);
  expect((await statekHere(at('workflows', 'show', 'nobody'))).code).toBe(3);
  expect((await statekHere(at('workflows', 'resume-from', 'asks-1', 'none'))).code).toBe(3);
});

it('shows changes as they come', async () => {
  const child = start(at('workflows', 'show', 'asks-1', '--watch', '--json'));
  let text = '';
  const lines = (): { status: string }[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line) as { workflow: { status: string } }).workflow);
  const until = async (status: string): Promise<void> => {
    while (lines().at(-1)?.status !== status) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  await until('waiting');
  await statekHere(at('workflows', 'pause', 'asks-1'));
  await until('paused');
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  await ended;
  expect(lines().map(({ status }) => status)).toEqual(['waiting', 'paused']);
});

it('refuses options of which nothing would come', async () => {
  for (const words of [
    ['workflows', 'pause', 'asks-1', '--status', 'waiting'],
    ['workflows', 'list', '--name', 'x'],
    ['tools', 'stats', '--cursor', 'x'],
    ['tools', 'history', '--by', 'day'],
    ['teams', '--task', 'x'],
    ['teams', 't', '--task', 'x', '--watch'],
    ['knowledge', 'b', 'words', '--watch'],
  ]) {
    const { code, stderr } = await statekHere(at(...words));
    expect([words.join(' '), code]).toEqual([words.join(' '), 2]);
    expect(stderr).toMatch(/--(?:status|name|cursor|by|task|watch)/);
  }
});

it('shows a list again when there is one more', async () => {
  const child = start(at('teams', '--watch', '--json'));
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  const until = async (count: number): Promise<void> => {
    while (text.split('\n').filter(Boolean).length < count) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await until(1);
  const kit = await openApplication(store);
  await kit.teams.createTeam({ teamId: 'research' });
  await kit.close();
  await until(2);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  await ended;
  const lists = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { teams: { teamId: string }[] });
  expect(lists.map(({ teams }) => teams.map(({ teamId }) => teamId))).toEqual([[], ['research']]);
});
