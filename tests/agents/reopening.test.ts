// Jobs that were stopped, have ended or were taken back in the middle of something, and go on afterwards.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openStore, tool } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { py, ts } from './support/fences.ts';

it('goes on after an exit that was caught by code that waits', async () => {
  const { kit, model, job } = await played({}, [
    ts('let n = 1;', 'try { exit(n) } catch { await ask("Really?") }'),
    ts('exit(n + 1)'),
  ]);
  expect(await job.result()).toBe(1);
  await job.say('Again.');
  await kit.runUntilIdle();
  expect([(await job.refresh()).outcome, await job.result()]).toEqual(['completed', 2]);
  expect(await job.waiting()).toEqual([]);
  expect(lastMessage(model, 2)).toMatch(/Again\.$/);
});

it.each([
  ['TypeScript', 'typescript', ts('try { await ask("One?") } catch {}', 'await ask("Two?")'), ts('exit("on")')],
  ['Python', 'python', py('try:', '  ask("One?")', 'except BaseException:', '  ask("Two?")'), py('exit("on")')],
] as const)(
  'drops a clean-up in %s that does not end, and goes on when it is resumed',
  async (_, language, wait, exit) => {
    const clock = new ManualClock(1000);
    const { kit, job } = await played({ language }, [wait, exit], undefined, { clock });
    await job.cancel('Enough.');
    await kit.runUntilIdle();
    clock.advance(30_000);
    await kit.runUntilIdle();
    expect((await job.refresh()).outcome).toBe('cancelled');
    await job.resume();
    await kit.runUntilIdle();
    expect(await job.result()).toBe('on');
  },
);

it('tells a model that its code was stopped, and what was not run', async () => {
  const { kit, model, job } = await played({}, [
    `${ts('await ask("Who?")')}\nand\n${ts('print("second")')}`,
    ts('exit("on")'),
  ]);
  await job.cancel();
  await kit.runUntilIdle();
  await job.resume();
  await kit.runUntilIdle();
  expect(await job.result()).toBe('on');
  expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/stopped before this came to its end/);
  expect(lastMessage(model, 2)).toBe('The rest of your reply was neither run nor sent.');
});

it('never says of a call that was under way that it was not made', async () => {
  let paid = 0;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const pay = tool({
    name: 'pay',
    input: z.object({ euros: z.number() }),
    execute: async (_input, { abortSignal }) => {
      paid++;
      begin();
      await new Promise((resolve) => abortSignal.addEventListener('abort', resolve));
      return 'paid';
    },
  });
  const agent = agentWith({
    chatStyle: 'DIRECT',
    tools: [pay],
    metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'APPLICATION' },
  });
  const { kit, model } = await stage(
    [agent],
    [
      {
        toolCalls: [
          { name: 'pay', input: { euros: 5 } },
          { name: 'pay', input: { euros: 6 } },
        ],
      },
      'I stop here.',
    ],
  );
  const job = await kit.submit(agent, { message: 'Pay.' });
  const worker = kit.start();
  await begun;
  await job.cancel();
  await expect(job.result()).rejects.toThrow(/cancelled/);
  await job.resume();
  expect(await job.result()).toBe('I stop here.');
  await worker.stop();
  expect(paid).toBe(1);
  const results = model.requests[1]?.messages.at(-1)?.content as unknown as { output: string }[];
  expect(results[0]?.output).toMatch(/may have been made/);
  expect(results[1]?.output).toBe('This call was not made.');
});

it('asks a model to go on that has answered already', async () => {
  const { kit, model, job } = await played({ chatStyle: 'MD_DIALOG' }, ['Done.', 'Done again.']);
  expect(await job.result()).toBe('Done.');
  await job.resume();
  await kit.runUntilIdle();
  expect(await job.result()).toBe('Done again.');
  expect(lastMessage(model, 2)).toBe('Go on.');
});

it('goes on at once after it was rolled back, without the rest of the reply that was taken back', async () => {
  const { kit, job } = await played({}, [
    ts('let n = 1; print(n)'),
    `${ts('n = 2; await ask("Who?")')}\n${ts('n = 100')}`,
    ts('exit(n)'),
  ]);
  const [, first] = await job.commits();
  await job.rollback(first?.hash ?? '');
  await kit.runUntilIdle();
  expect((await job.refresh()).status).toBe('SUSPENDED');
  await job.say('Go on.');
  await kit.runUntilIdle();
  expect(await job.result()).toBe(1);
});

it('tells tools and children of a job that is deleted right after its end', async () => {
  const told: string[] = [];
  const book = tool({ name: 'book', execute: () => 1, onJobError: ({ job }) => void told.push(job) });
  const child = agentWith({ role: 'child' });
  const agent = agentWith({ tools: [book] });
  const { kit } = await stage(
    [agent, child],
    [ts('await delegate("child", { message: "Wait." })'), ts('await ask("Who?")')],
  );
  const job = await kit.submit(agent, { id: 'parent', message: 'Book.' });
  await kit.runUntilIdle();
  await job.cancel();
  const worker = kit.start();
  await expect(job.result()).rejects.toThrow(/cancelled/);
  await job.delete();
  await expect((await kit.job('parent.1')).result()).rejects.toThrow(/cancelled/);
  await worker.stop();
  await kit.runUntilIdle();
  await expect(kit.job('parent')).rejects.toThrow(/no job/);
  expect(told.toSorted()).toEqual(['parent', 'parent.1']);
});

it('is either deleted or started again, never half of both', async () => {
  const { kit, job } = await played({}, [ts('let n = 1; exit(n)'), ts('exit(n + 1)')]);
  const [deleted, said] = await Promise.allSettled([job.delete(), job.say('Again.')]);
  await kit.runUntilIdle();
  const found = await kit.job(job.id).then(
    (again) => again.result(),
    (error: unknown) => (error as { code: string }).code,
  );
  expect([
    ['fulfilled', 'rejected', 'NOT_FOUND'],
    ['rejected', 'fulfilled', 2],
  ]).toContainEqual([deleted.status, said.status, found]);
});

it('is started again by processes that know nothing of its agent: by a message, and by the end of a subtask', async () => {
  const store = await openStore('memory:');
  const parent = agentWith({ role: 'parent' });
  const child = agentWith({ role: 'child' });
  const { kit: front } = await stage([], [], { store });
  const { kit: first } = await stage(
    [parent],
    [ts('await startSubtask("child", { message: "Work." }); exit("first")'), ts('exit("woken")'), ts('exit("told")')],
    { store },
  );
  const { kit: second } = await stage([child], [ts('exit(await ask("How many?"))')], { store });
  const job = await front.submit('parent', { id: 'parent', message: 'Begin.' });
  await first.runUntilIdle();
  expect(await job.result()).toBe('first');
  await second.runUntilIdle();
  await front.answer('parent.1/1', 7);
  await second.runUntilIdle();
  await first.runUntilIdle();
  expect(await job.result()).toBe('woken');
  await job.say('More.');
  await first.runUntilIdle();
  expect(await job.result()).toBe('told');
});

it.each([
  ['TypeScript', 'typescript', ts],
  ['Python', 'python', py],
] as const)('ends as often as it is spoken to in %s, and waits for nothing afterwards', async (_, language, fenced) => {
  const times = 6;
  const { kit, job } = await played(
    { language, limits: { turns: 100 } },
    Array.from({ length: times }, (_unused, index) => fenced(`exit(${index})`)),
    undefined,
    { limits: { futures: 3 } },
  );
  for (let index = 1; index < times; index++) {
    await job.say('Again.');
    await kit.runUntilIdle();
  }
  expect(await job.result()).toBe(times - 1);
});

it('ends though its code waits for something that never comes after exit', async () => {
  const { kit, job } = await played({}, [
    ts('try { exit(1) } catch { await new Promise(() => undefined) }'),
    ts('exit(2)'),
  ]);
  expect(await job.result()).toBe(1);
  await job.say('Again.');
  await kit.runUntilIdle();
  expect(await job.result()).toBe(2);
});
