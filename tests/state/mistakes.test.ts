// Mistakes that callers of state managers make: each is an error that names what was written.
import { expect, it, onTestFinished } from 'vitest';
import {
  KnowledgeStateManager,
  OrchestrationStateManager,
  StateManager,
  WorkflowStateManager,
} from '../../src/state.ts';
import { loose, refusal } from '../support/mistakes.ts';

it('refuses what state managers cannot use', async () => {
  const state = new StateManager();
  const workflows = new WorkflowStateManager({ store: 'memory:' });
  const teams = new OrchestrationStateManager({ store: 'memory:' });
  const knowledge = new KnowledgeStateManager({ store: 'memory:' });
  onTestFinished(async () => {
    await Promise.all([state.close(), workflows.close(), teams.close(), knowledge.close()]);
  });
  const self: Record<string, unknown> = {};
  self['self'] = self;
  expect((await refusal(() => state.save('k', self))).length).toBeLessThan(300);
  expect(await refusal(() => state.save('k', { at: new Date(0) }))).toContain('.at is a Date, which');
  expect(await refusal(() => loose(state, 'save')('k', 1, { ifVersion: '5' }))).toContain("option 'ifVersion' must be");
  expect(await refusal(() => loose(state, 'mutate')('k'))).toContain('the change must be a function');
  expect(await refusal(() => loose(workflows, 'list')({ status: 'DONE' }))).toContain("option 'status' must be");
  await teams.createTeam({ teamId: 't' });
  expect(await refusal(() => loose(teams, 'getAvailableAgents')('t', { capability: 5 }))).toContain("'capability'");
  expect(await refusal(() => teams.createTeam({ teamId: '' }))).toContain('1 to 200 characters; this one has 0.');
  const items = { a: 1 };
  expect(await refusal(() => loose(knowledge, 'index')('s', items, undefined, { knowledgeBase: 'b' }))).toContain(
    'items must be a list or something to iterate over',
  );
});
