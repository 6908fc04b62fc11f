// A kit as an MCP server: the SDK's own client does everything with it, over standard input and output and over HTTP.
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Statek } from '../../src/index.ts';
import { mcpServer, serveMcp, serveMcpHttp, type McpAccessOptions, type ServedMcpHttp } from '../../src/mcp.ts';
import { childEnvironment, Place } from './support/place.ts';
import { servedKit } from './support/served-kit.ts';

// Programs are started here, and machines can be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

type Data = Record<string, unknown>;

let place: Place;
let clients: Client[] = [];
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  for (const client of clients) await client.close();
  clients = [];
  place.close();
});

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  mode: 'legacy' | 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** Takes it from those that are closed after the test. */
function keep(client: Client): Client {
  clients = clients.filter((other) => other !== client);
  return client;
}

function overStdio(
  mode: 'legacy' | 'auto' = 'legacy',
  store = 'memory:',
  options: McpAccessOptions = {},
): Promise<Client> {
  const args = [join(import.meta.dirname, 'support/served-child.ts'), store, JSON.stringify(options)];
  const command = { command: process.execPath, args, env: childEnvironment(), stderr: 'inherit' } as const;
  return connect(new StdioClientTransport(command), mode);
}

async function ask(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Data> {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
  if (isError === true) throw new Error((content[0] as { text: string }).text);
  return structuredContent as Data;
}

/** Brings a job to its end, answering and agreeing on the way. */
async function wholeJob(client: Client): Promise<Data> {
  const { id } = await ask(client, 'submit_job', { agent: 'clerk', message: 'Go.', id: 'job', labels: ['a'] });
  const waiting = async (kind: string): Promise<{ id: string; question?: string }> => {
    let found: { id: string } | undefined;
    await place.until(async () => {
      [found] = (await ask(client, 'list_waiting', { kind }))['waiting'] as { id: string }[];
      return found !== undefined;
    });
    return found as { id: string };
  };
  const question = await waiting('ask');
  expect(question.question).toBe('Which day?');
  await ask(client, 'answer', { future: question.id, value: 'Monday', by: 'Ann' });
  const call = await waiting('call');
  expect(call).toMatchObject({ undecided: true, text: expect.stringMatching(/pay\(\d+\)$/) as unknown });
  expect(await ask(client, 'approve', { future: call.id, by: 'Ann' })).toMatchObject({
    approved: call.id,
    arguments: [expect.any(Number) as unknown],
  });
  return ask(client, 'job_result', { job: id, waitSeconds: 30 });
}

describe.each(['legacy stdio', 'stdio', 'legacy http', 'http'] as const)('over %s', (way) => {
  const mode = way.startsWith('legacy') ? 'legacy' : 'auto';
  let client: Client;
  let kit: Statek | undefined;
  let served: ServedMcpHttp | undefined;
  beforeAll(async () => {
    if (way.endsWith('stdio')) {
      client = keep(await overStdio(mode));
      return;
    }
    kit = await servedKit('memory:');
    kit.start();
    served = await serveMcpHttp(kit, { port: 0 });
    client = keep(await connect(new StreamableHTTPClientTransport(new URL(served.url)), mode));
  });
  afterAll(async () => {
    await client.close();
    await served?.close();
    await kit?.close();
  });

  it('does everything with jobs and workspaces', async () => {
    expect(await ask(client, 'list_agents')).toEqual({
      agents: [{ agent: 'clerk', description: 'Answers.', language: 'typescript' }],
    });
    expect(await wholeJob(client)).toMatchObject({
      status: 'DONE',
      outcome: 'completed',
      result: { day: 'Monday', paid: 'paid 5' },
    });
    expect(await ask(client, 'list_jobs', { label: 'a' })).toMatchObject({ jobs: [{ id: 'job', agent: 'clerk' }] });
    expect(await ask(client, 'show_job', { job: 'job' })).toMatchObject({ status: 'DONE', waiting: [] });
    expect(await ask(client, 'job_console', { job: 'job' })).toEqual({ lines: ['working'] });
    expect(await ask(client, 'job_locals', { job: 'job' })).toMatchObject({ locals: { day: 'Monday' } });
    expect((await ask(client, 'job_chat', { job: 'job' }))['items']).toHaveLength(7);
    expect(await ask(client, 'job_calls', { job: 'job' })).toMatchObject({
      calls: expect.arrayContaining([expect.objectContaining({ name: 'clerk.pay(…)', state: 'done' })]) as unknown,
    });
    const { commits } = (await ask(client, 'job_commits', { job: 'job' })) as unknown as {
      commits: { hash: string }[];
    };
    const [last, first] = [commits[0]?.hash, commits.at(-1)?.hash];
    expect(await ask(client, 'job_diff', { job: 'job', from: first, to: last })).toMatchObject({
      changes: expect.arrayContaining([{ name: 'day', change: 'added', after: 'Monday' }]) as unknown,
    });
    expect(await ask(client, 'fork_job', { job: 'job', name: 'again' })).toEqual({ job: 'again' });
    expect(await ask(client, 'show_job', { job: 'again' })).toMatchObject({ agent: 'clerk', status: 'SUSPENDED' });
    expect(await ask(client, 'fork_workspace', { workspace: 'job', name: 'copy' })).toEqual({ workspace: 'copy' });
    expect(await ask(client, 'run_step', { workspace: 'copy', code: 'day.length' })).toMatchObject({ value: 6 });

    await ask(client, 'create_workspace', { workspace: 'shared', vars: { given: 1 } });
    for (const id of ['first', 'second'])
      expect(
        await ask(client, 'submit_job', { agent: 'clerk', message: 'Go.', id, workspace: 'shared' }),
      ).toMatchObject({ id });
    const inShared = (await ask(client, 'list_jobs', { workspace: 'shared' }))['jobs'] as { id: string }[];
    expect(inShared.map(({ id }) => id).toSorted()).toEqual(['first', 'second']);
    expect(await ask(client, 'list_jobs', { workspace: 'nobody' })).toMatchObject({ jobs: [] });
    await place.until(async () => {
      const { locals } = await ask(client, 'job_locals', { job: 'first' });
      return (locals as Data)['given'] === 1;
    });
    for (const id of ['first', 'second']) await ask(client, 'cancel_job', { job: id });
    await expect(ask(client, 'submit_job', { agent: 'clerk', workspace: '' })).rejects.toThrow(/workspace/);

    await ask(client, 'create_workspace', { workspace: 'w', vars: { start: 20 } });
    const step = await ask(client, 'run_step', { workspace: 'w', code: 'const x = start + 1; print(x); x' });
    expect(step).toMatchObject({ status: 'done', value: 21, console: ['21'] });
    expect(await ask(client, 'run_step', { workspace: 'w', code: 'oops' })).toMatchObject({
      status: 'failed',
      error: { name: 'ReferenceError' },
    });
    expect(await ask(client, 'run_step', { workspace: 'w', code: 'await signal("go")' })).toMatchObject({
      status: 'suspended',
      waiting: [{ kind: 'signal', signal: 'go' }],
    });
    await ask(client, 'signal', { name: 'go', payload: { fine: true } });
    expect(await ask(client, 'show_step', { workspace: 'w', number: 3, waitSeconds: 20 })).toMatchObject({
      status: 'done',
      value: { fine: true },
    });
    await ask(client, 'rollback_workspace', { workspace: 'w', commit: step['commit'] });
    expect(await ask(client, 'show_workspace', { workspace: 'w' })).toMatchObject({ locals: { start: 20, x: 21 } });
    expect(await ask(client, 'workspace_console', { workspace: 'w' })).toEqual({ lines: ['21'] });

    const second = await ask(client, 'submit_job', { agent: 'clerk', message: 'Go.' });
    await ask(client, 'pause_job', { job: second['id'] });
    expect(await ask(client, 'show_job', { job: second['id'] })).toMatchObject({ paused: true });
    await ask(client, 'resume_job', { job: second['id'] });
    await ask(client, 'say', { job: second['id'], message: 'Hurry.' });
    await ask(client, 'cancel_job', { job: second['id'], reason: 'enough' });
    expect(await ask(client, 'job_result', { job: second['id'], waitSeconds: 20 })).toMatchObject({
      outcome: 'cancelled',
    });
  });

  it('answers wrong requests with what is wrong', async () => {
    await expect(ask(client, 'show_job', { job: 'none' })).rejects.toThrow(/^NOT_FOUND: /);
    await expect(ask(client, 'show_workspace', { workspace: 'none' })).rejects.toThrow(/^NOT_FOUND: /);
    await expect(ask(client, 'submit_job', { agent: 'nobody' })).rejects.toThrow(/^DRIVER_MISSING: /);
    await expect(ask(client, 'show_job', { job: 'a', more: 1 })).rejects.toThrow(/more/);
    await ask(client, 'submit_job', { agent: 'clerk', id: 'asking' });
    await expect(ask(client, 'run_step', { workspace: 'asking', code: '1' })).rejects.toThrow(/^WORKSPACE_STATE: /);
    expect(await ask(client, 'job_result', { job: 'asking' })).not.toHaveProperty('result');
  });

  it('has resources', async () => {
    await ask(client, 'create_workspace', { workspace: 'w/1', vars: { x: 1 } });
    await ask(client, 'submit_job', { agent: 'clerk', id: 'shown' });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['statek://jobs/shown', 'statek://workspaces/w%2F1']) as unknown,
    );
    const { contents } = await client.readResource({ uri: 'statek://workspaces/w%2F1' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ workspace: 'w/1', locals: { x: 1 } });
    await expect(client.readResource({ uri: 'statek://jobs/none' })).rejects.toThrow(/none/);
  });
});

describe('changes', () => {
  const told = (client: Client): string[] => {
    const uris: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void uris.push(params.uri));
    return uris;
  };

  it('are told to clients of the older protocol that subscribed', async () => {
    const client = await overStdio('legacy');
    const uris = told(client);
    await client.subscribeResource({ uri: 'statek://jobs/b' });
    await ask(client, 'submit_job', { agent: 'clerk', id: 'a' });
    await ask(client, 'submit_job', { agent: 'clerk', id: 'b' });
    await place.until(() => uris.length > 0);
    expect(new Set(uris)).toEqual(new Set(['statek://jobs/b']));
  });

  it('are told to clients that listen', async () => {
    const kit = await servedKit('memory:');
    const served = await serveMcpHttp(kit, { port: 0 });
    const client = await connect(new StreamableHTTPClientTransport(new URL(served.url)), 'auto');
    const uris = told(client);
    await client.listen({ resourceSubscriptions: ['statek://jobs/b'] });
    await kit.submit('clerk', { id: 'a' });
    await kit.submit('clerk', { id: 'b' });
    await place.until(() => uris.length > 0);
    expect(new Set(uris)).toEqual(new Set(['statek://jobs/b']));
    await client.close();
    await served.close();
    await kit.close();
  });
});

describe('what clients may do', () => {
  it('read only', async () => {
    const client = await overStdio('legacy', 'memory:', { readOnly: true });
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    await expect(ask(client, 'submit_job', { agent: 'clerk' })).rejects.toThrow(/submit_job/);
  });

  it('without approvals, nobody agrees or answers', async () => {
    const client = await overStdio('legacy', 'memory:', { approvals: false });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('submit_job');
    expect(names.filter((name) => ['approve', 'deny', 'answer'].includes(name))).toEqual([]);
    await expect(ask(client, 'approve', { future: 'x' })).rejects.toThrow(/approve/);
  });

  it('answers that are too large are refused', async () => {
    const client = await overStdio('legacy', 'memory:', { maxReplyBytes: 2000 });
    await ask(client, 'create_workspace', { workspace: 'w' });
    await expect(ask(client, 'run_step', { workspace: 'w', code: '"x".repeat(5000)' })).rejects.toThrow(/2000 bytes/);
  });
});

it('a job goes on after the server was killed with -9', async () => {
  const store = join(place.folder, 'store');
  const first = await overStdio('legacy', store);
  await ask(first, 'submit_job', { agent: 'clerk', id: 'job' });
  await place.until(
    async () => ((await ask(first, 'list_waiting', { kind: 'ask' }))['waiting'] as unknown[]).length > 0,
  );
  process.kill((first.transport as StdioClientTransport).pid as number, 'SIGKILL');
  const second = await overStdio('legacy', store);
  expect(await wholeJob(second)).toMatchObject({ result: { day: 'Monday', paid: 'paid 5' } });
});

describe('over HTTP', () => {
  let kit: Statek;
  beforeEach(async () => {
    kit = await servedKit('memory:');
  });
  afterEach(() => kit.close());

  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const post = (url: string, headers: Record<string, string> = {}, body: unknown = list): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('serves nobody whose request a page of the web made up', async () => {
    const served = await serveMcp(kit, { port: 0, maxRequestBytes: 5000 });
    expect((await post(served.url)).status).toBe(200);
    expect((await post(served.url, { origin: 'http://localhost:3000' })).status).toBe(200);
    expect((await post(served.url, { origin: 'https://evil.example' })).status).toBe(403);
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request(served.url, { method: 'POST', headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end(JSON.stringify(list));
    });
    expect(status).toBe(403);
    expect((await post(served.url, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(served.url, {}, `"${'x'.repeat(6000)}"`)).status).toBe(413);
    expect((await post(served.url, {}, 'not JSON')).status).toBe(400);
    expect((await fetch(served.url.replace('/mcp', '/other'))).status).toBe(404);
    await served.close();
  });

  it('wants the token', async () => {
    const token = 'a-token-of-sufficient-length';
    const served = await serveMcpHttp(kit, { port: 0, token });
    expect((await post(served.url)).status).toBe(401);
    expect((await post(served.url, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await post(served.url, { authorization: `Bearer ${token}` })).status).toBe(200);
    const remote = await mcpServer({ name: 'kit', url: served.url, headers: { authorization: `Bearer ${token}` } });
    expect((await remote.list()).length).toBeGreaterThan(20);
    await remote.close();
    await expect(mcpServer({ name: 'kit', url: served.url })).rejects.toMatchObject({ code: 'MCP_CONNECTION' });
    await served.close();
  });

  it('serves so many requests at once, and no more', async () => {
    const served = await serveMcpHttp(kit, { port: 0, maxRequests: 2 });
    await kit.submit('clerk', { id: 'job' });
    const wait = {
      ...list,
      method: 'tools/call',
      params: { name: 'job_result', arguments: { job: 'job', waitSeconds: 2 } },
    };
    const waiting = [post(served.url, {}, wait), post(served.url, {}, wait)];
    await place.until(async () => (await post(served.url)).status === 503);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await post(served.url)).status).toBe(200);
    await served.close();
  });

  it('does not listen elsewhere without a token', async () => {
    await expect(serveMcpHttp(kit, { port: 0, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(serveMcpHttp(kit, { port: 0, token: 'short' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(serveMcpHttp(kit, { port: 0, cors: true } as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});
