// A process dies at each commit it makes while a job ends and is deleted; another one goes on from there.
import { expect, it } from 'vitest';
import { openStore, program, Statek, type Driver, type Store } from '../../src/index.ts';
import type { FailedJob } from '../../src/jobs/driver.ts';
import { crashRows, jobCallRows, jobEventRows, jobInboxRows, jobRows } from '../../src/jobs/rows.ts';
import { ManualClock } from '../../src/testing.ts';
import { consoleRows, futureRows, stepRows, workspaceRows } from '../../src/workspace/rows.ts';
import { indexProblems } from '../simulation/indexes.ts';

const kept = [jobRows, jobCallRows, jobEventRows, jobInboxRows, workspaceRows, stepRows, futureRows, consoleRows];

/** A store whose process is gone after so many commits: the last of them is made, and nobody is told. */
function mortal(inner: Store, commits: number): { store: Store; died: Promise<'died'> } {
  let left = commits;
  let die: () => void = () => undefined;
  const died = new Promise<'died'>((resolve) => {
    die = () => resolve('died');
  });
  const forever = new Promise<never>(() => undefined);
  const store = new Proxy(inner, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === 'synchronous') return undefined;
      if (typeof member !== 'function' || name === 'follow')
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      return async (...parameters: unknown[]): Promise<unknown> => {
        if (left <= 0) return forever;
        const result = (await Reflect.apply(member, target, parameters)) as unknown;
        if (name !== 'commit') return result;
        left--;
        if (left > 0) return result;
        die();
        return forever;
      };
    },
  });
  return { store, died };
}

// The second process deletes the job at once if it is over; it too may die, when it is about to tell of the end.
it.each([Number.POSITIVE_INFINITY, 1])(
  'deletes a job wholly, and tells of its end, wherever a process dies, and the next one after %d commits',
  { timeout: 120_000 },
  async (second) => {
    let wasCut = true;
    for (let first = 1; wasCut; first++) {
      const clock = new ManualClock(1_000_000);
      const place = `memory:deleting ${first} ${second}`;
      const told: FailedJob[] = [];
      const order: Driver = {
        ...program({ role: 'order', source: `await Promise.race([delegate('kid'), sleep(0)]); fail('no')` }),
        failed: (failure) => void told.push(failure),
      };
      const drivers = [order, program({ role: 'kid', source: `await signal('never')` })];
      let wasSubmitted = false;
      /** One process; whether it came to its end. */
      const process = async (commits: number, life: (kit: Statek) => Promise<void>): Promise<boolean> => {
        const inner = await openStore(place, { clock });
        const { store, died } = mortal(inner, commits);
        const whole = (async (): Promise<'ended'> => {
          const kit = await Statek.open({ store, drivers, clock, leaseMilliseconds: 1000 });
          void died.then(() => kit.abandon());
          await life(kit);
          await kit.close();
          return 'ended';
        })();
        const end = await Promise.race([whole, died]);
        await inner.close();
        clock.advance(60_000);
        return end === 'ended';
      };
      const deleted = async (kit: Statek): Promise<void> => {
        const job = await kit.job('job').catch(() => undefined);
        if (job === undefined) return;
        wasSubmitted = true;
        if (job.status !== 'DONE') await kit.runUntilIdle();
        await job.delete();
      };

      // A store in memory is there as long as somebody has it open.
      const keeper = await openStore(place, { clock });
      wasCut = !(await process(first, async (kit) => {
        await kit.submit(order, { id: 'job' });
        await kit.runUntilIdle();
        await deleted(kit);
      }));
      await process(second, deleted);
      await process(Number.POSITIVE_INFINITY, async (kit) => {
        await deleted(kit);
        await kit.runUntilIdle();
        const when = `after ${first} and ${second} commits`;
        const left = await Promise.all([
          ...kept.map(async (rows) => (await kit.store.scan(rows, { prefix: ['job'] })).entries),
          // Notes of processes that died over it are found by time.
          kit.store.scan(crashRows, {}).then(({ entries }) => entries.filter(({ key }) => key[1] === 'job')),
        ]);
        expect.soft(left.flat(), when).toEqual([]);
        expect.soft(await indexProblems(kit.store), when).toEqual([]);
        expect.soft(await kit.countJobs(), when).toBe(await kit.countJobs({ status: 'DONE' }));
        // The first time at most once, and whoever may be told again is told.
        expect.soft(told.filter(({ again }) => !again).length, when).toBeLessThanOrEqual(1);
        expect.soft(told.length, when).toBeGreaterThanOrEqual(wasSubmitted ? 1 : 0);
      });
      await keeper.close();
    }
  },
);
