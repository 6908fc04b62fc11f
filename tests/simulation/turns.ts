// Jobs that take turns in one workspace while processes die: each runs once, in order, and has its own result.
import { program, Statek } from '../../src/index.ts';
import { scanAll } from '../../src/store.ts';
import { workspaceQueueRows, workspaceHolderRows } from '../../src/jobs/rows.ts';
import type { SeededRandom, SimulatedWorld } from '../../src/testing.ts';
import { indexProblems } from './indexes.ts';

const jobs = 10;

export function turnWorld(random: SeededRandom): SimulatedWorld {
  const sharer = program({
    role: 'sharer',
    source: 'globalThis.log ??= []; log.push(n); await sleep(n % 4); [n, log.at(-1), log.length]',
  });
  const cancelled = new Set<string>();
  return {
    open: (parts) => Statek.open({ ...parts, drivers: [sharer], leaseMilliseconds: 1500 }),
    begin: async (kit) => {
      for (let n = 0; n < jobs; n++) await kit.submit('sharer', { id: `share ${n}`, workspace: 'shared', vars: { n } });
    },
    meddle: async (kit) => {
      if (!random.chance(0.1)) return;
      const victim = await kit.job(`share ${3 + random.below(jobs - 3)}`);
      if (victim.status === 'DONE') return;
      await victim.cancel('no longer needed');
      cancelled.add(victim.id);
    },
    isOver: async (kit) => (await kit.countJobs()) === (await kit.countJobs({ status: 'DONE' })),
    check: async (kit) => {
      const problems: string[] = [];
      let position = 0;
      for (let n = 0; n < jobs; n++) {
        const job = await kit.job(`share ${n}`);
        if (cancelled.has(job.id) && job.outcome === 'cancelled') continue;
        if (job.outcome !== 'completed') {
          problems.push(`${job.id} is ${job.outcome ?? job.status}: ${job.error?.message ?? ''}`);
          continue;
        }
        const [own, last, length] = (await job.result()) as number[];
        if (own !== n || last !== n || length === undefined || length <= position)
          problems.push(`${job.id} ended with ${String([own, last, length])} after ${position}`);
        position = length ?? position;
      }
      for await (const { value } of scanAll(kit.store, workspaceHolderRows, {}))
        if (value.holder !== null) problems.push(`${value.holder} still has the turn`);
      for await (const { value } of scanAll(kit.store, workspaceQueueRows, {}))
        problems.push(`${value.job} still waits`);
      return [...problems, ...(await indexProblems(kit.store))];
    },
  };
}
