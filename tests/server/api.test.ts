// The HTTP API against a real kit, over real connections.
/* eslint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-call, typescript/no-unsafe-argument -- what the API answers is checked here as it comes */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Agent, Models, program, Statek } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { server, type Listening, type Right, type StatekServer } from '../../src/server.ts';

const token = 'token-for-the-tests';
const asking = program<string>({ role: 'asking', source: "const name = await ask('Who?'); `Hello, ${name}`" });
const double = program<number>({
  role: 'double',
  source: (input) => `print('doubling'); let x = ${String(input)}; x * 2`,
});
const careful = program({ role: 'careful', source: "await approve('Delete it?') ? 'deleted' : 'kept'" });

let kit: Statek;
let served: StatekServer;
let listening: Listening;
/** Who has asked, in order; the owner is not in it. */
let asked: string[];

beforeEach(async () => {
  asked = [];
  const agent = new Agent({ role: 'clerk', chatStyle: 'CONSOLE', metadata: { MODEL: 'script' } });
  const models = new Models({ models: { script: scriptedModel(['exit(6 * 7)']) } });
  kit = await Statek.open({ store: 'memory:', drivers: [asking, double, careful], agents: [agent], models });
  served = server(kit, {
    token,
    authorize: (request) => {
      const [name, rights, label] = (request.headers.get('x-test-caller') ?? '').split(' ');
      if (name === undefined || name === '') return undefined;
      asked.push(name);
      return {
        name,
        rights: (rights ?? '').split(',') as Right[],
        ...(label === undefined ? {} : { labels: [label] }),
      };
    },
  });
  listening = await served.listen();
});

afterEach(async () => {
  await listening.close();
  await kit.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line typescript/no-explicit-any -- whatever the API says
  readonly json: any;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${listening.url}v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text.startsWith('{') ? JSON.parse(text) : text };
}

const bodyFor = (method: string): unknown => (method === 'GET' ? undefined : {});
const as = (caller: string): Record<string, string> => ({ authorization: '', 'x-test-caller': caller });

describe('jobs', () => {
  it('are submitted once under one id, and have a result', async () => {
    const submission = { role: 'double', input: 21, labels: ['a'] };
    expect(await call('PUT', '/jobs/one', submission)).toMatchObject({
      status: 200,
      json: { id: 'one', status: 'READY' },
    });
    expect((await call('PUT', '/jobs/one', submission)).status).toBe(200);
    const worker = kit.start();
    expect((await call('GET', '/jobs/one/result?wait=20')).json).toMatchObject({ outcome: 'completed', result: 42 });
    await worker.stop();
    expect((await call('GET', '/jobs?label=a')).json.jobs).toHaveLength(1);
    expect((await call('GET', '/jobs/counts')).json.outcomes).toMatchObject({ completed: 1 });
    expect((await call('GET', '/jobs/one/console')).json).toEqual({ items: ['doubling'] });
    expect((await call('GET', '/jobs/one/locals')).json.value).toMatchObject({ x: 21 });
    const { commits } = (await call('GET', '/jobs/one/commits')).json;
    expect((await call('POST', `/jobs/one/at/${commits[0].hash}/evaluate`, { code: 'x + 1' })).json).toEqual({
      value: 22,
    });
    expect(await call('POST', `/jobs/one/at/${commits[0].hash}/evaluate`, { code: 'nothing.at.all' })).toMatchObject({
      status: 422,
      json: { code: 'EVALUATION' },
    });
    expect((await call('GET', '/jobs/one/source?step=1')).json.source).toContain('doubling');
    expect((await call('GET', '/jobs/one/events')).json.items.at(-1)).toMatchObject({ kind: 'done' });
    expect((await call('POST', '/jobs/one/retry')).status).toBe(201);
    expect((await call('DELETE', '/jobs/one')).json).toEqual({ deleted: 'one' });
    expect(await call('GET', '/jobs/one')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  });

  it('are waited for no longer than the server allows', async () => {
    const impatient = await server(kit, { token, maxWaitMilliseconds: 50 }).listen();
    await kit.submit(asking, { id: 'never' });
    const worker = kit.start();
    const answer = await fetch(`${impatient.url}v1/jobs/never/result?wait=3600`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).not.toHaveProperty('result');
    await worker.stop();
    await impatient.close();
  });

  it('are asked, answered once, and say who was first', async () => {
    await call('PUT', '/jobs/q', { role: 'asking' });
    await kit.runUntilIdle();
    const { waiting } = (await call('GET', '/waiting?people=true')).json;
    expect(waiting).toMatchObject([{ job: 'q', question: 'Who?' }]);
    const id = encodeURIComponent(waiting[0].id);
    expect((await call('POST', `/waiting/${id}/answer`, { value: 'Ann' }, as('berta answer'))).json).toMatchObject({
      by: 'berta',
    });
    const second = await call('POST', `/waiting/${id}/answer`, { value: 'Eve' }, as('eve answer'));
    expect(second).toMatchObject({ status: 409, json: { details: { decision: { by: 'berta', approved: true } } } });
    const { time } = second.json.details.decision;
    expect(second.json.detail).toContain(`berta said yes or answered at ${time}`);
    expect(new Date(time).toISOString()).toBe(time);
    await kit.runUntilIdle();
    expect((await call('GET', '/jobs/q/result')).json.result).toBe('Hello, Ann');
  });

  it('are decided once, and callers with labels are told who was first', async () => {
    await call('PUT', '/jobs/d', { role: 'careful', labels: ['mine'] });
    await call('PUT', '/jobs/e', { role: 'careful', labels: ['theirs'] });
    await kit.runUntilIdle();
    const decide = (id: string, caller: string): Promise<Answer> =>
      call('POST', `/waiting/${encodeURIComponent(id)}/approve`, {}, as(caller));
    for (const id of ['d/1', 'e/1']) expect((await decide(id, 'berta answer')).status).toBe(200);
    await kit.runUntilIdle();
    const second = await decide('d/1', 'eve read,answer mine');
    expect(second).toMatchObject({ status: 409, json: { details: { decision: { by: 'berta', approved: true } } } });
    // Of a job they may not see they are told nothing.
    expect((await decide('e/1', 'eve read,answer mine')).status).toBe(404);
  });

  it('are found by a text among many, page by page', async () => {
    for (let number = 0; number < 450; number++)
      await kit.submit('double', {
        id: `job-${number}`,
        input: 1,
        labels: [number % 100 === 7 ? 'rare needle' : 'hay'],
      });
    const found: string[] = [];
    let cursor = '';
    do {
      const { json } = await call(
        'GET',
        `/jobs?text=NEEDLE&limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(json.jobs.length).toBeLessThanOrEqual(2);
      found.push(...json.jobs.map(({ id }: { id: string }) => id));
      cursor = json.cursor ?? '';
    } while (cursor !== '');
    expect(found.toSorted()).toEqual(['job-107', 'job-207', 'job-307', 'job-407', 'job-7']);
  });

  it('wait for one approval', async () => {
    await call('PUT', '/jobs/c', { role: 'careful' });
    await kit.runUntilIdle();
    const [{ id }] = (await call('GET', '/waiting')).json.waiting;
    const path = `/waiting/${encodeURIComponent(id)}`;
    const both = await Promise.all([
      call('POST', `${path}/approve`, undefined, as('a answer')),
      call('POST', `${path}/deny`, { reason: 'no' }, as('b answer')),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it('are paused, resumed, told, cancelled and forked', async () => {
    await call('PUT', '/jobs/p', { role: 'asking' });
    expect((await call('POST', '/jobs/p/pause')).json.paused).toBe(true);
    expect((await call('POST', '/jobs/p/resume')).json.paused).toBe(false);
    await kit.runUntilIdle();
    expect((await call('POST', '/jobs/p/fork', { id: 'p2' })).json).toMatchObject({ id: 'p2' });
    await call('POST', '/jobs/p/cancel', { reason: 'enough' });
    await kit.runUntilIdle();
    expect((await call('GET', '/jobs/p')).json).toMatchObject({ status: 'DONE', outcome: 'cancelled' });
    const bulk = { verb: 'cancel', filter: { role: 'asking', status: 'SUSPENDED' } };
    expect((await call('POST', '/jobs/bulk', { ...bulk, dryRun: true })).json).toMatchObject({ jobs: 1, done: 0 });
    expect((await call('POST', '/jobs/bulk', bulk)).json).toMatchObject({ jobs: 1, done: 1, refused: [] });
  });
});

describe('workspaces', () => {
  it('run steps and are looked at', async () => {
    await call('PUT', '/workspaces/main', { vars: { price: 40 } });
    expect((await call('POST', '/workspaces/main/run', { code: 'let total = price + 2; total' })).json).toMatchObject({
      status: 'done',
      value: 42,
    });
    expect((await call('GET', '/workspaces/main/locals')).json.value).toMatchObject({ total: 42 });
    expect((await call('GET', '/workspaces')).json.names).toContain('main');
  });
});

describe('events', () => {
  it('continue after a lost connection without a gap or a repeat', async () => {
    await call('PUT', '/jobs/e', { role: 'double', input: 1 });
    await kit.runUntilIdle();
    const read = async (headers: Record<string, string>, count: number): Promise<{ id: string; kind: string }[]> => {
      const stop = new AbortController();
      const response = await fetch(`${listening.url}v1/events?job=e&since=0`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
        signal: stop.signal,
      });
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      const seen: { id: string; kind: string }[] = [];
      let text = '';
      try {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          text += Buffer.from(chunk).toString();
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const event = text.slice(0, end);
            text = text.slice(end + 2);
            const id = /^id: (.*)$/m.exec(event)?.[1];
            if (id !== undefined) seen.push({ id, kind: /^event: (.*)$/m.exec(event)?.[1] ?? '' });
          }
          if (seen.length >= count) break;
        }
      } finally {
        stop.abort();
      }
      return seen;
    };
    const past = (await call('GET', '/jobs/e/events')).json.items.map(({ kind }: { kind: string }) => kind);
    const all = await read({}, past.length);
    expect(all.map(({ kind }) => kind)).toEqual(past);
    expect(new Set(all.map(({ id }) => id)).size).toBe(past.length);
    for (let index = 0; index < all.length - 1; index++) {
      const rest = await read({ 'last-event-id': all[index]?.id ?? '' }, all.length - index - 1);
      expect(rest).toEqual(all.slice(index + 1));
    }
  });
});

describe('tenants', () => {
  it('are limited by owners of all jobs, and look at their own use', async () => {
    const limits = { jobsAtOnce: 1, tokensPerDay: 1000, costPerDay: 0.5, bytes: 1 };
    expect((await call('PUT', '/tenants/acme', limits)).json).toMatchObject({ name: 'acme', limits });
    await call('PUT', '/tenants/*', { jobsAtOnce: 9 });
    expect((await call('PUT', '/tenants/acme', { jobsAtOnce: 0 })).status).toBe(400);
    expect((await call('PUT', '/tenants/acme', { jobs: 1 })).status).toBe(400);
    for (const tenant of ['acme', 'beta', 'other'])
      await call('PUT', `/jobs/${tenant}`, { role: 'double', input: 1, labels: [`tenant:${tenant}`] });
    await kit.runUntilIdle();
    const { tenants, cursor } = (await call('GET', '/tenants?limit=3')).json;
    expect(tenants.map(({ name, limits: { jobsAtOnce } }: never) => [name, jobsAtOnce])).toEqual([
      ['*', 9],
      ['acme', 1],
      ['beta', 9],
    ]);
    expect(tenants[0].usage).toBeUndefined();
    expect(tenants[1].usage).toMatchObject({ jobsAtOnce: 0, tokens: 0, cost: 0 });
    const rest = (await call('GET', `/tenants?cursor=${cursor}`)).json;
    expect([rest.tenants.length, rest.tenants[0].name, rest.cursor]).toEqual([1, 'other', undefined]);
    const acme = as('acme read,control,admin tenant:acme');
    expect((await call('GET', '/tenants/acme', undefined, acme)).json.limits).toEqual(limits);
    expect((await call('GET', '/tenants/beta', undefined, acme)).status).toBe(404);
    expect((await call('GET', '/tenants', undefined, acme)).status).toBe(403);
    expect((await call('PUT', '/tenants/acme', {}, acme)).status).toBe(403);
    expect((await call('DELETE', '/tenants/acme')).json).toEqual({ unlimited: 'acme' });
    expect((await call('GET', '/tenants/acme')).json.limits).toEqual({ jobsAtOnce: 9 });
  });

  it('that take too much may submit no more', async () => {
    await call('PUT', '/jobs/first', { role: 'double', input: 1, labels: ['tenant:acme'] });
    await kit.runUntilIdle();
    await call('PUT', '/tenants/acme', { bytes: 1 });
    const refused = await call('POST', '/jobs', { role: 'double', input: 1, labels: ['tenant:acme'] });
    expect([refused.status, refused.json.code]).toEqual([429, 'TENANT_LIMIT']);
  });
});

describe('refuses', () => {
  it('every route without a token, and without its right', async () => {
    expect(served.routes.length).toBeGreaterThan(40);
    for (const { method, path, right } of served.routes) {
      if (right === 'none') continue;
      const filled = path.replaceAll(/\{\w+\}/g, '1');
      expect((await call(method, filled, bodyFor(method), { authorization: '' })).status, `${method} ${path}`).toBe(
        401,
      );
      const others = ['read', 'answer', 'control', 'admin'].filter((one) => one !== right).join(',');
      expect((await call(method, filled, bodyFor(method), as(`mallory ${others}`))).status, `${method} ${path}`).toBe(
        403,
      );
    }
  });

  it('jobs of other labels, as if they were not there', async () => {
    await call('PUT', '/jobs/mine', { role: 'asking', labels: ['mine'] });
    await call('PUT', '/jobs/theirs', { role: 'asking', labels: ['theirs'] });
    await kit.runUntilIdle();
    const me = as('me read,answer,control mine');
    expect((await call('GET', '/jobs', undefined, me)).json.jobs).toMatchObject([{ id: 'mine' }]);
    expect((await call('GET', '/jobs/theirs', undefined, me)).status).toBe(404);
    expect((await call('POST', '/jobs/theirs/cancel', {}, me)).status).toBe(404);
    expect((await call('GET', '/waiting', undefined, me)).json.waiting).toHaveLength(1);
    const theirs = (await call('GET', '/waiting')).json.waiting.find(({ job }: { job: string }) => job === 'theirs');
    const answer = await call('POST', `/waiting/${encodeURIComponent(theirs.id)}/answer`, { value: 1 }, me);
    expect(answer.status).toBe(404);
    expect((await call('POST', '/jobs', { role: 'asking' }, me)).status).toBe(403);
    expect((await call('GET', '/workspaces', undefined, me)).status).toBe(403);
    // Nor can a job of others be had, or said anything, by submitting it once more.
    const same = await call('PUT', '/jobs/theirs', { role: 'asking', labels: ['mine'] }, me);
    expect([same.status, same.json.detail]).toEqual([409, "The id 'theirs' is taken. Choose another one."]);
    const other = await call('PUT', '/jobs/theirs', { role: 'double', input: 1, labels: ['mine'] }, me);
    expect([other.status, other.json.detail]).toEqual([409, "The id 'theirs' is taken. Choose another one."]);
  });

  it('foreign hosts and origins, before anything else', async () => {
    vi.stubEnv('STATEK_SERVER_HOSTS', 'app.example.com, statek');
    const named = await server(kit, { token: 'a-token-of-16-letters' }).listen();
    onTestFinished(() => named.close());
    let { port } = listening;
    const send = async (headers: Record<string, string>): Promise<number> => {
      const { request } = await import('node:http');
      return new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', path: '/v1/health/live', headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end();
      });
    };
    expect(await send({ host: `127.0.0.1:${port}` })).toBe(200);
    expect(await send({ host: 'evil.example' })).toBe(421);
    expect(await send({ host: `localhost:${port}`, origin: 'https://evil.example' })).toBe(403);
    expect(await send({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
    expect(await send({ host: 'app.example.com' })).toBe(421);
    ({ port } = named);
    for (const host of ['app.example.com', 'STATEK:8080', 'localhost']) expect(await send({ host })).toBe(200);
    expect(await send({ host: 'example.com' })).toBe(421);
    for (const host of ['app.example.com:8080', 'https://app.example.com', '*', ''])
      expect(() => server(kit, { hosts: [host] })).toThrow(`'${host}' is not the name of a host`);
    for (const host of ['::1', '10.0.0.7', 'App.example.com']) server(kit, { hosts: [host] });
  });

  it('more than a caller is allowed, whatever others are', async () => {
    const limits = { requestsPerSecond: 1, maxStreams: 1, maxBodyBytes: 2000 };
    const strict = await server(kit, {
      authorize: (request) => {
        const name = request.headers.get('x-test-caller') ?? '';
        return { name, rights: ['read', 'control'], ...(name === 'guest' ? { limits } : {}) };
      },
    }).listen();
    const send = async (name: string, path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${strict.url}v1${path}`, {
        ...init,
        headers: { 'x-test-caller': name, 'content-type': 'application/json' },
      });
    const body = JSON.stringify({ role: 'double', input: 'x'.repeat(3000) });
    expect((await send('guest', '/jobs/x', { method: 'PUT', body })).status).toBe(413);
    expect((await send('member', '/jobs/x', { method: 'PUT', body })).status).toBe(200);
    const statuses = new Set<number>();
    while (!statuses.has(429)) statuses.add((await send('guest', '/jobs')).status);
    expect((await send('member', '/jobs')).status).toBe(200);
    await strict.close();
  });

  it('what is too large, no JSON, of another type, or unknown', async () => {
    expect((await call('PUT', '/jobs/x', { role: 'double', input: 'x'.repeat(2 ** 21) })).status).toBe(413);
    expect((await call('PUT', '/jobs/x', { role: 'double', more: 1 })).json).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await call('PUT', '/jobs/x', { role: 'double' }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await call('GET', '/jobs?nonsense=1')).status).toBe(400);
    expect((await call('GET', '/nonsense')).status).toBe(404);
    expect((await call('DELETE', '/jobs')).status).toBe(405);
    const broken = await fetch(`${listening.url}v1/jobs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect(broken.status).toBe(400);
    expect(broken.headers.get('content-type')).toContain('application/problem+json');
  });
});

it('describes itself, and is healthy', async () => {
  const document = (await call('GET', '/openapi.json')).json;
  expect(document.openapi).toBe('3.1.0');
  for (const { method, path } of served.routes) expect(document.paths[path][method.toLowerCase()]).toBeDefined();
  expect((await call('GET', '/health/ready', undefined, { authorization: '' })).status).toBe(200);
  expect((await call('GET', '/metrics')).json).toContain('statek_http_requests_total');
  expect((await call('GET', '/agents')).json.agents).toMatchObject([{ role: 'clerk' }]);
});

it('answers what it has been asked before it closes, and ends its streams', async () => {
  await call('PUT', '/jobs/waits', { role: 'asking' });
  await kit.runUntilIdle();
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(`${listening.url}v1/events`, { headers });
  const reader = (events.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const waiting = call('GET', '/jobs/waits/result?wait=60', undefined, {
    authorization: '',
    'x-test-caller': 'patient read',
  });
  await expect.poll(() => asked).toEqual(['patient']);
  const closed = listening.close();
  expect(await waiting).toMatchObject({ status: 200, json: { status: 'SUSPENDED' } });
  for (;;) if ((await reader.read()).done) break;
  await closed;
  await expect(call('GET', '/jobs')).rejects.toThrow('fetch failed');
  listening = await served.listen();
});
