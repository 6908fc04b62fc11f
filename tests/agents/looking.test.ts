// What a job shows of itself: answers that were given, variables before any code, calls of every kind of tool.
import { expect, it } from 'vitest';
import { DialogAgent, tool } from '../../src/index.ts';
import { agentWith, played, stage } from './support/agents.ts';
import { py, ts } from './support/fences.ts';

it('has what was sent as its dialog, without code and drafts', async () => {
  const sent: string[] = [];
  const agent = new DialogAgent({
    role: 'talker',
    systemPrompt: 'You talk.',
    metadata: { MODEL: 'script' },
    sendMessage: (text: string) => void sent.push(text),
  });
  const { kit } = await stage([agent], [`Let me see.\n${ts('1 + 1')}`, 'It is 2.', 'You are welcome.']);
  const job = await kit.submit(agent, { message: 'What is 1 + 1?' });
  await kit.runUntilIdle();
  await job.say('Thank you.');
  await kit.runUntilIdle();
  expect((await job.dialog()).map(({ message, answers }) => [message, answers])).toEqual([
    ['What is 1 + 1?', ['Let me see.', 'It is 2.']],
    ['Thank you.', ['You are welcome.']],
  ]);
  expect(sent).toEqual(['Let me see.', 'It is 2.', 'You are welcome.']);
});

it('has replies that ended a turn as its dialog, if nobody sends them', async () => {
  const { job } = await played({ chatStyle: 'MD_DIALOG' }, [`Let me see.\n${ts('1 + 1')}`, 'It is 2.']);
  expect((await job.dialog()).map(({ answers }) => answers)).toEqual([['It is 2.']]);
});

it('tells a child, and a job that was submitted by its role, what variables it has', async () => {
  const child = agentWith({ role: 'child', systemPrompt: 'Variables: {shared_var_names}.\n{types}' });
  const parent = agentWith();
  const { kit, model } = await stage(
    [parent, child],
    [ts('exit(await delegate("child", { message: "x", vars: { total: 1, names: ["a"] } }))'), ts('exit(total)')],
  );
  const job = await kit.submit(parent, { message: 'x' });
  expect(await job.result()).toBe(1);
  const prompt = JSON.stringify(model.requests[1]?.messages[0]?.content);
  expect(prompt).toContain('Variables: total, names.');
  expect(prompt).toContain('total: number');
  expect(prompt).toContain('names: string[]');
});

it('shows the variables it was given before its first code', async () => {
  const agent = agentWith();
  const { kit } = await stage([agent], []);
  const job = await kit.submit(agent, { message: 'x', vars: { n: 1 } });
  expect([await job.locals(), await job.local('n'), await job.console()]).toEqual([{ n: 1 }, 1, []]);
});

it.each([
  ['typescript', ts('print(add(1, 2)); try { add("x") } catch {}'), ts('exit(1)')],
  ['python', py('print(add(1, 2))', 'try:', '    add("x")', 'except Exception:', '    pass'), py('exit(1)')],
] as const)('has calls of synchronous tools in its journal: %s', async (language, code, end) => {
  const add = (a: number, b: number): number => {
    if (typeof a !== 'number') throw new TypeError('not a number');
    return a + b;
  };
  const { job } = await played({ language, tools: { add } }, [code, end]);
  const calls = (await job.calls()).filter(({ by }) => by === 'program');
  expect(calls.map(({ name, state }) => [name, state])).toEqual([
    ['helper.add(…)', 'done'],
    ['helper.add(…)', 'failed'],
  ]);
  expect(await calls[0]?.input()).toEqual([1, 2]);
  expect(await calls[0]?.output()).toBe(3);
  expect(await calls[1]?.output()).toMatchObject({ message: 'not a number' });
});

it('journals synchronous tools of a slice that stands alone, in order with others', async () => {
  const log: string[] = [];
  const tools = [
    tool({ name: 'look', description: 'Looks.', execute: () => log.push('look') }),
    tool({ name: 'book', description: 'Books.', effect: true, execute: () => log.push('book') }),
  ];
  const { job } = await played({ tools }, [ts('look(); await book(); look();'), ts('exit(1)')]);
  expect((await job.calls()).filter(({ by }) => by === 'program').map(({ name }) => name)).toEqual([
    'helper.look(…)',
    'helper.book(…)',
    'helper.look(…)',
  ]);
});
