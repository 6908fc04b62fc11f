// Calls that agents make, seen through kit.tools: in both languages, synchronous tools too, and cached answers.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, program, Statek, tool } from '../../src/index.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { ToolExecutionStatus } from '../../src/state.ts';
import { recordCollection } from '../../src/store/collection.ts';
import { agentWith, stage } from '../agents/support/agents.ts';

const fences = { typescript: 'ts', python: 'python' } as const;

describe.each(['typescript', 'python'] as const)('%s', (language) => {
  const block = (typescript: string, python: string): string =>
    `\`\`\`${fences[language]}\n${language === 'python' ? python : typescript}\n\`\`\``;

  it('lists what agents called, with what it was given and returned', async () => {
    const price = tool({ name: 'price', execute: ({ room }: { room: string }) => room.length });
    const book = tool({
      name: 'book',
      execute: async ({ room }: { room: string }) => {
        if (room === 'none') throw new Error('no such room');
        return { booked: room };
      },
    });
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language, tools: [price, book] });
    const { kit } = await stage(
      [agent],
      [
        block(
          "const p = price({ room: 'red' }); const one = await book({ room: 'red' }); try { await book({ room: 'none' }) } catch {}",
          "p = price(room='red')\none = book(room='red')\ntry:\n    book(room='none')\nexcept Exception:\n    pass",
        ),
        'Done.',
      ],
    );
    const job = await kit.submit(agent, { message: 'Please.' });
    await job.result();
    const { executions } = await kit.tools.getExecutionHistory();
    const listed = executions.map(({ toolName, status, role, jobId }) => `${toolName} ${status} ${role} ${jobId}`);
    expect(new Set(listed)).toEqual(
      new Set([`book completed helper ${job.id}`, `book failed helper ${job.id}`, `price completed helper ${job.id}`]),
    );
    expect(listed).toHaveLength(3);
    const booked = executions.find(({ result }) => result !== undefined && typeof result === 'object');
    expect(booked).toMatchObject({ toolName: 'book', parameters: { room: 'red' }, result: { booked: 'red' } });
    expect(executions.find(({ status }) => status === 'failed')?.error).toContain('no such room');
    expect(executions.find(({ toolName }) => toolName === 'price')).toMatchObject({
      parameters: { room: 'red' },
      result: 3,
    });
    expect(await kit.tools.getExecution(booked?.executionId ?? '')).toMatchObject({
      status: 'completed',
      role: 'helper',
    });
    expect(await kit.tools.getToolStats('book')).toMatchObject({
      totalExecutions: 2,
      successRate: 0.5,
      errorRate: 0.5,
    });
    expect(await kit.tools.getToolStats('price', { role: 'helper' })).toMatchObject({
      totalExecutions: 1,
      completed: 1,
    });
    expect(await kit.tools.getToolStats('price', { role: 'other' })).toMatchObject({ totalExecutions: 0 });
    // What the journal has is what is counted.
    expect((await job.calls()).filter(({ by }) => by === 'program')).toHaveLength(3);
  });

  it('answers from the cache, which is a call of its own', async () => {
    let calls = 0;
    const search = tool({
      name: 'search',
      // Not async: a cached call is recorded all the same.
      execute: ({ query }: { query: { a: number; b: number } }) => `${query.a}${query.b} ${++calls}`,
      cache: { ttl: 60_000, scope: 'kit', version: 2 },
    });
    const agent = agentWith({ chatStyle: 'MD_DIALOG', language, tools: [search] });
    const { kit } = await stage(
      [agent],
      [
        block('const first = await search({ query: { a: 1, b: 2 } })', "first = search(query={'a': 1, 'b': 2})"),
        'One.',
        block('const first = await search({ query: { b: 2, a: 1 } })', "first = search(query={'b': 2, 'a': 1})"),
        'Two.',
      ],
    );
    const one = await kit.submit(agent, { message: 'Please.' });
    await one.result();
    const two = await kit.submit(agent, { message: 'Please.' });
    await two.result();
    expect([await one.local('first'), await two.local('first'), calls]).toEqual(['12 1', '12 1', 1]);
    expect((await two.calls()).find(({ by }) => by === 'program')?.cached).toBe(true);
    expect(await kit.tools.getToolStats('search')).toMatchObject({
      totalExecutions: 2,
      cacheHits: 1,
      cacheHitRate: 0.5,
    });
    expect(await kit.tools.invalidateCache('search')).toBe(1);
  });
});

it('counts calls that the journal of a slice has no room for', async () => {
  const tick = tool({ name: 'tick', execute: () => undefined });
  const agent = agentWith({ chatStyle: 'MD_DIALOG', tools: [tick] });
  const { kit } = await stage([agent], ['```ts\nfor (let i = 0; i < 250; i++) tick()\n```', 'Done.']);
  await (await kit.submit(agent, { message: 'Please.' })).result();
  expect((await kit.tools.getToolStats('tick')).totalExecutions).toBe(250);
});

it('refuses a cache on a tool whose calls are not recorded', () => {
  expect(() => tool({ name: 'now', effect: false, cache: { ttl: 1 }, execute: () => 1 })).toThrow('cache');
});

it('shows the calls of a second kit in the same process, and keeps kits with other stores apart', async () => {
  const add = tool({ name: 'add', execute: async ({ to }: { to: number }) => to + 1 });
  const agent = agentWith({ chatStyle: 'MD_DIALOG', tools: [add] });
  const { kit } = await stage([agent], ['```ts\nawait add({ to: 1 })\n```', 'Done.']);
  await (await kit.submit(agent, { message: 'Please.' })).result();
  const second = await Statek.open({ store: kit.store });
  expect((await second.tools.getToolStats('add')).totalExecutions).toBe(1);
  expect((await second.tools.getExecutionHistory()).executions).toHaveLength(1);
  expect((await kit.tools.getToolStats('add')).totalExecutions).toBe(1);
  await second.close();
  const other = await Statek.open({ store: 'memory:' });
  expect((await other.tools.getToolStats('add')).totalExecutions).toBe(0);
  await other.close();
});

it('says of a call that its outcome is unknown, and counts it as an error', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const begun = Promise.withResolvers<void>();
  const pay = tool({ name: 'pay', execute: async () => new Promise(() => begun.resolve()) });
  const code = program({ role: 'code', source: 'await pay(1).catch((error) => error.code)' });
  const first = await Statek.open({ store, drivers: [code], services: { pay } });
  const { id } = await first.submit(code, { vars: { pay } });
  const worker = first.start();
  await begun.promise;
  await worker.stop({ graceMilliseconds: 0 });
  await first.close({ graceMilliseconds: 0 });
  const second = await Statek.open({ store, drivers: [code], services: { pay } });
  onTestFinished(() => second.close());
  expect(await (await second.job(id)).result()).toBe('OUTCOME_UNKNOWN');
  const { executions } = await second.tools.getExecutionHistory({ toolName: 'pay' });
  expect(executions).toMatchObject([{ status: ToolExecutionStatus.UNKNOWN, jobId: id }]);
  expect((await second.tools.getExecution(executions[0]?.executionId ?? ''))?.status).toBe(ToolExecutionStatus.UNKNOWN);
  expect(await second.tools.getToolStats('pay')).toMatchObject({ totalExecutions: 1, unknown: 1, errorRate: 1 });
});

it('logs the calls of synchronous tools in the commit of their slice', async () => {
  const add = tool({ name: 'add', execute: ({ to }: { to: number }) => to + 1 });
  const code = program({ role: 'code', source: (source) => String(source) });
  const kit = await Statek.open({ store: 'memory:', drivers: [code], services: { add } });
  onTestFinished(() => kit.close());
  const revisionsOf = async (source: string): Promise<number> => {
    const before = await kit.store.revision();
    await (await kit.submit(code, { input: source, vars: { add } })).result();
    return (await kit.store.revision()) - before;
  };
  const without = await revisionsOf('1 + 1');
  expect(await revisionsOf('add({ to: 1 }) + add({ to: 2 })')).toBe(without);
  expect(await kit.tools.getToolStats('add')).toMatchObject({ totalExecutions: 2 });
});

it('removes cached results that have expired, those of agents and those of an application', async () => {
  const clock = new ManualClock(1_000_000);
  const price = tool({ name: 'price', execute: async (room: number) => room, cache: { ttl: 60_000, scope: 'kit' } });
  const code = program({ role: 'code', source: (room) => `await price(${String(room)})` });
  const kit = await Statek.open({ store: 'memory:', clock, drivers: [code], services: { price } });
  onTestFinished(() => kit.close());
  const ask = async (room: number): Promise<unknown> =>
    (await kit.submit(code, { input: room, vars: { price } })).result();
  await ask(1);
  await kit.tools.cacheResult({ toolName: 'search', parameters: 1, result: 'one', ttl: 60 });
  clock.advance(30_000);
  await ask(2);
  clock.advance(30_000);
  const count = async (name: string): Promise<number> => {
    const found = recordCollection(name);
    await kit.store.declare(found);
    return (await kit.store.scan(found, {})).entries.length;
  };
  expect(await count('call_cache')).toBe(2);
  expect((await kit.gc()).rowsRemoved).toBe(1);
  expect(await count('call_cache')).toBe(1);
  // For a day, the cache tells what has expired from what never was.
  expect(await kit.tools.getCachedResult('search', 1)).toMatchObject({ status: 'expired' });
  clock.advance(24 * 3_600_000);
  expect((await kit.gc()).rowsRemoved).toBe(2);
  expect(await kit.tools.getCachedResult('search', 1)).toMatchObject({ status: 'absent' });
  expect([await count('call_cache'), await count('state_tool_cache')]).toEqual([0, 0]);
});

it('lists calls as long as their job and its commits are there, and counts them for ever', async () => {
  const look = tool({ name: 'look', execute: async (n: number) => n });
  const add = tool({ name: 'add', execute: (n: number) => n + 1 });
  const code = program({ role: 'code', source: 'await look(1); add(2); await ask("?")' });
  const long = program({
    role: 'long',
    source: 'for (let n = 0; n < 30; n++) { await look(n); add(n); } await ask("?")',
  });
  const kit = await Statek.open({ store: 'memory:', drivers: [code, long], services: { look, add } });
  onTestFinished(() => kit.close());
  const vars = { look, add };
  for (const id of ['gone', 'stays']) await kit.submit(code, { id, labels: [`user:${id}`], vars });
  await kit.submit(long, { id: 'long', vars });
  await kit.runUntilIdle();
  const listed = async (job: string): Promise<number> =>
    (await kit.tools.getExecutionHistory({ limit: 1000 })).executions.filter(({ jobId }) => jobId === job).length;
  expect([await listed('gone'), await listed('stays'), await listed('long')]).toEqual([2, 2, 60]);
  await kit.gc();
  expect([await listed('gone'), await listed('stays'), await listed('long')]).toEqual([2, 2, 60]);

  const worker = kit.start();
  expect(await kit.forget({ label: 'user:gone' })).toMatchObject({ jobs: 1 });
  await worker.stop();
  await kit.gc({ retention: { last: 5 } });
  expect([await listed('gone'), await listed('stays')]).toEqual([0, 2]);
  expect(await listed('long')).toBeLessThan(20);
  expect(await listed('long')).toBeGreaterThan(0);
  expect(await kit.tools.getToolStats('look')).toMatchObject({ totalExecutions: 32 });
  // Nothing is left that leads to them, and what is reported by hand stays.
  const { executionId } = await kit.tools.startExecution({ toolName: 'look' });
  await kit.tools.completeExecution(executionId, { result: 1 });
  await kit.gc();
  expect((await kit.tools.getExecution(executionId))?.status).toBe(ToolExecutionStatus.COMPLETED);
  const index = recordCollection('state_tool_index');
  await kit.store.declare(index);
  const rows = (await kit.store.scan(index, {})).entries.map(({ key }) => JSON.stringify(key));
  expect(rows.filter((key) => key.includes('gone'))).toEqual([]);
  expect(rows.length).toBe(2 * (3 + (await listed('long'))));
});
