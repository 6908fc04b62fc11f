// What one job remembers, others that are bound to the same are told.
import { expect, it } from 'vitest';
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
