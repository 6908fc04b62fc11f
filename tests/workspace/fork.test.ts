// Forks start at a commit and share what was pending there; no call is made twice.
import { expect, it } from 'vitest';
import { openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';

it('starts at a commit and goes its own way', async () => {
  const workspace = await openWorkspace({ vars: { helper: { name: () => 'helper' } } });
  const one = await workspace.run('const list = [1]; print("one");');
  await workspace.run('list.push(2); print("two");');
  const fork = await workspace.fork(one.commit, 'branch');
  expect(fork.id).toBe('branch');
  expect(await valueOf(fork, 'print("branch"); list.push(99); [list, helper.name()]')).toEqual([[1, 99], 'helper']);
  expect(await valueOf(workspace, 'list')).toEqual([1, 2]);
  expect(await fork.console()).toEqual(['one', 'branch']);
  expect(await workspace.console()).toEqual(['one', 'two']);
  expect((await fork.commits()).map(({ kind }) => kind)).toEqual(['step', 'forked', 'step', 'variables', 'created']);
  expect((await fork.at(one.commit ?? '')).locals()).toMatchObject({ list: [1] });
});

it('forks the latest commit under a name of its own by default', async () => {
  const workspace = await openWorkspace();
  await workspace.run('let n = 7;');
  const [a, b] = await Promise.all([workspace.fork(), workspace.fork()]);
  expect(new Set([a.id, b.id, workspace.id]).size).toBe(3);
  expect(await valueOf(a, 'n')).toBe(7);
  await workspace.fork(undefined, 'taken');
  await expect(workspace.fork(undefined, 'taken')).rejects.toThrow(/taken/);
});

it('draws other random numbers than its origin', async () => {
  const workspace = await openWorkspace();
  await workspace.run('Math.random();');
  const fork = await workspace.fork();
  expect(await valueOf(fork, 'Math.random()')).not.toBe(await valueOf(workspace, 'Math.random()'));
});

it('shares a call that is under way: both get its outcome, and it is made once', async () => {
  const kit = await openKit();
  const gate = Promise.withResolvers<string>();
  let calls = 0;
  const pay = async (): Promise<string> => {
    calls++;
    return gate.promise;
  };
  const workspace = await kit.workspace('main', { vars: { pay } });
  const step = await workspace.run('const receipt = await pay(); receipt + "!"');
  const fork = await workspace.fork(step.commit, 'fork');
  const second = await fork.fork(undefined, 'fork of the fork');
  gate.resolve('paid');
  const steps = await Promise.all([workspace, fork, second].map((one) => one.settled()));
  expect(steps.map(({ value }) => value)).toEqual(['paid!', 'paid!', 'paid!']);
  expect(calls).toBe(1);
});

it('gets the outcome that is recorded, without the call being made again', async () => {
  const kit = await openKit();
  let calls = 0;
  const workspace = await kit.workspace('main', { vars: { pay: async () => ++calls } });
  const step = await workspace.run('print("before"); const n = await pay(); print("after"); n * 10');
  expect((await workspace.settled()).value).toBe(10);
  const fork = await workspace.fork(step.commit, 'again');
  expect(await fork.settled()).toMatchObject({ status: 'done', value: 10, console: ['before', 'after'] });
  expect(calls).toBe(1);
});

it('shares signals, questions and timers that are pending', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const step = await workspace.run('const answers = await Promise.all([signal("go"), ask("ok?")]); answers');
  const fork = await workspace.fork(step.commit, 'fork');
  await kit.signal('go', 'went');
  await kit.answer((await fork.waiting()).find(({ kind }) => kind === 'ask')?.id ?? '', 'yes');
  await kit.runUntilIdle();
  expect((await workspace.step(1)).value).toEqual(['went', 'yes']);
  expect((await fork.step(1)).value).toEqual(['went', 'yes']);
});

it('sees to a shared call that its origin has gone back from', async () => {
  const folder = storeFolder();
  const begun = Promise.withResolvers<void>();
  const bank = {
    pay: async (): Promise<void> => {
      begun.resolve();
      await new Promise(() => undefined);
    },
  };
  const first = await openKit({ store: folder, services: { bank } });
  const workspace = await first.workspace('main', { vars: { bank } });
  const before = await workspace.run('let n = 1;');
  await workspace.run('const how = await bank.pay().catch((error) => error.code); how');
  await workspace.fork(undefined, 'fork');
  await begun.promise;
  await workspace.rollback(before.commit ?? '');
  await first.close({ graceMilliseconds: 0 });

  const second = await openKit({ store: folder, services: { bank } });
  await second.runUntilIdle();
  expect((await (await second.workspace('fork')).settled()).value).toBe('OUTCOME_UNKNOWN');
});

it('tells of errors in functions its origin declared', async () => {
  const workspace = await openWorkspace();
  await workspace.run('function fail() {\n  throw new Error("deep");\n}');
  const fork = await workspace.fork();
  const { error } = await fork.run('\n\nfail()');
  expect(error).toMatchObject({ message: 'deep', line: 2 });
  expect(error?.stack).toMatch(/fail \(step 1:2:\d+\)\n.*\(step 2:3:1\)/);
});

it('can be opened by name in another process', async () => {
  const folder = storeFolder();
  const first = await openKit({ store: folder });
  const workspace = await first.workspace('main');
  await workspace.run('let n = 1; await signal("go"); ++n');
  await workspace.fork(undefined, 'fork');
  await first.close();
  const second = await openKit({ store: folder });
  await second.signal('go');
  await second.runUntilIdle();
  expect((await (await second.workspace('fork')).step(1)).value).toBe(2);
  const names: string[] = [];
  for await (const name of second.workspaces()) names.push(name);
  expect(names.toSorted()).toEqual(['fork', 'main']);
});
