// The typed client against a real server: every route of the table is called through it, and its events survive a bad network.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { client, ServerAnswerError, type ClientEvent, type StatekClient } from '../../src/client.ts';
import { Agent, Durable, Models, program, Statek } from '../../src/index.ts';
import { server, type StatekServer } from '../../src/server.ts';
import { scriptedModel } from '../../src/testing.ts';

const token = 'token-for-the-tests';

class Room extends Durable {
  name = 'blue';
}

const asking = program<string>({ role: 'asking', source: "const name = await ask('Who?'); `Hello, ${name}`" });
const careful = program({ role: 'careful', source: "await approve('Delete it?').catch(() => 'kept')" });
const double = program<number>({ role: 'double', source: (input) => `let x = ${JSON.stringify(input ?? 1)}; x * 2` });

interface Served {
  readonly kit: Statek;
  readonly served: StatekServer;
  readonly far: StatekClient;
  /** The routes that were called. */
  readonly called: Set<string>;
  readonly url: string;
}

async function serve(): Promise<Served> {
  const script = scriptedModel(['```ts\nlet y = 1\n```', 'Hello.', 'Hello again.']);
  const clerk = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
  const models = new Models({ models: { script } });
  const kit = await Statek.open({
    store: 'memory:',
    drivers: [asking, careful, double],
    agents: [clerk],
    models,
    classes: [Room],
  });
  const called = new Set<string>();
  const served = server(kit, {
    token,
    log: ({ method, route, status }) => status < 400 && called.add(`${method} ${route}`),
  });
  const listening = await served.listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
  });
  return { kit, served, far: client({ url: listening.url, token }), called, url: listening.url };
}

it('calls every route', async () => {
  const { kit, served, far, called } = await serve();
  const path = { id: 'one' };

  await far.put('/jobs/{id}', { path, body: { role: 'double', input: 21 } });
  const { id } = await far.post('/jobs', { body: { role: 'double', input: 1 } });
  await far.post('/queues/{role}', { path: { role: 'double' }, body: { event: { a: 1 } } });
  await kit.runUntilIdle();
  expect((await far.get('/jobs/{id}/result', { path, query: { wait: 1 } })).result).toBe(42);
  expect((await far.get('/jobs/{id}', { path })).waiting).toEqual([]);
  expect((await far.get('/jobs', { query: { role: 'double' } })).jobs.length).toBeGreaterThanOrEqual(2);
  expect((await far.get('/jobs/counts')).outcomes['completed']).toBeGreaterThanOrEqual(2);
  await far.get('/jobs/{id}/chat', { path });
  await far.get('/jobs/{id}/console', { path });
  await far.get('/jobs/{id}/calls', { path });
  await far.get('/jobs/{id}/events', { path });
  await far.get('/jobs/{id}/children', { path });
  await far.get('/jobs/{id}/usage', { path });
  expect((await far.get('/jobs/{id}/timeline', { path })).isOver).toBe(true);
  expect((await far.get('/caller')).name).toBe('owner');
  await far.get('/jobs/{id}/locals', { path });
  expect((await far.get('/jobs/{id}/source', { path, query: { step: 1 } })).source).toContain('21');
  const { commits } = await far.get('/jobs/{id}/commits', { path });
  const commit = commits[0]?.hash ?? '';
  await far.get('/jobs/{id}/diff', { path, query: { from: commit, to: commit } });
  const evaluated = await far.post('/jobs/{id}/at/{commit}/evaluate', {
    path: { id: 'one', commit },
    body: { code: 'x' },
  });
  expect(evaluated.value).toBe(21);
  const whole = await far.get('/jobs/{id}/commits/{commit}', { path: { id: 'one', commit } });
  expect(whole.changed.map(({ name }) => name)).toContain('x');
  expect(whole.source?.text).toContain('21');
  expect((await far.get('/jobs/{id}/members', { path })).members.map(({ name }) => name)).toContain('x');
  expect((await far.post('/jobs/{id}/watch', { path, body: { code: 'x' } })).values.at(-1)?.value).toBe(21);
  expect((await far.post('/jobs/{id}/find', { path, body: { code: 'x > 20' } })).found?.hash).toBe(commit);
  expect((await far.get('/compare', { query: { a: 'one', b: 'one' } })).variables).toEqual([]);
  const file = await far.get('/jobs/{id}/export', { path });
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="one.statek"');
  const elsewhere = await Statek.open({ store: 'memory:' });
  const copy = await elsewhere.importJob(file.body as unknown as AsyncIterable<Uint8Array>);
  expect(copy.id).toBe('one');
  await elsewhere.close();
  const detailed = await far.get('/jobs', { query: { detail: 'true' } });
  expect(detailed.jobs.length).toBeGreaterThanOrEqual(2);
  await far.post('/jobs/{id}/retry', { path });
  await far.post('/jobs/bulk', { body: { verb: 'cancel', filter: { role: 'nobody' }, dryRun: true } });

  await far.put('/jobs/{id}', { path: { id: 'ask' }, body: { role: 'asking' } });
  await far.put('/jobs/{id}', { path: { id: 'yes' }, body: { role: 'careful' } });
  await far.put('/jobs/{id}', { path: { id: 'no' }, body: { role: 'careful' } });
  await kit.runUntilIdle();
  await far.post('/jobs/{id}/pause', { path: { id: 'ask' } });
  await far.post('/jobs/{id}/resume', { path: { id: 'ask' } });
  await far.post('/jobs/{id}/say', { path: { id: 'ask' }, body: { message: 'Well?' } });
  await far.post('/jobs/{id}/fork', { path: { id: 'ask' }, body: { id: 'fork' } });
  const back = (await far.get('/jobs/{id}/commits', { path: { id: 'ask' } })).commits[0]?.hash ?? '';
  await far.post('/jobs/{id}/rollback', { path: { id: 'ask' }, body: { commit: back } });
  await kit.runUntilIdle();
  const { waiting } = await far.get('/waiting', { query: { people: 'true' } });
  const waitOf = (job: string): string => waiting.find((wait) => wait['job'] === job)?.id ?? '';
  await far.post('/waiting/{id}/answer', { path: { id: waitOf('ask') }, body: { value: 'Ann' } });
  await far.post('/waiting/{id}/approve', { path: { id: waitOf('yes') } });
  await far.post('/waiting/{id}/deny', { path: { id: waitOf('no') }, body: { reason: 'no' } });
  await far.post('/signals/{name}', { path: { name: 'paid' }, body: { payload: 1 } });
  await far.post('/jobs/{id}/cancel', { path: { id: 'fork' } });
  await kit.runUntilIdle();

  const chatting = {
    id: 'talk',
    messages: [{ id: 'm', role: 'user' as const, parts: [{ type: 'text', text: 'Hi.' }] }],
  };
  const worker = kit.start();
  const answer = await far.post('/chat/{role}', { path: { role: 'clerk' }, body: chatting });
  expect(await answer.text()).toContain('Hello.');
  await worker.stop();
  const run = await far.post('/agui/{role}', {
    path: { role: 'clerk' },
    body: { threadId: 'talk', runId: 'r', messages: [] },
  });
  expect(await run.text()).toContain('MESSAGES_SNAPSHOT');
  const asked = await far.post('/a2a/{role}', {
    path: { role: 'clerk' },
    body: { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'talk/m' } },
  });
  // Without the header of the protocol it counts as an older version.
  expect(asked).toMatchObject({ id: 1, error: { code: -32_009 } });
  expect((await far.get('/a2a/.well-known/agent-card.json')).name).toBe('clerk');
  expect((await far.get('/a2a/{role}/.well-known/agent-card.json', { path: { role: 'clerk' } })).name).toBe('clerk');
  const talk = { role: 'clerk', id: 'talk' };
  expect((await far.get('/chat/{role}/{id}', { path: talk })).messages).toHaveLength(2);
  expect((await far.get('/chat/{role}/{id}/stream', { path: talk })).status).toBe(204);
  await far.post('/chat/{role}/{id}/stop', { path: talk });
  await far.get('/jobs/{id}/requests/{turn}', { path: { id: 'talk', turn: 1 } });
  const [call] = (await far.get('/jobs/{id}/calls', { path: { id: 'talk' } })).items;
  await far.get('/jobs/{id}/calls/{call}', { path: { id: 'talk', call: call?.id ?? '' } });

  const room = new Room();
  await kit.flush();
  const { classes } = await far.get('/objects');
  expect(Array.isArray(classes)).toBe(true);
  await far.get('/objects/classes/{type}', { path: { type: 'Room' } });
  const objects = (await far.get('/objects/classes/{type}', { path: { type: 'Room' } })).objects as { id: string }[];
  expect(room.name).toBe('blue');
  const object = { path: { id: objects[0]?.id ?? '' } };
  await far.get('/objects/{id}', object);
  await far.get('/objects/{id}/referrers', object);
  await far.get('/objects/{id}/history', object);

  const name = { name: 'bench' };
  await far.put('/workspaces/{name}', { path: name, body: { vars: { a: 1 } } });
  expect((await far.post('/workspaces/{name}/run', { path: name, body: { code: 'a + 1' } })).value).toBe(2);
  await far.get('/workspaces');
  await far.get('/workspaces/{name}/waiting', { path: name });
  await far.get('/workspaces/{name}/locals', { path: name });
  await far.get('/workspaces/{name}/console', { path: name });
  const step = (await far.get('/workspaces/{name}/commits', { path: name })).commits[0]?.hash ?? '';
  await far.get('/workspaces/{name}/diff', { path: name, query: { from: step, to: step } });
  await far.get('/workspaces/{name}/commits/{commit}', { path: { ...name, commit: step } });
  await far.get('/workspaces/{name}/members', { path: name });
  await far.get('/workspaces/{name}/source', { path: name, query: { step: 1 } });
  await far.post('/workspaces/{name}/watch', { path: name, body: { code: 'a' } });
  await far.post('/workspaces/{name}/find', { path: name, body: { code: 'a === 1' } });
  await far.post('/workspaces/{name}/at/{commit}/evaluate', { path: { ...name, commit: step }, body: { code: 'a' } });
  const fork = await far.post('/workspaces/{name}/fork', { path: name, body: { vars: { a: 2 } } });
  await far.post('/workspaces/{name}/rollback', { path: name, body: { commit: step } });
  await far.delete('/workspaces/{name}', { path: { name: fork.name } });
  await far.delete('/jobs/{id}', { path: { id } });

  const nightly = { path: { name: 'nightly' } };
  const acme = { path: { tenant: 'acme' } };
  expect((await far.put('/tenants/{tenant}', { ...acme, body: { jobsAtOnce: 3 } })).limits).toEqual({ jobsAtOnce: 3 });
  expect((await far.get('/tenants/{tenant}', acme)).usage).toEqual({ jobsAtOnce: 0, tokens: 0, cost: 0, bytes: 0 });
  expect((await far.get('/tenants')).tenants).toMatchObject([{ name: 'acme' }]);
  expect(await far.delete('/tenants/{tenant}', acme)).toEqual({ unlimited: 'acme' });
  const put = await far.put('/schedules/{name}', {
    ...nightly,
    body: { cron: '0 2 * * *', submit: { role: 'double' } },
  });
  expect(put.timing).toEqual({ cron: '0 2 * * *', timeZone: 'UTC' });
  expect((await far.post('/schedules/{name}/pause', nightly)).paused).toBe(true);
  await far.post('/schedules/{name}/resume', nightly);
  expect((await far.post('/schedules/{name}/run', nightly)).job).toMatch(/^nightly@/);
  expect((await far.get('/schedules/{name}', nightly)).fired).toBe(1);
  expect((await far.get('/schedules')).schedules).toHaveLength(1);
  await far.delete('/schedules/{name}', nightly);
  await kit.state.save('agent:one', { progress: 0.5 });
  await kit.teams.createTeam({ teamId: 'research' });
  const { taskId } = await kit.teams.enqueueTask('research', { data: 1 });
  await kit.knowledge.createKnowledgeBase('manuals');
  const session = await kit.speech.createSession({});
  expect((await far.get('/state/keys', { query: { prefix: 'agent:' } })).keys).toEqual(['agent:one']);
  expect((await far.get('/state/keys/{key}', { path: { key: 'agent:one' } })).value).toEqual({ progress: 0.5 });
  await far.delete('/state/keys/{key}', { path: { key: 'agent:one' } });
  await far.get('/state/workflows', { query: { status: 'completed' } });
  const flow = { path: { id: 'flow' } };
  await far.put('/jobs/{id}', { path: { id: 'flow' }, body: { role: 'asking' } });
  await kit.runUntilIdle();
  expect((await far.get('/state/workflows/{id}', flow)).status).toBe('waiting');
  await far.post('/state/workflows/{id}/pause', flow);
  await far.post('/state/workflows/{id}/resume', flow);
  const { checkpointId } = await far.post('/state/workflows/{id}/checkpoint', flow);
  await far.post('/state/workflows/{id}/resume-from', { ...flow, body: { checkpoint: checkpointId } });
  await far.post('/state/workflows/{id}/cancel', { ...flow, body: { reason: 'enough' } });
  expect((await far.get('/state/teams')).teams).toMatchObject([{ teamId: 'research' }]);
  await far.get('/state/teams/{id}', { path: { id: 'research' } });
  const task = { path: { id: 'research', task: taskId } };
  await far.get('/state/teams/{id}/tasks/{task}', task);
  await far.post('/state/teams/{id}/tasks/{task}/cancel', task);
  expect((await far.get('/state/knowledge')).knowledgeBases).toMatchObject([{ knowledgeBaseId: 'manuals' }]);
  await far.get('/state/knowledge/{id}', { path: { id: 'manuals' } });
  await far.get('/state/knowledge/{id}/search', { path: { id: 'manuals' }, query: { query: 'lamp' } });
  await far.get('/state/tools');
  await far.get('/state/tools/history');
  expect((await far.get('/state/speech')).sessions).toMatchObject([{ sessionId: session }]);
  await far.get('/state/speech/{id}', { path: { id: session } });

  await far.get('/agents');
  await far.get('/queues');
  await far.get('/workers');
  await far.get('/usage');
  await far.get('/leases');
  expect((await far.get('/system')).store.engine).toBe('memory');
  await far.get('/health/live');
  await far.get('/health/ready');
  expect(await far.get('/metrics')).toContain('statek_workers');
  for await (const event of far.events({ job: 'one', since: 0 })) {
    expect(event.kind).toBe('submitted');
    break;
  }
  const missing = served.routes
    .map(({ method, path: place }) => `${method} /v1${place}`)
    .filter((one) => !called.has(one));
  expect(missing).toEqual([]);
});

it('says what the server refused', async () => {
  const { far } = await serve();
  const error: unknown = await far.get('/jobs/{id}', { path: { id: 'nobody' } }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ServerAnswerError);
  expect((error as ServerAnswerError).details).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});

it('gives every event once, over a connection that breaks off after every few bytes', async () => {
  const { kit, url } = await serve();
  let connections = 0;
  const started = Promise.withResolvers<void>();
  const broken: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    connections++;
    let left = 800;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (Buffer.from(chunk).toString().includes('id: ')) started.resolve();
        controller.enqueue(chunk.slice(0, Math.max(0, left)));
        left -= chunk.byteLength;
        if (left <= 0) controller.error(new Error('cut off'));
      },
    });
    return new Response(response.body?.pipeThrough(cut), { status: response.status, headers: response.headers });
  };
  const far = client({ url, token, fetch: broken });
  const seen: ClientEvent[] = [];
  const reading = (async () => {
    for await (const event of far.events()) {
      seen.push(event);
      if (seen.filter(({ kind }) => kind === 'done').length === 3) return;
    }
  })();
  // Where it begins is known before anything happens.
  await started.promise;
  for (const id of ['a', 'b', 'c']) await kit.submit('double', { id, input: 1 });
  await kit.runUntilIdle();
  await reading;
  const past: string[] = [];
  for (const id of ['a', 'b', 'c'])
    for (const { kind, number } of await (await kit.job(id)).pastEvents()) past.push(`${id} ${number} ${kind}`);
  expect(seen.map(({ job, number, kind }) => `${job} ${number} ${kind}`).toSorted()).toEqual(past.toSorted());
  expect(connections).toBeGreaterThan(3);
});

it('holds nothing of Node and nothing of zod', () => {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)';$/gm)) {
      expect([file, specifier]).toEqual([file, expect.stringMatching(/^\./)]);
      visit(join(dirname(file), specifier));
    }
  };
  visit(join(import.meta.dirname, '../../src/client.ts'));
  expect(files.size).toBe(6);
});
