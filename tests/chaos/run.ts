// `npm run test:chaos`: worker processes that are killed, stopped and cut off while they work on many jobs. The last line
// of its output is a summary in JSON, and its exit code says whether all was well.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../crash/random.ts';
import { postgresForTests } from '../support/postgres.ts';
import { privateRedis, redisProgram } from '../support/redis.ts';
import { chaos, type ChaosOptions } from './chaos.ts';

const usage = `npm run test:chaos -- [--store sqlite|postgres|redis] [--jobs 2000] [--workers 4] [--seed N] [--pause 1500] [--lease 2000]`;

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    jobs: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '4' },
    pause: { type: 'string', default: '1500' },
    lease: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const numbers = [values.jobs, values.workers, values.pause, values.lease, values.seed].map(Number);
if (
  numbers.some((number) => !Number.isInteger(number) || number < 0) ||
  !['sqlite', 'postgres', 'redis'].includes(values.store)
) {
  console.error(usage);
  process.exit(2);
}
const [jobs = 0, workers = 0, pause = 0, lease = 0, seed = 0] = numbers;
const random = new Random(seed);
const options: Omit<ChaosOptions, 'place'> = {
  jobs,
  workers,
  pause,
  leaseMilliseconds: lease,
  random: () => random.fraction(),
  progress,
};

let told = 0;

const report = await { sqlite: onSqlite, postgres: onPostgres, redis: onRedis }[values.store as 'sqlite']();
for (const problem of report.problems) console.error(problem);
console.log(JSON.stringify({ store: values.store, seed, ...report, problems: report.problems.length }));
process.exit(report.problems.length === 0 ? 0 : 1);

/** On a terminal at once, elsewhere now and then. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K… ${text}`);
  else if (performance.now() - told > 20_000) {
    told = performance.now();
    process.stderr.write(`… ${text}\n`);
  }
}

async function onSqlite(): ReturnType<typeof chaos> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-chaos-'));
  try {
    return await chaos({ ...options, place: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): ReturnType<typeof chaos> {
  const postgres = await postgresForTests();
  if (postgres === undefined) process.exit(2);
  const { schema, drop } = await postgres.freshSchema();
  try {
    // The server is not ours to restart; cutting every connection to it looks the same from here.
    const restartStore = async (): Promise<void> => {
      await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query like '%' || $1 || '%'`,
        [schema],
      );
    };
    return await chaos({ ...options, place: `${postgres.url}#${schema}`, restartStore });
  } finally {
    await drop();
  }
}

async function onRedis(): ReturnType<typeof chaos> {
  if (redisProgram() === undefined) {
    console.error('SKIPPED: there is no redis-server to start.');
    process.exit(2);
  }
  const server = await privateRedis();
  process.once('exit', () => server.killNow());
  try {
    const restartStore = async (): Promise<void> => {
      await server.stop('immediate');
      await server.start();
    };
    return await chaos({ ...options, place: server.url, restartStore });
  } finally {
    await server.dispose();
  }
}
