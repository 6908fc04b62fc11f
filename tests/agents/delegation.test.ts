// Agents that start agents: waited for, as subtasks that report back, and through queues.
import { expect, it } from 'vitest';
import { Models, tool } from '../../src/index.ts';
import { scriptedModel, type ScriptStep } from '../../src/testing.ts';
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

it('is told of the end of a subtask, and starts again for it', async () => {
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
