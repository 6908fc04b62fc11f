// The state facade over HTTP: page by page, with what people may decide, and what is refused.
import { expect, it, onTestFinished } from 'vitest';
import { client, type ServerAnswerError, type StatekClient } from '../../src/client.ts';
import { program, Statek } from '../../src/index.ts';
import { server } from '../../src/server.ts';

const token = 'token-for-the-tests';

async function serve(): Promise<{ kit: Statek; far: StatekClient; limited: StatekClient }> {
  const asking = program({ role: 'asking', source: "await ask('Who?')" });
  const kit = await Statek.open({ store: 'memory:', drivers: [asking] });
  const served = server(kit, {
    token,
    authorize: (request) =>
      request.headers.get('x-limited') === null
        ? undefined
        : { name: 'limited', rights: ['read', 'answer', 'control', 'admin'], labels: ['mine'] },
  });
  const listening = await served.listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
  });
  const { url } = listening;
  return { kit, far: client({ url, token }), limited: client({ url, headers: { 'x-limited': '1' } }) };
}

const refused = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error as ServerAnswerError).details,
  );

it('lists keys page by page, shows parts of values, and deletes a version', async () => {
  const { kit, far } = await serve();
  for (const name of ['a', 'b/c', '%2F', 'd ü']) await kit.state.save(`agent:${name}`, { list: [1, 2, 3], name });
  await kit.state.save('other', 1);
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await far.get('/state/keys', { query: { prefix: 'agent:', limit: 2, cursor } });
    expect(page.keys.length).toBeLessThanOrEqual(2);
    keys.push(...page.keys);
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(keys).toEqual(['agent:%2F', 'agent:a', 'agent:b/c', 'agent:d ü']);
  expect((await far.get('/state/keys', { query: { pattern: '*:?' } })).keys).toEqual(['agent:a']);
  for (const key of keys)
    expect(await far.get('/state/keys/{key}', { path: { key } })).toMatchObject({
      key,
      value: { name: key.slice('agent:'.length) },
    });
  const path = { key: 'agent:b/c' };
  expect(await far.get('/state/keys/{key}', { path, query: { path: '["list"]', offset: 1, limit: 1 } })).toMatchObject({
    value: [2],
    total: 3,
  });
  const { version } = await far.get('/state/keys/{key}', { path });
  await kit.state.save('agent:b/c', 2);
  const next = (await far.get('/state/keys/{key}', { path })).version;
  expect(await refused(far.delete('/state/keys/{key}', { path, query: { ifVersion: version } }))).toMatchObject({
    status: 409,
  });
  expect(await far.delete('/state/keys/{key}', { path, query: { ifVersion: next } })).toEqual({ deleted: 'agent:b/c' });
  expect(await refused(far.get('/state/keys/{key}', { path }))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});

it('decides about workflows, and refuses what their state does not allow', async () => {
  const { kit, far } = await serve();
  await kit.submit('asking', { id: 'w' });
  await kit.workflows.create({ workflowId: 'reported', name: 'Reported', totalSteps: 2 });
  await kit.runUntilIdle();
  const listed = (await far.get('/state/workflows')).workflows.map(({ workflowId }) => workflowId);
  expect(listed.toSorted()).toEqual(['reported', 'w']);
  const path = { id: 'w' };
  expect((await far.post('/state/workflows/{id}/pause', { path })).status).toBe('paused');
  expect((await far.post('/state/workflows/{id}/resume', { path })).status).toBe('waiting');
  const reported = { id: 'reported' };
  await far.post('/state/workflows/{id}/cancel', { path: reported, body: { reason: 'not needed' } });
  expect(await far.get('/state/workflows/{id}', { path: reported })).toMatchObject({
    status: 'cancelled',
    reason: 'not needed',
  });
  expect(await refused(far.post('/state/workflows/{id}/pause', { path: reported }))).toMatchObject({
    status: 409,
    code: 'STATE_TRANSITION',
  });
  expect(await refused(far.get('/state/workflows/{id}', { path: { id: 'none' } }))).toMatchObject({ status: 404 });
});

it('shows teams with members and queue, knowledge with sources and progress, tools and speech', async () => {
  const { kit, far } = await serve();
  await kit.teams.createTeam({ teamId: 'research', name: 'Research' });
  await kit.teams.addAgent('research', 'ann', { capabilities: ['reads'] });
  const { taskId } = await kit.teams.enqueueTask('research', { data: { paper: 1 } });
  const path = { id: 'research' };
  expect(await far.get('/state/teams/{id}', { path })).toMatchObject({
    agents: { ann: { capabilities: ['reads'] } },
    taskQueue: { totals: { pending: 1 }, pending: [{ taskId }] },
  });
  await far.post('/state/teams/{id}/tasks/{task}/cancel', { path: { ...path, task: taskId }, body: { reason: 'no' } });
  expect((await far.get('/state/teams/{id}', { path })).taskQueue).toMatchObject({ totals: { pending: 0 } });

  await kit.knowledge.createKnowledgeBase('manuals');
  const pages = [{ id: 'lamp', title: 'Lamps', content: 'How to mend a lamp.' }];
  await kit.knowledge.index('web', pages, undefined, { knowledgeBase: 'manuals' });
  const manuals = { path: { id: 'manuals' } };
  expect(await far.get('/state/knowledge/{id}', manuals)).toMatchObject({
    totalDocuments: 1,
    sources: [{ sourceId: 'web' }],
    indexing: { status: 'completed' },
  });
  const found = await far.get('/state/knowledge/{id}/search', { ...manuals, query: { query: 'lamp' } });
  expect(found.results).toMatchObject([{ itemId: 'lamp' }]);

  const { executionId } = await kit.tools.startExecution({ toolName: 'search', role: 'ann' });
  await kit.tools.completeExecution(executionId, { result: 1 });
  expect(await far.get('/state/tools')).toMatchObject({
    total: { totalExecutions: 1 },
    stats: [{ toolName: 'search' }],
  });
  expect((await far.get('/state/tools/history', { query: { tool: 'search' } })).executions).toMatchObject([
    { executionId, status: 'completed' },
  ]);

  const sessionId = await kit.speech.createSession({});
  expect((await far.get('/state/speech')).sessions).toMatchObject([{ sessionId }]);
  expect(await far.get('/state/speech/{id}', { path: { id: sessionId } })).toMatchObject({ sessionId, transcript: [] });
});

it('shows nothing of it to callers who are limited to some jobs', async () => {
  const { limited } = await serve();
  for (const work of [
    limited.get('/state/keys'),
    limited.get('/state/workflows'),
    limited.get('/state/teams'),
    limited.get('/state/knowledge'),
    limited.get('/state/tools'),
    limited.get('/state/speech'),
    limited.delete('/state/keys/{key}', { path: { key: 'x' } }),
    limited.post('/state/workflows/{id}/cancel', { path: { id: 'x' } }),
  ])
    expect(await refused(work)).toMatchObject({ status: 403 });
});
