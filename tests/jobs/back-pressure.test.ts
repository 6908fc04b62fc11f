// Back-pressure: when jobs have waited in their queue for too long, no new ones are accepted, over any door, until workers have caught up.
import { describe, expect, it, onTestFinished } from 'vitest';
import { DialogAgent, Models, program, QueueOverloadedError, Statek, type StatekOptions } from '../../src/index.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { server, type StatekServer } from '../../src/server.ts';
import type { Store } from '../../src/store.ts';
import { scriptedModel } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';
import { stores } from './support/stores.ts';

const minute = 60_000;
const short = program({ role: 'short', source: '1' });
const other = program({ role: 'other', source: '2' });
const drivers = [short, other];
const start = Date.parse('2026-01-01T00:00:00Z');

async function kitAt(open: () => Promise<Store>, options: Partial<StatekOptions> = {}): Promise<Statek> {
  const store = await open();
  const kit = await Statek.open({ store, drivers, maxQueueAge: minute, ...options });
  onTestFinished(async () => {
    await kit.close({ graceMilliseconds: 0 });
    await store.close();
  });
  return kit;
}

describe.each(Object.keys(stores))('on %s', { timeout: 60_000 }, (name) => {
  it('refuses new jobs of a role whose first job has waited too long, until it is worked on', async () => {
    const open = await (stores[name] as () => Promise<() => Promise<Store>>)();
    const clock = new ManualClock(start);
    const kit = await kitAt(open, { clock });
    await kit.submit(short, { id: 'a' });
    clock.advance(minute);
    await kit.submit(short, { id: 'b' });
    clock.advance(2000);
    await expect(kit.submit(short, { id: 'c' })).rejects.toMatchObject({
      code: 'QUEUE_OVERLOADED',
      details: { role: 'short', waitedMilliseconds: 62_000, maxQueueAge: minute, retryAfterSeconds: 2 },
    });
    await expect(kit.submitAll(short, [{ id: 'a' }, {}])).rejects.toThrow(QueueOverloadedError);
    await expect(kit.enqueue(short, { n: 1 })).rejects.toThrow(
      "kit.submit: jobs of the role 'short' have waited in the queue for 62 s, and may wait for 60 s.",
    );
    // A job that was submitted already is found, jobs of other roles are accepted, and so is one that starts later.
    expect((await kit.submit(short, { id: 'a' })).id).toBe('a');
    await kit.submit(other);
    await kit.submit(short, { id: 'later', startAt: new Date(clock.now() + minute) });
    const unlimited = await kitAt(open, { clock, maxQueueAge: undefined });
    await unlimited.submit(short, { id: 'from elsewhere' });
    expect((await kit.queues()).find(({ role }) => role === 'short')).toMatchObject({
      jobs: 3,
      waitingMilliseconds: 62_000,
    });
    await kit.runUntilIdle();
    clock.advance(1000);
    expect((await kit.queues()).map(({ waitingMilliseconds }) => waitingMilliseconds)).toEqual([undefined, undefined]);
    expect((await kit.submit(short, { id: 'c' })).id).toBe('c');
  });

  it('counts what nobody works on, by tenant, and not what waits for another version', async () => {
    const open = await (stores[name] as () => Promise<() => Promise<Store>>)();
    const clock = new ManualClock(start);
    const [old, kit] = [await kitAt(open, { clock, version: '1' }), await kitAt(open, { clock, version: '2' })];
    const future = await kitAt(open, { clock, version: '3' });
    await future.submit(short, { id: 'for 3' });
    await kit.submit(short, { id: 'of acme', labels: ['tenant:acme'] });
    clock.advance(2 * minute);
    // What waits for version 3 is no reason to refuse what version 2 can do, and acme is no reason to refuse others.
    await kit.submit(short, { id: 'for 2' });
    await kit.submit(short, { labels: ['tenant:beta'] });
    await expect(kit.submit(short, { labels: ['tenant:acme'] })).rejects.toThrow("and the tenant 'acme'");
    clock.advance(2 * minute);
    await expect(kit.submit(short)).rejects.toThrow(QueueOverloadedError);
    // What only newer code may do waits for other workers than those of this process.
    await old.submit(short, { id: 'for 1' });
    // A job that is worked on stays in its place, and does not wait.
    await kit.store.claim((await import('../../src/jobs/rows.ts')).jobWorkRows, {
      owner: 'a worker',
      limit: 10,
      leaseMilliseconds: 3_600_000,
      range: { prefix: ['short'] },
    });
    clock.advance(1000);
    await kit.submit(short, { id: 'claimed' });
  });
});

it('looks at when jobs came, and not at their priority', async () => {
  const clock = new ManualClock(start);
  const kit = await openKit({ clock, drivers, maxQueueAge: minute });
  await kit.submit(short, { priority: 100 });
  await kit.submit(short, { priority: -100 });
  clock.advance(minute);
  await kit.submit(short, { priority: 100 });
  clock.advance(2000);
  await expect(kit.submit(short)).rejects.toMatchObject({ details: { waitedMilliseconds: 62_000 } });
});

it('lets schedules and programs go on', async () => {
  const clock = new ManualClock(start);
  const parent = program({ role: 'parent', source: "await delegate('short')" });
  const kit = await openKit({ clock, drivers: [...drivers, parent], maxQueueAge: { short: minute } });
  const schedule = await kit.schedule('often', { cron: '0 3 * * *', submit: { role: short } });
  await kit.submit(short);
  const asks = await kit.submit(parent);
  clock.advance(2 * minute);
  await expect(kit.submit(short)).rejects.toThrow(QueueOverloadedError);
  await kit.submit(parent);
  const byHand = await kit.job(await schedule.runNow());
  await kit.runUntilIdle();
  expect([await asks.result(), await byHand.result()]).toEqual([1, 1]);
});

it('refuses options that make no sense', async () => {
  for (const maxQueueAge of [0, 1.5, 'long', null, { short: -1 }])
    await expect(Statek.open({ store: 'memory:', maxQueueAge: maxQueueAge as never })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
});

describe('over HTTP', () => {
  async function serving(): Promise<{ api: StatekServer; kit: Statek; clock: ManualClock }> {
    const clock = new ManualClock(start);
    const clerk = new DialogAgent({ role: 'clerk', metadata: { MODEL: 'script' }, sendMessage: async () => undefined });
    const models = new Models({ models: { script: scriptedModel(['Hello.']) } });
    const kit = await openKit({ clock, drivers, agents: [clerk], models, maxQueueAge: minute });
    const api = server(kit, { authorize: () => ({ name: 'me', rights: ['read', 'answer', 'control'] }) });
    return { api, kit, clock };
  }

  const send = async (api: StatekServer, method: string, path: string, body?: unknown): Promise<Response> =>
    api.fetch(
      new Request(`http://localhost/v1/${path}`, {
        method,
        headers: { host: 'localhost', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );

  it('says when to try again, and is ready for everything else', async () => {
    const { api, kit, clock } = await serving();
    await kit.submit(short, { id: 'a' });
    await kit.submit('clerk', { id: 'talk', message: 'Hi.' });
    clock.advance(minute + 5000);
    const refused = [
      await send(api, 'POST', 'jobs', { role: 'short' }),
      await send(api, 'PUT', 'jobs/new', { role: 'short' }),
      await send(api, 'POST', 'queues/short', { event: 1 }),
      await send(api, 'POST', 'chat/clerk', {
        id: 'other',
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
      }),
    ];
    for (const response of refused) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toMatchObject({
        code: 'QUEUE_OVERLOADED',
        details: { waitedMilliseconds: 65_000 },
      });
    }
    // A request that is sent again is answered, and what is there can be looked at and decided.
    expect((await send(api, 'PUT', 'jobs/a', { role: 'short' })).status).toBe(200);
    expect((await send(api, 'GET', 'health/ready')).status).toBe(200);
    expect((await send(api, 'POST', 'jobs/talk/say', { message: 'Are you there?' })).status).toBe(200);
    const metrics = await (await send(api, 'GET', 'metrics')).text();
    expect(metrics).toContain('statek_queue_waiting_seconds{role="short"} 65\n');
    expect(metrics).toContain('statek_queue_waiting_seconds{role="other"} 0\n');
    const { queues } = (await (await send(api, 'GET', 'queues')).json()) as { queues: { role: string }[] };
    expect(queues.find(({ role }) => role === 'short')).toMatchObject({ waitingMilliseconds: 65_000 });
    await kit.runUntilIdle();
    clock.advance(1000);
    expect((await send(api, 'POST', 'jobs', { role: 'short' })).status).toBe(201);
  });
});
