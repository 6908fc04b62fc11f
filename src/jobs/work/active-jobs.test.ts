import { expect, it } from 'vitest';
import { ActiveJobs, type ActiveJob } from './active-jobs.ts';

const job = (id: string): ActiveJob => ({ id, ended: Promise.resolve(), poke: () => undefined });

it('finds a job by its id, and by the workspace it uses', () => {
  const active = new ActiveJobs();
  const [first, second] = [job('a'), job('b')];
  active.add(first);
  active.enter(first, 'shared');
  expect([active.has('a'), active.get('a'), active.inWorkspace('shared')]).toEqual([true, first, first]);
  // The next one has taken over before the first has left.
  active.add(second);
  active.enter(second, 'shared');
  active.remove(first, 'shared');
  expect([active.has('a'), active.inWorkspace('shared')]).toEqual([false, second]);
  active.leave(second, 'shared');
  expect([active.has('b'), active.inWorkspace('shared')]).toEqual([true, undefined]);
});
