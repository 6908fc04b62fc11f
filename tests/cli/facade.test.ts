// Commands about teams, knowledge and speech: each as text and as JSON, over one store that was prepared beforehand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Statek } from '../../src/index.ts';
import { expectProcesses, json, statek, statekHere } from './support/statek.ts';

expectProcesses();

const folder = mkdtempSync(join(tmpdir(), 'statek-cli-'));
const store = join(folder, 'data');
const at = (...words: string[]): string[] => [...words, '--store', store, '--store-only'];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const kit = await Statek.open({ store });
  await kit.teams.createTeam({ teamId: 'research', agents: { ann: { capabilities: ['search'] } } });
  await kit.teams.enqueueTask('research', { taskId: 'trends', priority: 'high', capability: 'search' });
  await kit.teams.enqueueTask('research', { taskId: 'summary' });
  await kit.teams.claimTask('research', 'ann');
  await kit.teams.completeTask('research', 'trends', { found: 3 });
  const pages = [{ id: 'trains', title: 'Trains', content: 'Trains leave from platform nine.' }];
  await kit.knowledge.index('handbook', pages, undefined, { knowledgeBase: 'company' });
  await kit.state.save('agent:ann', { progress: 0.5 });
  await kit.speech.createSession({ sessionId: 'call-7' });
  await kit.speech.addTranscription('call-7', { text: 'Book a room.' });
  await kit.speech.endSession('call-7', 'user_ended');
  await kit.close();
});

it('shows teams', async () => {
  const [all, one, task, shown] = await Promise.all([
    json(at('teams')),
    json(at('teams', 'research')),
    statekHere(at('teams', 'research', '--task', 'trends')),
    statekHere(at('teams', 'research')),
  ]);
  expect(all).toMatchObject({ teams: [{ teamId: 'research' }] });
  expect(one).toMatchObject({
    agents: { ann: { availability: 'gone' } },
    taskQueue: { totals: { pending: 1, completed: 1 }, completed: [{ taskId: 'trends', result: { found: 3 } }] },
  });
  expect(task.stdout).toMatch(/status +completed/);
  expect(shown.stdout).toMatch(/ann +gone/);
  expect((await statekHere(at('teams', 'none'))).stderr).toContain("There is no team 'none'");
});

it('shows named values', async () => {
  const [all, one, shown, missing] = await Promise.all([
    json(at('state', 'agent:*')),
    json(at('state', 'agent:ann')),
    statekHere(at('state', 'agent:ann')),
    statekHere(at('state', 'nothing')),
  ]);
  expect(all).toMatchObject({ keys: ['agent:ann'] });
  expect(one).toMatchObject({ key: 'agent:ann', value: { progress: 0.5 } });
  expect(shown.stdout).toContain('"progress": 0.5');
  expect(missing.stderr).toContain("There is no value 'nothing'");
});

it('watches named values', async () => {
  const watching = statek([...at('state', 'agent:*', '--watch'), '--limit', '1', '--json']);
  const kit = await Statek.open({ store });
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
  // Until the other process has begun to watch, and has seen one of them.
  for (let number = 0; ; number++) {
    await kit.state.save('agent:bob', { number });
    if ((await Promise.race([watching, pause()])) !== undefined) break;
  }
  await kit.close();
  expect(JSON.parse((await watching).stdout)).toMatchObject({ key: 'agent:bob' });
});

it('shows and searches knowledge', async () => {
  const [all, shown, found] = await Promise.all([
    json(at('knowledge')),
    statekHere(at('knowledge', 'company')),
    json(at('knowledge', 'company', 'which', 'platform')),
  ]);
  expect(all).toMatchObject({ knowledgeBases: [{ knowledgeBaseId: 'company' }] });
  expect(shown.stdout).toMatch(/handbook +synced +1/);
  expect(found).toMatchObject({ results: [{ itemId: 'trains' }] });
  const watched = await statek(at('knowledge', 'company', '--watch', '--limit', '1', '--json'));
  expect(JSON.parse(watched.stdout)).toMatchObject({ status: 'completed' });
});

it('shows speech', async () => {
  const [all, one, shown] = await Promise.all([
    json(at('speech')),
    json(at('speech', 'call-7')),
    statekHere(at('speech', 'call-7')),
  ]);
  expect(all).toMatchObject({ sessions: [{ sessionId: 'call-7', endReason: 'user_ended' }] });
  expect(one).toMatchObject({ turnCount: 1, transcript: [{ role: 'user', content: 'Book a room.' }] });
  expect(shown.stdout).toContain('Book a room.');
});
