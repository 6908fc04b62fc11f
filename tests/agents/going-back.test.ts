// A commit holds everything: going back to it, or forking there, takes variables, console and conversation to one moment.
import { expect, it } from 'vitest';
import { tool } from '../../src/index.ts';
import type { ModelRequest } from '../../src/models.ts';
import { jobPastRows } from '../../src/jobs/rows.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { py, ts } from './support/fences.ts';

const shown = (request: Pick<ModelRequest, 'messages'> | undefined): string =>
  JSON.stringify(request?.messages.slice(1));

it.each([
  ['typescript', ts('let n = 1; print("one")'), ts('n = 2; print("two")'), ts('exit(n)')],
  ['python', py('n = 1', 'print("one")'), py('n = 2', 'print("two")'), py('exit(n)')],
] as const)('takes the conversation back with the variables: %s', async (language, one, two, end) => {
  const { kit, job, model } = await played({ language }, [one, two, end, end]);
  expect(job.outcome).toBe('completed');
  const first = (await job.chat()).find((item) => item.kind === 'step' && item.console.includes('one'));
  await job.rollback((first?.kind === 'step' && first.commit) || '');
  expect(JSON.stringify(await job.chat())).not.toContain('two');
  expect(JSON.stringify(await job.chat({ undone: true }))).toContain('two');
  expect(await job.console()).toEqual(['one']);
  await job.say('Again.');
  expect(await job.result()).toBe(1);
  const request = shown(model.requests.at(-1));
  expect([request.includes('one'), request.includes('two'), request.includes('Again.')]).toEqual([true, false, true]);
  // Nothing was done that could not be taken back, so there is nothing to tell.
  expect(request).not.toContain('taken back');
  expect(shown(await job.request(3))).toContain('two');
  await kit.close();
});

it('names what was done since and cannot be taken back', async () => {
  const send = tool({ name: 'send', description: 'Sends.', effect: true, execute: () => 'sent' });
  const { job, model, kit } = await played({ tools: [send] }, [
    ts('let n = 1'),
    ts('await send(); await send(); n = 2'),
    ts('exit(n)'),
    ts('exit(n)'),
  ]);
  const commits = await job.commits();
  const first = commits.findLast(({ kind }) => kind === 'step');
  await job.rollback(first?.hash ?? '');
  await job.say('Again.');
  expect(await job.result()).toBe(1);
  expect(shown(model.requests.at(-1))).toMatch(/cannot be taken back.*send.*2 times/);
  const names = async (from: typeof job, options = {}): Promise<readonly string[]> =>
    (await from.calls(options)).filter(({ by }) => by === 'program').map(({ name }) => name);
  expect(await names(job)).toEqual([]);
  expect(await names(job, { undone: true })).toEqual(['helper.send(…)', 'helper.send(…)']);
  // Going forward again: the conversation of that commit is there as it was.
  await job.rollback(commits[0]?.hash ?? '');
  expect(JSON.stringify(await job.chat())).toContain('n = 2');
  expect(await job.locals()).toMatchObject({ n: 2 });
  expect(await names(job)).toHaveLength(2);
  const fork = await job.fork(commits[0]?.hash ?? '');
  expect(await names(fork)).toHaveLength(2);
  expect(await names(await job.fork(first?.hash ?? ''))).toEqual([]);
  await kit.close();
});

it('goes on with a step that was under way, as the part of its reply that it was', async () => {
  const { job, kit, model } = await played({}, [
    `${ts('let who = await ask("Who?"); print(who)')}\n${ts('print("then")')}`,
    ts('exit(who)'),
    ts('exit(who)'),
  ]);
  const [waiting] = await job.commits();
  await kit.answer((await job.waiting())[0]?.id ?? '', 'Ann');
  expect(await job.result()).toBe('Ann');
  await job.rollback(waiting?.hash ?? '');
  // What was answered once is not asked again.
  expect(await job.result()).toBe('Ann');
  expect(lastMessage(model, 3)).toContain('Ann\nthen');
});

it('forks into a job of the same agent that goes on by itself', async () => {
  const { kit, job, model } = await played({}, [
    ts('let n = 1; print("one")'),
    ts('n = 2; print("two")'),
    ts('exit(n)'),
    ts('n += 10; exit(n)'),
    ts('exit(n)'),
  ]);
  const first = (await job.chat()).find((item) => item.kind === 'step');
  const fork = await job.fork((first?.kind === 'step' && first.commit) || '', 'other');
  expect([fork.id, fork.role, await fork.locals()]).toEqual(['other', 'helper', { n: 1 }]);
  expect(await fork.console()).toEqual(['one']);
  expect((await fork.chat()).filter(({ kind }) => kind !== 'rollback').length).toBe(3);
  await fork.say('Differently.');
  expect(await fork.result()).toBe(11);
  const request = shown(model.requests.at(-1));
  expect([request.includes('one'), request.includes('two'), request.includes('Differently.')]).toEqual([
    true,
    false,
    true,
  ]);
  await job.refresh();
  expect([await job.result(), await job.locals()]).toEqual([2, { n: 2 }]);
  // The fork can go back to what it has in common with the job.
  await fork.rollback((first?.kind === 'step' && first.commit) || '');
  await fork.say('Once more.');
  expect(await fork.result()).toBe(1);
  await expect(job.fork(undefined, 'other')).rejects.toThrow(/other/);
  await fork.delete();
  expect((await kit.job(job.id)).outcome).toBe('completed');
});

it('shares what it waits for with a fork, which goes on with it', async () => {
  const { kit, job } = await played({}, [
    ts('const who = await ask("Who?"); who'),
    ts('exit(who + 1)'),
    ts('exit(who + 2)'),
  ]);
  const fork = await job.fork();
  await kit.answer((await job.waiting())[0]?.id ?? '', 'Ann');
  expect(new Set([await job.result(), await fork.result()])).toEqual(new Set(['Ann1', 'Ann2']));
});

it('takes the conversation back to a commit of which nothing else was recorded', async () => {
  const { kit, job, model } = await played({}, [
    ts('let n = 1; print("one")'),
    ts('n = 2; print("two")'),
    ts('exit(n)'),
    ts('exit(n)'),
  ]);
  const first = (await job.chat()).find((item) => item.kind === 'step');
  for (const { key } of (await kit.store.scan(jobPastRows, {})).entries)
    await kit.store.commit([{ writes: [{ kind: 'remove', collection: jobPastRows, key }] }]);
  await job.rollback((first?.kind === 'step' && first.commit) || '');
  await job.say('Again.');
  expect(await job.result()).toBe(1);
  const request = shown(model.requests.at(-1));
  expect([request.includes('one'), request.includes('two')]).toEqual([true, false]);
});

it('rolls back the one job that has the turn in a given workspace, and no other', async () => {
  const agent = agentWith();
  const { kit } = await stage(
    [agent],
    [ts('globalThis.n = 1; exit(n)'), ts('n = 2; print("two")'), ts('n = 3; await ask("Go on?")'), ts('exit(n)')],
  );
  const first = await kit.submit(agent, { workspace: 'w', message: 'One.' });
  await first.result();
  const [before] = await first.commits();
  const second = await kit.submit(agent, { workspace: 'w', message: 'Two.' });
  await kit.runUntilIdle();
  const two = (await second.chat()).find((item) => item.kind === 'step' && item.console.includes('two'));
  await expect(second.rollback(before?.hash ?? '')).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
  await expect(first.rollback(before?.hash ?? '')).rejects.toMatchObject({ code: 'JOB_STATE' });
  await second.rollback((two?.kind === 'step' && two.commit) || '');
  await second.say('Go on.');
  expect(await second.result()).toBe(2);
});
