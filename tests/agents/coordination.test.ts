// Agents that work through others.
import { expect, it, onTestFinished } from 'vitest';
import { Coordinator, InvalidOptionError, MessageDispatcher, Models, openStore, Researcher } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { agentWith, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

const modelsOf = (scripts: Readonly<Record<string, readonly string[]>>): Models =>
  new Models({
    models: Object.fromEntries(
      Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script, { name })]),
    ),
    env: {},
  });

it('finds agents and delegates to them', async () => {
  const boss = new Coordinator({ role: 'boss', metadata: { MODEL: 'boss' } });
  const clerk = agentWith({ role: 'clerk', description: 'Keeps the files', metadata: { MODEL: 'clerk' } });
  const models = modelsOf({
    boss: [
      ts(
        'const [who] = findAgents("files");',
        'exit([who.role, findAgents().length, await delegate(who.role, { message: "x" })])',
      ),
    ],
    clerk: [ts('exit("filed")')],
  });
  const { kit } = await stage([boss, clerk], [], { models });
  expect(await (await kit.submit(boss, { message: 'x' })).result()).toEqual(['clerk', 1, 'filed']);
});

it('finds agents of other processes, also of those that come later', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const boss = new Coordinator({ role: 'boss', metadata: { MODEL: 'boss' } });
  const models = modelsOf({
    boss: [
      ts(
        'while (findAgents("files").length === 0) await sleep(5);',
        'exit([findAgents("files"), await delegate("clerk", { message: "x" })])',
      ),
    ],
    clerk: [ts('exit("filed")')],
  });
  const { kit } = await stage([boss], [], { store, models });
  kit.start();
  const job = await kit.submit(boss, { message: 'x' });
  const clerk = agentWith({ role: 'clerk', description: 'Keeps the files', metadata: { MODEL: 'clerk' } });
  const { kit: other } = await stage([clerk], [], { store, models });
  other.start();
  expect(await job.result()).toEqual([[{ role: 'clerk', description: 'Keeps the files', capabilities: [] }], 'filed']);
});

it('submits to agents of other processes', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  // A process that takes requests, and has no agents itself.
  const { kit } = await stage([], [], { store });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' } });
  const models = modelsOf({ clerk: [ts('exit([greeting, await ask("Go on?")])')] });
  const { kit: other } = await stage([clerk], [], { store, models });
  other.start();
  const job = await kit.submit('clerk', {
    id: 'far',
    message: 'x',
    warmup: 'const greeting = "hello " + who',
    vars: { who: 'you' },
  });
  for (;;) {
    const [question] = await job.waiting();
    if (question !== undefined) {
      await kit.answer(question.id, 'yes');
      break;
    }
    await new Promise(setImmediate);
  }
  expect(await job.result()).toEqual(['hello you', 'yes']);
  expect((await job.chat()).map(({ kind }) => kind)).toContain('reply');
  await expect(kit.submit('nobody')).rejects.toThrow(/no driver of the role 'nobody'/);
  await expect(kit.submit('clerk', { colour: 'red' } as never)).rejects.toThrow(InvalidOptionError);
});

it('answers as a researcher', async () => {
  const researcher = new Researcher({ role: 'r', metadata: { MODEL: 'r' } });
  const { kit } = await stage([researcher], [], {
    models: modelsOf({ r: [ts('const n = await ask("How many?")'), ts('answer(n * 2)')] }),
  });
  const job = await kit.submit(researcher, { message: 'x' });
  await kit.runUntilIdle();
  await kit.answer((await job.waiting())[0]?.id ?? '', 4);
  expect(await job.result()).toBe(8);
});

it('reads, starts and continues conversations one by one', async () => {
  const dispatcher = new MessageDispatcher({ role: 'd', metadata: { MODEL: 'd' } });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' }, chatStyle: 'MD_DIALOG' });
  const models = modelsOf({
    d: [
      ts('const thread = await startNewThread("clerk", "Hello");'),
      ts('await signal("answered"); print(await chatHistory(thread));', 'await dispatchTo(thread, "And?");'),
      ts('await signal("answered"); print(await chatHistory(thread, { limit: 1 }));'),
      ts('exit(await startNewThread("nobody", "x").catch((error) => error.message))'),
    ],
    clerk: ['Hi.', 'Well.'],
  });
  const { kit } = await stage([dispatcher, clerk], [], { models });
  const job = await kit.submit(dispatcher, { message: 'x' });
  for (const _ of [1, 2]) {
    await kit.runUntilIdle();
    await kit.signal('answered');
  }
  expect(await job.result()).toBe("There is no agent 'nobody'; findAgents() tells which there are.");
  expect(await job.console()).toEqual(['user: Hello\nagent: Hi.', 'user: And?\nagent: Well.']);
});

it('hands messages to conversations', async () => {
  const dispatcher = new MessageDispatcher({ role: 'd', metadata: { MODEL: 'd' } });
  const clerk = agentWith({ role: 'clerk', metadata: { MODEL: 'clerk' }, chatStyle: 'MD_DIALOG' });
  const models = modelsOf({
    d: [
      ts('const thread = await startNewThread("clerk", "Hello");', 'await dispatchTo(thread, "And?");'),
      ts('exit(thread)'),
    ],
    clerk: ['Hi.', 'Well.'],
  });
  const { kit } = await stage([dispatcher, clerk], [], { models });
  const job = await kit.submit(dispatcher, { message: 'x' });
  const thread = String(await job.result());
  await kit.runUntilIdle();
  const said = await (await kit.job(thread)).dialog();
  expect(said.flatMap(({ message, answers }) => [message, ...answers])).toEqual(
    expect.arrayContaining(['Hello', 'And?']),
  );
});
