// Agents that start agents: waited for, as subtasks that report back, and through queues.
import { expect, it } from 'vitest';
import { Models, tool } from '../../src/index.ts';
import { ManualClock, scriptedModel, type ScriptStep } from '../../src/testing.ts';
import { agentWith, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

function casting(scripts: Readonly<Record<string, readonly ScriptStep[]>>) {
  const models = Object.fromEntries(
    Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script, { name })]),
  );
  return { models, all: new Models({ models, env: {}, retry: { attempts: 1 } }) };
}

it('waits for the result of a child, which gets only the variables it is passed', async () => {
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' } });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' } });
  const { all, models } = casting({
    boss: [
      ts(
        'const secret = 1;',
        'const answer = await delegate("clerk", { vars: { n: 4 }, message: "Double n", warmup: "print(n)" });',
        'print(answer)',
      ),
      ts('exit(answer)'),
    ],
    clerk: [ts('exit([n * 2, typeof secret])')],
  });
  const { kit } = await stage([boss, clerk], [], { models: all });
  const job = await kit.submit(boss, { id: 'b', message: 'Go.' });
  expect(await job.result()).toEqual([8, 'undefined']);
  const [child] = await kit.jobs({ role: 'clerk' });
  expect([child?.parent, child?.outcome]).toEqual(['b', 'completed']);
  expect(JSON.stringify(models['clerk']?.requests[0]?.messages)).toContain('Double n');
  expect(JSON.stringify(models['clerk']?.requests[0]?.messages)).toContain('print(n)');
});

it('tells the parent why a child failed', async () => {
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' } });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' } });
  const { all, models } = casting({
    boss: [ts('await delegate("clerk")'), ts('exit("gave up")')],
    clerk: [ts('fail("no paper")')],
  });
  const { kit } = await stage([boss, clerk], [], { models: all });
  expect(await (await kit.submit(boss, { message: 'Go.' })).result()).toBe('gave up');
  expect(JSON.stringify(models['boss']?.requests[1]?.messages.at(-1))).toContain('no paper');
});

it('receives a notice when a subtask ends, and starts again for it', async () => {
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' }, chatStyle: 'MD_DIALOG' });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' } });
  const { all, models } = casting({
    boss: [ts('const task = await startSubtask("clerk", { message: "Find it" });'), 'I have asked.', 'It is 42.'],
    clerk: [ts('const n = await ask("Which?")'), ts('exit(n)')],
  });
  const { kit } = await stage([boss, clerk], [], { models: all });
  const job = await kit.submit(boss, { id: 'b', message: 'Find it.' });
  await kit.runUntilIdle();
  expect([(await job.refresh()).status, await job.result()]).toEqual(['DONE', 'I have asked.']);
  const [child] = await kit.jobs({ role: 'clerk' });
  await kit.answer((await child?.waiting())?.[0]?.id ?? '', 42);
  await kit.runUntilIdle();
  expect(await job.result()).toBe('It is 42.');
  expect(models['boss']?.requests[2]?.messages.at(-1)).toMatchObject({
    role: 'system',
    content: expect.stringMatching(/^The subtask b\.\d+ has ended \(completed\): 42$/) as unknown,
  });
});

it('has handles of subtasks with id, state, result and error', async () => {
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' }, chatStyle: 'MD_DIALOG' });
  const clerks = ['good', 'bad'].map((role) => agentWith({ role, metadata: { MODEL: role } }));
  const { all } = casting({
    boss: [
      ts(
        'const [good, bad] = [await startSubtask("good"), await startSubtask("bad")];',
        'print(good.id, good.state, bad.id)',
      ),
      'Both have begun.',
      ts('globalThis.seen = [await findSubtask(good), await findSubtask(bad.id), await findSubtask("nothing")];'),
      'Both are over.',
    ],
    good: [ts('exit({ found: 3 })')],
    bad: [ts('fail("no paper")')],
  });
  const { kit } = await stage([boss, ...clerks], [], { models: all });
  const job = await kit.submit(boss, { id: 'b', message: 'Go.' });
  await kit.runUntilIdle();
  expect(await job.console()).toEqual(['b.1 READY b.2']);
  expect(await job.local('seen')).toEqual([
    { id: 'b.1', state: 'DONE', outcome: 'completed', result: { found: 3 } },
    { id: 'b.2', state: 'DONE', outcome: 'failed', error: 'no paper' },
    undefined,
  ]);
});

it('works on the events of an agent in the order in which they came', async () => {
  const agent = agentWith({ role: 'desk' });
  const seen: unknown[] = [];
  const note = tool({ name: 'note', execute: (input: unknown) => void seen.push(input) });
  const clerk = agentWith({ role: 'clerk', tools: [note] });
  const count = 12;
  const { kit } = await stage(
    [agent, clerk],
    Array.from({ length: count }, () => ts('note(event); exit()')),
    {
      clock: new ManualClock(1000),
    },
  );
  // All of them in the same millisecond.
  const jobs = [];
  for (let event = 0; event < count; event++) jobs.push(await kit.enqueue(clerk, event));
  const worker = kit.start({ concurrency: 1 });
  await Promise.all(jobs.map((job) => job.result()));
  await worker.stop();
  expect(seen).toEqual(Array.from({ length: count }, (_, event) => event));
});

it('passes on its language and those who clean up', async () => {
  const failures: string[] = [];
  const book = tool({ name: 'book', execute: () => 1, onJobError: ({ job }) => failures.push(job) });
  const boss = agentWith({ role: 'boss', metadata: { MODEL: 'boss' }, tools: [book] });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' } });
  const { all } = casting({
    boss: [ts('await delegate("clerk").catch(() => 0)'), ts('exit()')],
    clerk: [ts('fail("x")')],
  });
  const { kit } = await stage([boss, clerk], [], { models: all });
  await (await kit.submit(boss, { id: 'b', message: 'Go.', locale: 'pl' })).result();
  const [child] = await kit.jobs({ role: 'clerk' });
  expect(failures).toEqual([child?.id]);
  expect((await child?.definition())?.locale).toBe('pl');
});

it('makes a job of an event, whose warmup gets it', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG' });
  const { kit, model } = await stage([agent], ['Noted.']);
  const job = await kit.enqueue(agent, { room: 7 }, { warmup: 'print("Room", event.room)' });
  expect(await job.result()).toBe('Noted.');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('Room 7');
});
