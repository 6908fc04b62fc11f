// Where the variables of tasks stay: looked at, compared, taken back and forked, for several agents at once.
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  Agent,
  events,
  InvalidOptionError,
  Live,
  Models,
  NotFoundError,
  program,
  Statek,
  Versioned,
  view,
} from '../../src/index.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { lastMessage } from './support/agents.ts';
import { ts } from './support/fences.ts';

function worker(role: string, script: readonly ScriptStep[]) {
  const models = new Models({ models: { m: scriptedModel(script) }, env: {}, retry: { attempts: 1 } });
  const agent = new Agent({ role, metadata: { MODEL: 'm' }, models });
  return { agent, work: agent.task({ input: z.any(), output: z.any(), description: `Work of ${role}.` }) };
}

it('keeps each agent’s variables in a namespace of one state', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const ann = worker('ann', [ts('globalThis.x = 1; exit(x)')]);
  const bob = worker('bob', [ts('exit(typeof x)'), ts('globalThis.x = 2; exit(x)')]);
  expect(await ann.work(0, { state })).toBe(1);
  expect(await bob.work(0, { state })).toBe('undefined');
  expect(await bob.work(0, { state })).toBe(2);
  expect([(await state.variables(ann.agent))['x'], (await state.variables(bob.agent))['x']]).toEqual([1, 2]);
});

it('looks at a commit, compares two, and goes back to one', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const { agent, work } = worker('ann', [
    ts('globalThis.list = [1]; globalThis.same = list; exit()'),
    ts('same.push(2); globalThis.more = { deep: [1] }; exit()'),
    ts('delete globalThis.more; exit(list.length)'),
    ts('exit([list.length, same === list, more.deep])'),
  ]);
  await work(0, { state });
  const [one] = await state.commits(agent);
  await work(0, { state });
  const [two] = await state.commits(agent);
  await work(0, { state });
  const [three] = await state.commits(agent);
  const [first, second, third] = [one, two, three].map((commit) => commit?.hash ?? '');
  expect((await state.checkout(first ?? '')).locals()['list']).toEqual([1]);
  // Changes through a second reference, in place, and deletions all count.
  const names = async (from = '', to = ''): Promise<unknown> =>
    (await state.diff(from, to)).filter(({ name }) => name !== 'input').map(({ name, change }) => [name, change]);
  expect(await names(first, second)).toEqual([
    ['list', 'changed'],
    ['more', 'added'],
    ['same', 'changed'],
  ]);
  expect(await names(second, third)).toEqual([['more', 'removed']]);
  await state.rollback(second ?? '');
  expect(await work(0, { state })).toEqual([2, true, [1]]);
  await expect(state.checkout('nothing')).rejects.toThrow(NotFoundError);
});

it('forks a state: both go on by themselves', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const ann = worker('ann', [
    ts('globalThis.n = 1; globalThis.twice = () => n * 2; exit(n)'),
    ts('n = 10; exit(n)'),
    ts('n += 1; exit(twice())'),
    ts('exit(n)'),
  ]);
  await ann.work(0, { state });
  const [begin] = await state.commits(ann.agent);
  await ann.work(0, { state });
  const fork = await state.fork(begin?.hash ?? '');
  onTestFinished(() => fork.close());
  expect(await ann.work(0, { state: fork })).toBe(4);
  expect(await ann.work(0, { state })).toBe(10);
  expect([(await fork.variables(ann.agent))['n'], (await state.variables(ann.agent))['n']]).toEqual([2, 10]);
});

it('shows all variables, or those of the last change', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const { work } = worker('ann', [ts('globalThis.a = 1; exit()'), ts('globalThis.b = 2; exit()')]);
  await work('first', { state });
  await work('second', { state });
  expect(await view(state, { focus: 'full' })).toEqual({ ann: { input: 'second', a: 1, b: 2 } });
  expect(await view(state)).toEqual({ ann: { b: 2 } });
  await expect(view(state, { focus: 'some' as never })).rejects.toThrow(InvalidOptionError);
  const live = Live();
  onTestFinished(() => live.close());
  const other = worker('bob', [ts('globalThis.c = 3; exit()')]);
  await other.work(1, { state: live });
  expect(await view(live, { focus: 'full' })).toEqual({ bob: { input: 1, c: 3 } });
});

it('tells what happened as events that can be told apart, each with its commit', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const { agent, work } = worker('ann', [`I add.\n${ts('print(1 + 1)')}`, ts('exit(2)'), ts('fail("no")')]);
  await work({ a: 1 }, { state });
  await work.run({ a: 2 }, { state });
  const all = await events(state);
  expect(all.map(({ kind }) => kind)).toEqual([
    'call',
    'action',
    'output',
    'action',
    'output',
    'success',
    'call',
    'action',
    'output',
    'fail',
  ]);
  const action = all.find((event) => event.kind === 'action');
  expect(action).toMatchObject({ agent: 'ann', turn: 1, code: ['print(1 + 1)'] });
  const commits = new Set((await state.commits(agent)).map(({ hash }) => hash));
  expect(all.filter(({ commit }) => commit === undefined || !commits.has(commit))).toEqual([]);
});

it('loses none of many calls on one state', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const { agent, work } = worker('ann', [
    ts('globalThis.seen = [input]; exit(input)'),
    ...Array.from({ length: 5 }, () => ts('seen.push(input); exit(input)')),
  ]);
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map((n) => work(n, { state })))).toEqual([1, 2, 3, 4, 5, 6]);
  expect((await state.variables(agent))['seen']).toEqual([1, 2, 3, 4, 5, 6]);
});

it('uses any object within a slice, and refuses to keep it, naming the variable', async () => {
  class Socket {
    ping(): string {
      return 'pong';
    }
  }
  const state = Versioned();
  onTestFinished(() => state.close());
  const model = scriptedModel([
    ts('print(connect().ping())', 'globalThis.line = 1;'),
    ts('line = connect();'),
    ts('exit()'),
  ]);
  const agent = new Agent({
    role: 'ann',
    metadata: { MODEL: 'm' },
    models: new Models({ models: { m: model }, env: {} }),
    tools: { connect: () => new Socket() },
  });
  const work = agent.task({ input: z.any(), output: z.any(), description: 'Work.' });
  await work(0, { state });
  expect(lastMessage(model, 2)).toBe('pong');
  expect(lastMessage(model, 3)).toMatch(/NotDurableError: .*line/);
  await expect(work({ socket: new Socket() }, { state })).rejects.toThrow('can be given data only');
});

it('finds a commit however many came after it, and a state beside however many jobs', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const state = Versioned(store);
  onTestFinished(() => state.close());
  const count = 'globalThis.n = 0; for (let i = 0; i < 150; i++) { n = i; await sleep(0); } exit(n)';
  const { agent, work } = worker('ann', [ts(count), ts('exit(n)')]);
  expect(await work(0, { state })).toBe(149);
  const filler = program({ role: 'filler', source: '1' });
  const kit = await Statek.open({ store, drivers: [filler] });
  await kit.submitAll(
    filler,
    Array.from({ length: 1100 }, () => ({})),
  );
  await kit.close();
  const all = await state.commits(agent, { limit: 1000 });
  const early = all.at(-10)?.hash ?? '';
  const n = (await state.checkout(early)).locals()['n'] as number;
  expect(n).toBeLessThan(20);
  expect(await view(state, { focus: 'full' })).toMatchObject({ ann: { n: 149 } });
  expect((await state.diff(early, all[0]?.hash ?? '')).map(({ name }) => name)).toContain('n');
  const fork = await state.fork(early);
  onTestFinished(() => fork.close());
  expect((await fork.variables(agent))['n']).toBe(n);
  await state.rollback(early);
  expect(await work(0, { state })).toBe(n);
});

it('shows a commit that was checked out, without tools', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const state = Versioned(store);
  onTestFinished(() => state.close());
  const { agent, work } = worker('ann', [ts('globalThis.a = 1; exit()'), ts('a = 2; exit()')]);
  await work('x', { state });
  const [first] = await state.commits(agent);
  await work('y', { state });
  expect(await view(await state.checkout(first?.hash ?? ''))).toEqual({ a: 1, input: 'x' });
  await expect(view(await state.checkout(first?.hash ?? ''), { focus: 'recent' as never })).rejects.toThrow(
    InvalidOptionError,
  );
  // A process that has not got the agent knows its tools as well.
  const reader = Versioned(store);
  onTestFinished(() => reader.close());
  expect(await view(reader, { focus: 'full' })).toEqual({ ann: { a: 2, input: 'y' } });
});

it('tells what happened while other calls wait for their turn', async () => {
  const state = Versioned();
  onTestFinished(() => state.close());
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const { work } = worker('ann', [
    async () => {
      begun.resolve();
      await release.promise;
      return ts('exit(1)');
    },
    ts('exit(2)'),
  ]);
  const first = work(0, { state });
  await begun.promise;
  const second = work(0, { state });
  await expect.poll(async () => (await events(state)).map(({ kind }) => kind)).toEqual(['call']);
  release.resolve();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect((await events(state)).filter(({ kind }) => kind === 'success')).toHaveLength(2);
});

it('opens its store again if that was out of reach, and ends for good when it is closed', async () => {
  let tries = 0;
  const state = Versioned({
    open: async () => {
      if (++tries <= 2) throw new StoreUnavailableError('The store is away.');
      return openStore('memory:');
    },
  });
  const { agent, work } = worker('ann', [ts('globalThis.n = 1; exit(n)')]);
  await expect(work(0, { state })).rejects.toThrow('The store is away.');
  await expect(events(state)).rejects.toThrow('The store is away.');
  expect(await work(0, { state })).toBe(1);
  for (const closed of [state, Live(), Versioned({ open: () => Promise.reject(new Error('never')) })]) {
    await closed.close();
    await closed.close();
    await expect(work(0, { state: closed })).rejects.toMatchObject({ code: 'KIT_CLOSED' });
    await expect(closed.variables(agent)).rejects.toMatchObject({ code: 'KIT_CLOSED' });
  }
});
