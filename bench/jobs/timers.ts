// Timers of many jobs, each with a program suspended in a loop. The programs are forks of one that ran until its wait, so
// that creating them takes less time than the measurement; each has its own image, futures and timers.
import { openHistory } from '../../src/history/open.ts';
import { creation } from '../../src/jobs/changes/job-changes.ts';
import type { JobRow } from '../../src/jobs/rows.ts';
import { jobCollections, jobRows } from '../../src/jobs/rows.ts';
import { openStore, Statek, type Store } from '../../src/index.ts';
import type { Transaction, Write } from '../../src/store.ts';
import { futureRows, stepRows, timerRows, workspaceCollections, workspaceRows } from '../../src/workspace/rows.ts';
import { milliseconds } from '../support/measurement.ts';
import { whileItMoves } from '../support/while-it-moves.ts';
import { sleeper } from './workload.ts';

const long = 10 * 24 * 3_600_000;

export interface TimerFigures {
  readonly settledPerSecond: number;
  readonly resumedPerSecond: number;
}

export async function measureTimers(folder: string, count: number, resumed: number): Promise<TimerFigures> {
  const first = await Statek.open({ store: folder, drivers: [sleeper] });
  const template = await first.submit(sleeper, { id: 'template', vars: { duration: long } });
  await first.runUntilIdle();
  await first.close();
  const store = await openStore(folder);
  await store.declare(...workspaceCollections, ...jobCollections);
  for (let from = 0; from < count; from += 250)
    await store.commit(await clones(store, template.id, from, Math.min(250, count - from)));
  // Without a driver the jobs do not continue, so only settling is measured.
  const kit = await Statek.open({ store });
  const settling = await milliseconds(() => kit.runUntilIdle());
  await kit.close();
  const working = await Statek.open({ store, drivers: [sleeper] });
  let worker = working.start({ concurrency: 100 });
  const done = (): Promise<number> => working.countJobs({ outcome: 'completed' });
  while ((await done()) < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = await done();
  const time = await milliseconds(async () => {
    await whileItMoves(store, async () => {
      while ((await done()) < Math.min(count, before + resumed))
        await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await worker.stop();
  });
  const after = await done();
  worker = working.start();
  await worker.stop();
  await working.close();
  await store.close();
  return { settledPerSecond: count / (settling / 1000), resumedPerSecond: (after - before) / (time / 1000) };
}

/** Transactions that create jobs like the template, with timers that are due. */
async function clones(store: Store, template: string, from: number, count: number): Promise<Transaction[]> {
  const history = await openHistory(store);
  const head = await history.head(template);
  const [job] = await store.read(jobRows, [[template]]);
  const [workspace] = await store.read(workspaceRows, [[template]]);
  const [step] = await store.read(stepRows, [[template, 1]]);
  const [future] = await store.read(futureRows, [[template, 1]]);
  if (job === undefined || workspace === undefined || step === undefined || future === undefined)
    throw new Error('The template is not suspended.');
  const due = Date.now() - 1000;
  const transactions: Transaction[] = [];
  for (let index = from; index < from + count; index++) {
    const id = `sleeper ${index}`;
    const state = { ...workspace.value.state, waiting: [{ workspace: id, number: 1 }], console: [] };
    const metadata = { kind: 'forked', step: 1, lines: 0, state };
    const forked = await history.fork(template, head.hash, id, JSON.parse(JSON.stringify(metadata)) as never);
    const row: JobRow = { ...job.value, id, created: due - long + index };
    const made = creation(row, [{ kind: 'submitted' }]);
    const writes: Write[] = [
      ...forked.writes,
      ...made.writes,
      { kind: 'put', collection: workspaceRows, key: [id], value: { ...workspace.value, id, state } },
      { kind: 'put', collection: stepRows, key: [id, 1], value: step.value },
      { kind: 'put', collection: futureRows, key: [id, 1], value: { ...future.value, workspace: id, due } },
      { kind: 'put', collection: timerRows, key: [due, id, 1], value: { workspace: id, number: 1 } },
    ];
    transactions.push({ checks: [...forked.checks, ...made.checks], writes });
  }
  return transactions;
}
