// `npm run test:backup`: the long run of backups and copies. Its last line sums up, and its exit code says whether all was well.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Progress } from '../crash/progress.ts';
import { Random } from '../crash/random.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';
import { copyJobs } from './copy-jobs.ts';
import { backupRound } from './round.ts';

const usage = `npm run test:backup -- [--rounds 50] [--jobs N] [--megabytes 16] [--seed N] [--json]
  Each round backs up a store (in turns on SQLite and PostgreSQL) while two processes write to it, and restores the full and the
  incremental backup in another one (in turns SQLite, PostgreSQL, Redis and a file store; without a server in those that there are).
  Writers, backups and restores are killed at random moments.
  --jobs N  instead: N jobs are copied from SQLite to PostgreSQL and back, and everything is compared`;

interface BackupArguments {
  readonly rounds: number;
  readonly jobs: number;
  readonly megabytes: number;
  readonly seed: number;
  readonly json: boolean;
}

/** A new folder, or a new schema. */
interface Places {
  folder(): string;
  postgres(): Promise<string | undefined>;
  redis(): Promise<string | undefined>;
  dispose(): Promise<void>;
}

function makePlaces(): Places {
  const folders: string[] = [];
  const drops: (() => Promise<void> | void)[] = [];
  return {
    folder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'statek-backup-run-'));
      folders.push(folder);
      return folder;
    },
    postgres: async () => {
      const server = await postgresForTests();
      if (server === undefined) return undefined;
      const { schema, drop } = await server.freshSchema();
      drops.push(drop);
      return `${server.url}?schema=${schema}`;
    },
    redis: async () => {
      const server = await redisForTests();
      if (server === undefined) return undefined;
      const { keyPrefix, drop } = server.freshPrefix();
      drops.push(drop);
      const url = new URL(server.url);
      url.searchParams.set('keyPrefix', keyPrefix);
      url.searchParams.set('durability', 'relaxed');
      return url.href;
    },
    dispose: async () => {
      for (const drop of drops.splice(0)) await drop();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function rounds({ rounds: count, megabytes, seed, json }: BackupArguments): Promise<void> {
  const started = performance.now();
  const random = new Random(seed);
  const bar = new Progress(count);
  const sums = { killedWriters: 0, killedBackups: 0, killedRestores: 0 };
  const problems: string[] = [];
  for (let round = 0; round < count; round++) {
    const places = makePlaces();
    try {
      const folder = places.folder();
      const source = (round % 2 === 1 ? await places.postgres() : undefined) ?? join(folder, 'source');
      const targets = [places.postgres, places.redis, () => `file:${join(folder, 'file')}`, () => undefined];
      const target = (await targets[Math.floor(round / 2) % targets.length]?.()) ?? join(folder, 'target');
      const report = await backupRound({
        source,
        target,
        folder,
        megabytes,
        delay: (most) => random.between(0, most),
      });
      for (const name of ['killedWriters', 'killedBackups', 'killedRestores'] as const) sums[name] += report[name];
      problems.push(...report.problems.map((text) => `round ${round + 1}: ${text}`));
    } finally {
      await places.dispose();
    }
    bar.show(round + 1, `${problems.length} problems`);
  }
  bar.end();
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const text of problems.slice(0, 20)) console.error(text);
  if (problems.length > 0) process.exitCode = 1;
  const { killedWriters, killedBackups, killedRestores } = sums;
  console.log(
    json
      ? JSON.stringify({ rounds: count, seed, ...sums, problems: problems.length, seconds })
      : `${count} stores backed up under load and restored; killed: ${killedWriters} writers, ${killedBackups} backups, ${killedRestores} restores; ${problems.length} problems (seed ${seed}, ${seconds} s)`,
  );
}

async function jobs({ jobs: count, json }: BackupArguments): Promise<void> {
  const places = makePlaces();
  try {
    const server = await places.postgres();
    if (server === undefined) process.exit(2);
    const report = await copyJobs(count, places.folder(), server);
    if (!report.isEqual) process.exitCode = 1;
    console.log(
      json
        ? JSON.stringify(report)
        : `${count} jobs (${report.items} items): ${report.toSeconds} s to PostgreSQL, ${report.backSeconds} s back, ${report.isEqual ? 'equal' : 'DIFFERENT'}; ${report.finished} of them finished there`,
    );
  } finally {
    await places.dispose();
  }
}

function argumentsOrUsage(): BackupArguments {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '50' },
        jobs: { type: 'string', default: '0' },
        megabytes: { type: 'string', default: '16' },
        seed: { type: 'string', default: String(randomInt(2 ** 31)) },
        json: { type: 'boolean', default: false },
      },
    });
    const number = (name: 'rounds' | 'jobs' | 'megabytes' | 'seed'): number => {
      if (!/^\d{1,10}$/.test(values[name])) throw new Error(`--${name} is a whole number, not ${values[name]}.`);
      return Number(values[name]);
    };
    return {
      rounds: number('rounds'),
      jobs: number('jobs'),
      megabytes: number('megabytes'),
      seed: number('seed'),
      json: values.json,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

const given = argumentsOrUsage();
await (given.jobs > 0 ? jobs(given) : rounds(given));
// A private server may keep the process alive.
process.exit();
