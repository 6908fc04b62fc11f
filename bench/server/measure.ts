// Benchmarks the HTTP server: pages of a long list, requests per second, and what open streams of events cost the worker.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Statek } from '../../src/index.ts';
import { server, type Listening } from '../../src/server.ts';
import { inBenchFolder } from '../support/folder.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { stepper, waiter } from '../jobs/workload.ts';

const token = 'token-of-the-benchmark';
const child = join(import.meta.dirname, 'client-child.ts');

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  return inBenchFolder('server', (folder) => measureIn(folder, quick));
}

async function measureIn(folder: string, quick: boolean): Promise<Measurement[]> {
  const jobs = quick ? 2000 : 10_000;
  const streams = quick ? 100 : 500;
  const kit = await Statek.open({ store: join(folder, 'store'), drivers: [stepper, waiter] });
  // Milliseconds of each request on the server, by route.
  const served: { route: string; milliseconds: number }[] = [];
  const listening = await server(kit, {
    token,
    requestsPerSecond: 1_000_000,
    log: ({ route, milliseconds: took }) => void served.push({ route, milliseconds: took }),
  }).listen();
  try {
    progress(`${jobs} jobs`);
    for (let from = 0; from < jobs; from += 500)
      await kit.submitAll(
        waiter,
        Array.from({ length: 500 }, (_, index) => ({ id: `job ${from + index}`, labels: [`label ${index % 10}`] })),
      );
    progress('pages');
    const pages = ['', '?label=label%203', '?role=waiter&status=READY', '?text=job%2019'];
    for (let round_ = 0; round_ < 20; round_++)
      for (const page of pages) await (await get(listening, `v1/jobs${page}`)).arrayBuffer();
    const page = served.filter(({ route }) => route === '/v1/jobs').map(({ milliseconds: took }) => took);
    progress('requests');
    const seconds = quick ? 2 : 5;
    const { stdout } = await promisify(execFile)(process.execPath, [
      child,
      'requests',
      `${listening.url}v1/jobs/${encodeURIComponent('job 1')}`,
      token,
      '20',
      String(seconds),
    ]);
    const perSecond = (JSON.parse(stdout) as { answered: number }).answered / seconds;
    progress('streams');
    const steps = quick ? 500 : 4000;
    // Processor time and not the clock, whose noise on a busy machine is larger than the effect; in turn, and the mean of all rounds.
    const alone: number[] = [];
    const watched: number[] = [];
    for (let turn = 0; turn < rounds; turn++) {
      alone.push(await processorTimeOfStep(kit, steps));
      watched.push((await withStreams(listening, streams, () => processorTimeOfStep(kit, steps))).result);
    }
    const slowed = mean(watched) / mean(alone) - 1;
    const each = watched.map((value, index) => value / (alone[index] ?? value) - 1);
    return [
      {
        figure: 'jobsPageP95Ms',
        value: round(percentile(page, 0.95)),
        unit: 'ms',
        what: `a page of 100 of ${jobs} jobs, listed and filtered, time of the server, p95`,
        goal: { text: '< 50', met: percentile(page, 0.95) < 50 },
      },
      {
        figure: 'jobRequestsPerSecond',
        value: round(perSecond),
        unit: '/s',
        what: 'GET /v1/jobs/{id}, 20 connections of another process',
        goal: { text: '≥ 1,000', met: perSecond >= 1000 },
      },
      {
        figure: 'stepAloneMs',
        value: round(mean(alone)),
        unit: 'ms',
        what: `processor time of a step of 20 jobs, nobody watching, mean of ${rounds} rounds`,
      },
      {
        figure: 'stepWatchedMs',
        value: round(mean(watched)),
        unit: 'ms',
        what: `… while ${streams} streams of one job's events each are open, their opening included`,
      },
      {
        figure: 'slowedByStreams',
        value: round(slowed),
        unit: '',
        what: `what the streams add to it; single rounds: ${round(Math.min(...each))} to ${round(Math.max(...each))}`,
        goal: { text: '≤ 0.1', met: slowed <= 0.1 },
      },
    ];
  } finally {
    await listening.close();
    await kit.close();
  }
}

function get({ url }: Listening, path: string): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
}

const rounds = 8;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Milliseconds of this process, the server included. */
async function processorTimeOfStep(kit: Statek, steps: number): Promise<number> {
  const each = Math.ceil(steps / 20);
  const jobs = await kit.submitAll(
    stepper,
    Array.from({ length: 20 }, () => ({ input: each })),
  );
  const worker = kit.start();
  const before = process.cpuUsage();
  await Promise.all(jobs.map((job) => job.result()));
  const { user, system } = process.cpuUsage(before);
  await worker.stop();
  return (user + system) / 1000 / (each * 20);
}

async function withStreams<Result>(
  listening: Listening,
  count: number,
  action: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly events: number }> {
  const path = `v1/events?job=${encodeURIComponent('job 7')}`;
  const watching = spawn(process.execPath, [child, 'streams', listening.url + path, token, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(watching.stdout);
  await once(lines, 'line');
  const result = await action();
  const last = once(lines, 'line');
  watching.kill('SIGTERM');
  const [line] = (await last) as [string];
  return { result, events: (JSON.parse(line) as { events: number }).events };
}
