// A small fleet: agents of every style in two processes, one of which is killed.
import { expect, it } from 'vitest';
import { fleet } from './fleet.ts';

it(
  'finishes every job with turns and costs that add up, though a process is killed',
  { timeout: 180_000 },
  async () => {
    const { problems, turns, kills } = await fleet({
      jobs: 60,
      agents: 5,
      workers: 2,
      kills: 1,
      leaseMilliseconds: 5000,
    });
    expect(problems).toEqual([]);
    expect([turns, kills]).toEqual([210, 1]);
  },
);
