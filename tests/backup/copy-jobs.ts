// Many jobs are copied from SQLite to PostgreSQL and back: everything is equal, and those that wait are finished there.
import { join } from 'node:path';
import { program, Statek } from '../../src/index.ts';
import { copyStore, openStore } from '../../src/store.ts';
import { digestOf } from './digest.ts';

export interface CopyReport {
  readonly jobs: number;
  readonly items: number;
  readonly isEqual: boolean;
  readonly finished: number;
  readonly toSeconds: number;
  readonly backSeconds: number;
}

const asks = program({ role: 'asks', source: `const day = await ask('Which day?'); 'on ' + day` });
const waits = program({ role: 'waits', source: `n * 2` });
const atOnce = 500;
/** So many have begun, and wait for an answer; the others wait in the queue. */
const begun = 20;

export async function copyJobs(jobs: number, folder: string, server: string): Promise<CopyReport> {
  const [first, back] = [join(folder, 'first'), join(folder, 'back')];
  const kit = await Statek.open({ store: first, drivers: [asks, waits] });
  for (let number = 0; number < Math.min(begun, jobs); number++) await kit.submit(asks, { id: `asks ${number}` });
  await kit.runUntilIdle();
  for (let number = begun; number < jobs; number += atOnce)
    await kit.submitAll(
      waits,
      Array.from({ length: Math.min(atOnce, jobs - number) }, (_, index) => ({ vars: { n: number + index } })),
    );
  await kit.close();
  const to = await copied(first, server);
  const from = await copied(server, back);
  return {
    jobs,
    items: to.items,
    isEqual: to.isEqual && from.isEqual,
    toSeconds: to.seconds,
    backSeconds: from.seconds,
    finished: await finished(server, Math.min(begun, jobs)),
  };
}

async function copied(from: string, to: string): Promise<{ items: number; isEqual: boolean; seconds: number }> {
  const [source, target] = [await openStore(from), await openStore(to)];
  try {
    const started = performance.now();
    const { entries, versions, changes } = await copyStore(source, target);
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    const isEqual = (await digestOf(source)) === (await digestOf(target));
    return { items: entries + versions + changes, isEqual, seconds };
  } finally {
    await source.close();
    await target.close();
  }
}

async function finished(location: string, count: number): Promise<number> {
  const kit = await Statek.open({ store: location, drivers: [asks] });
  try {
    let done = 0;
    for (let number = 0; number < count; number++) await kit.answer(`asks ${number}/1`, 'Monday');
    await kit.runUntilIdle();
    for (let number = 0; number < count; number++)
      if ((await (await kit.job(`asks ${number}`)).result()) === 'on Monday') done++;
    return done;
  } finally {
    await kit.close();
  }
}
