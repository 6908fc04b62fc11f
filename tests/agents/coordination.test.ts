// Agents that work through others.
import { expect, it } from 'vitest';
import { Coordinator, MessageDispatcher, Models, Researcher } from '../../src/index.ts';
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
