// What one job remembers, others that are bound to the same are told.
import { expect, it } from 'vitest';
import { Durable, type ChatStyle } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { agentWith, lastMessage, stage } from './support/agents.ts';
import { ts } from './support/fences.ts';

it('remembers for jobs bound to the same specifiers, and tells them at their beginning', async () => {
  const agent = agentWith();
  const { kit, model } = await stage(
    [agent],
    [
      ts('await remember("length", 25, { category: "PREFERENCE" }); exit()'),
      ts('print(await recall("length"))'),
      ts('exit()'),
      ts('print(await recall())'),
      ts('exit()'),
    ],
  );
  const bound = { specifiers: ['user:ann'] };
  await (await kit.submit(agent, { message: 'a', memory: bound })).result();
  await (
    await kit.submit(agent, { message: 'b', memory: { specifiers: ['user:ann', 'project:x'], readonly: true } })
  ).result();
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('length (PREFERENCE): 25');
  expect(lastMessage(model, 3)).toBe('length (PREFERENCE): 25');
  await (await kit.submit(agent, { message: 'c', memory: { specifiers: ['user:bob'] } })).result();
  expect(lastMessage(model, 5)).toBe('Nothing is remembered about that.');
  expect((await kit.memory.list()).facts.map(({ name }) => name)).toEqual(['length']);
});

it('has facts as variables, which cannot be assigned over', async () => {
  const agent = agentWith();
  const { kit, model } = await stage(
    [agent],
    [
      ts('print(meetingLength)', 'meetingLength = 30'),
      ts('const meetingLength = 40;'),
      ts('var meetingLength = 50;'),
      ts('await remember("meetingLength", 45);'),
      ts('exit([meetingLength, Math.max(1, 2)])'),
    ],
  );
  const memory = { specifiers: ['user:ann'] };
  await kit.memory.bind(memory.specifiers).remember('meetingLength', 25);
  // Names that mean something already, or nothing in code, are left alone.
  await kit.memory.bind(memory.specifiers).remember('Math', 1);
  await kit.memory.bind(memory.specifiers).remember('two words', 2);
  const job = await kit.submit(agent, { message: 'x', memory });
  expect(await job.result()).toEqual([45, 2]);
  expect(lastMessage(model, 2)).toMatch(/^25\nTypeError/);
  for (const request of [3, 4]) expect(lastMessage(model, request)).toContain('Error');
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('are read-only');
});

it.each<ChatStyle>(['CONSOLE', 'MARKDOWN', 'MD_DIALOG', 'DIRECT'])(
  'tells what is remembered in %s',
  async (chatStyle) => {
    const agent = agentWith({ chatStyle });
    const end = chatStyle === 'CONSOLE' ? 'exit()' : chatStyle === 'MARKDOWN' ? ts('exit()') : 'Done.';
    const { kit, model } = await stage([agent], [end]);
    await kit.memory.bind(['a']).remember('colour', 'red');
    await (await kit.submit(agent, { message: 'x', memory: { specifiers: ['a'] } })).result();
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('colour (ENTITY): red');
  },
);

it('takes durable objects as specifiers, forgets, and lets facts expire', async () => {
  class Customer extends Durable {
    static readonly durable = { name: 'Customer' };
    name = '';
  }
  const clock = new ManualClock(1);
  const agent = agentWith();
  const { kit, model } = await stage(
    [agent],
    [
      ts('await remember("size", 42, { expiresIn: 1000 }); await remember("tone", "formal"); exit()'),
      ts('print(await recall())'),
      ts('exit()'),
      ts('exit()'),
    ],
    { classes: [Customer], clock },
  );
  const customer = await kit.transaction(() => new Customer());
  const memory = { specifiers: [customer, 'shop'] };
  await (await kit.submit(agent, { message: 'a', memory })).result();
  await (await kit.submit(agent, { message: 'b', memory })).result();
  expect(lastMessage(model, 3)).toBe('size (ENTITY): 42\ntone (ENTITY): formal');
  clock.advance(2000);
  expect(await kit.memory.bind(memory.specifiers).forget('tone')).toBe(true);
  await (await kit.submit(agent, { message: 'c', memory })).result();
  expect(JSON.stringify(model.requests[3]?.messages)).not.toContain('remembered from earlier');
  expect(await kit.memory.purge()).toBe(1);
});

it('has categories of the application beside its own', async () => {
  const agent = agentWith();
  const script = [
    ts('await remember("tea", "no milk", { category: "RULE" })'),
    ts('print(await recall(undefined, "RULE"))'),
    ts('exit()'),
  ];
  const { kit, model } = await stage([agent], script, { memory: { categories: ['RULE'] } });
  await (await kit.submit(agent, { message: 'x', memory: { specifiers: ['a'] } })).result();
  expect(lastMessage(model, 3)).toBe('tea (RULE): no milk');
  expect(kit.memory.categories).toEqual(['PREFERENCE', 'ENTITY', 'VOCABULARY', 'RULE']);
  await expect(stage([], [], { memory: { categories: ['own words'] } })).rejects.toThrow('a name in capitals');
  await expect(stage([], [], { memory: { colour: 1 } as never })).rejects.toThrow("no option 'colour'");
});

it('refuses to write where it may only read, and tells the model', async () => {
  const agent = agentWith();
  const { kit, model } = await stage([agent], [ts('await remember("a", 1)'), ts('exit()')]);
  await (await kit.submit(agent, { message: 'x', memory: { specifiers: ['a'], readonly: true } })).result();
  expect(lastMessage(model, 2)).toMatch(/^MemoryReadOnlyError: .*may read what is remembered/);
  expect((await kit.memory.list()).facts).toEqual([]);
});
