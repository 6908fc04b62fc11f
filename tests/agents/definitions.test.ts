// Definitions are frozen and shared; and what can be learned about a job afterwards.
import { expect, it } from 'vitest';
import { chatRows, definitionRows } from '../../src/agents/chat/item.ts';
import { Agent, InvalidOptionError, scanAll } from '../../src/index.ts';
import { agentWith, lastMessage, played, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('needs a model, and refuses what it does not know', () => {
  expect(() => new Agent({ role: 'x' }).createJobDef()).toThrow(/MODEL is missing/);
  expect(() => new Agent({ role: 'x', colour: 'red' } as never)).toThrow(InvalidOptionError);
  expect(() => agentWith().createJobDef({ colour: 'red' } as never)).toThrow(InvalidOptionError);
  expect(() => agentWith({ metadata: { MODEL: 'script', LLM_TOOLS_SCOPE: 'ALL +nothing' } }).createJobDef()).toThrow(
    /'nothing'/,
  );
});

it('is frozen, and equal definitions are kept once', async () => {
  const agent = agentWith({ chatStyle: 'MD_DIALOG' });
  const { kit } = await stage([agent], ['a', 'b', 'c']);
  const def = agent.createJobDef();
  expect(agent.createJobDef().hash).toBe(def.hash);
  expect(agent.createJobDef({ locale: 'de' }).hash).not.toBe(def.hash);
  expect(() => Object.assign(def.definition, { style: 'CONSOLE' })).toThrow(TypeError);
  for (const submitted of [def, def, agent]) await (await kit.submit(submitted, { message: 'x' })).result();
  const kept = [];
  for await (const { key } of scanAll(kit.store, definitionRows, {})) kept.push(key[0]);
  expect(kept).toEqual([def.hash]);
});

it('deletes the conversation with its job', async () => {
  const { job, kit } = await played({ chatStyle: 'MD_DIALOG' }, ['a']);
  await job.delete();
  const left = [];
  for await (const { key } of scanAll(kit.store, chatRows, {})) left.push(key);
  expect(left).toEqual([]);
});

it('pairs what was said with what was answered', async () => {
  const { job, kit } = await played({ chatStyle: 'MD_DIALOG' }, ['One.', 'Two.'], { message: 'First?' });
  await job.say('Second?');
  await kit.runUntilIdle();
  expect((await job.dialog()).map(({ message, answers }) => [message, answers])).toEqual([
    ['First?', ['One.']],
    ['Second?', ['Two.']],
  ]);
});

it('finds variables by name and by what they hold', async () => {
  class Room {
    readonly name = 'blue';
  }
  const room = new Room();
  const { job } = await played(
    {},
    [ts('const count = 2; const counted = [1];'), ts('exit()')],
    { message: 'x', vars: { room } },
    { services: { room } },
  );
  expect(await job.findLocals(/^count/)).toEqual({ count: 2, counted: [1] });
  expect(await job.findLocals(Room)).toEqual({ room });
});

it('prints variables, and not what can be called', async () => {
  const { model } = await played({}, [ts('const a = 1; const text = "x"; printLocals()'), ts('exit()')]);
  expect(lastMessage(model, 2)).toBe('a = 1\ntext = x');
});
