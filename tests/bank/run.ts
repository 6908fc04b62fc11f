// `npm run test:bank`: the long run of the bank. Its last line sums up, and its exit code says whether all was well.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { SharedCrashEngine } from '../crash/place.ts';
import { countKinds } from '../crash/long-run.ts';
import { Progress } from '../crash/progress.ts';
import { runBank } from './bank-run.ts';
import { bankPlace } from './place.ts';

const usage = `npm run test:bank -- [--transfers 10000] [--store sqlite|postgres|redis] [--revisions N] [--seed N] [--json]
  50 workspaces in 4 processes, which are killed at random, move money between 20 accounts. In the end every transfer is
  looked for in accounts, variables and consoles, and the total is checked at the store's revisions (at N of them).`;

interface BankArguments {
  readonly transfers: number;
  readonly store: SharedCrashEngine;
  readonly revisions: number;
  readonly seed: number;
  readonly json: boolean;
}

async function main({ transfers, store, revisions: mostRevisions, seed, json }: BankArguments): Promise<void> {
  const started = performance.now();
  const place = await bankPlace(store);
  if (place === undefined) process.exit(2);
  const bar = new Progress(transfers);
  const progress = (done: number, words: string): void => bar.show(Math.min(done, transfers), words);
  try {
    const report = await runBank(place, {
      transfers,
      workspaces: 50,
      processes: 4,
      tasksPerKill: 20,
      seed,
      mostRevisions,
      progress,
    });
    bar.end();
    const { problems, undone, ...figures } = report;
    const seconds = Math.round((performance.now() - started) / 1000);
    for (const { kind, text } of problems.slice(0, 20)) console.error(`${kind}: ${text}`);
    for (const text of undone.slice(0, 20)) console.error(`done in a second attempt: ${text}`);
    if (problems.length > 0) process.exitCode = 1;
    const kinds = countKinds(problems);
    if (json) console.log(JSON.stringify({ store, seed, ...figures, undone: undone.length, ...kinds, seconds }));
    else
      console.log(
        `${store}: ${figures.used} transfers begun by 50 workspaces in 4 processes, ${figures.kills} of which were killed; ` +
          `${figures.transfers} done, each once in both accounts, its program and its console; ` +
          `${figures.brokenOff} broken off on purpose, ${figures.undoneSteps} steps undone, ${figures.retries} slices run again; ` +
          `the total and the lists agree at ${figures.revisionsChecked} of ${figures.revisions} revisions: ` +
          `${kinds.lost} lost, ${kinds.torn} torn, ${kinds.twice} twice, ${kinds.wrong} wrong (seed ${seed}, ${seconds} s)`,
      );
  } finally {
    await place.dispose();
  }
}

function argumentsOrUsage(): BankArguments {
  try {
    const { values } = parseArgs({
      options: {
        transfers: { type: 'string', default: '10000' },
        store: { type: 'string', default: 'sqlite' },
        revisions: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const { store, json } = values;
    if (store !== 'sqlite' && store !== 'postgres' && store !== 'redis')
      throw new Error(`--store is sqlite, postgres or redis, not ${store}.`);
    const [transfers = 0, seed = 0, revisions = 0] = [
      values.transfers,
      values.seed ?? String(randomInt(2 ** 31)),
      // A server is asked over a connection, which takes its time.
      values.revisions ?? (store === 'sqlite' ? '1000000' : '5000'),
    ].map((text) => {
      if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is not a whole number.`);
      return Number(text);
    });
    return { transfers, store, revisions, seed, json };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

await main(argumentsOrUsage());
