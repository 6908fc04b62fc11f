// Measures the inspector in a real browser: a long list, a job of many commits, what another process commits, the slider.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { upToDateInspector } from '../../scripts/support/inspector.ts';
import { Statek } from '../../src/index.ts';
import { server, type Listening } from '../../src/server.ts';
import { browserProgram, launchBrowser } from '../../tests/support/browser.ts';
import { inBenchFolder } from '../support/folder.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { observeLongTasks, pressUntilChanged, scrollThrough, whenShown } from './in-page.ts';
import { counting, stepping, waiting } from './programs.ts';

const token = 'token-of-the-benchmark';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const program = browserProgram();
  if (program === undefined) return [];
  await upToDateInspector();
  return inBenchFolder('web', async (folder) => {
    const browser = await launchBrowser(program);
    try {
      return await measureIn(browser, folder, quick);
    } finally {
      await browser.close();
    }
  });
}

async function measureIn(browser: Browser, folder: string, quick: boolean): Promise<Measurement[]> {
  const jobs = quick ? 2000 : 100_000;
  const commits = quick ? 300 : 10_000;
  const rounds = quick ? 10 : 50;
  const store = join(folder, 'store');
  const kit = await Statek.open({ store, drivers: [counting, stepping, waiting] });
  const listening = await server(kit, { token, requestsPerSecond: 1_000_000 }).listen();
  let child: ChildProcess | undefined;
  try {
    progress(`a job of ${commits} commits`);
    const worker = kit.start();
    await kit.submit(stepping, { id: 'steps' });
    await (await kit.submit(counting, { id: 'long', input: commits - 2 })).result();
    await worker.stop();
    progress(`${jobs} jobs`);
    for (let from = 0; from < jobs; from += 500)
      await kit.submitAll(
        waiting,
        Array.from({ length: 500 }, (_, index) => ({ id: `job ${from + index}` })),
      );
    progress('the list');
    const list = await longList(browser, listening, quick ? 60 : 300);
    progress('the job');
    const job = await longJob(browser, listening, commits, rounds);
    progress('another process');
    child = fork(join(import.meta.dirname, 'worker-child.ts'), [store]);
    await once(child, 'message');
    const live = await commitsOfAnother(browser, listening, kit, rounds);
    return [
      {
        figure: 'listUsableMs',
        value: round(list.usable),
        unit: 'ms',
        what: `the list of ${jobs} jobs can be used, from opening the link`,
      },
      {
        figure: 'longestTaskScrollingMs',
        value: round(list.longest),
        unit: 'ms',
        what: `longest task while ${list.frames} screens of it are scrolled by`,
        goal: { text: '≤ 50', met: list.longest <= 50 },
      },
      { figure: 'longTasksScrolling', value: list.count, unit: '', what: 'tasks over 50 ms meanwhile' },
      {
        figure: 'jobUsableMs',
        value: round(job.usable),
        unit: 'ms',
        what: `a job of ${commits} commits can be used, from opening the link`,
      },
      {
        figure: 'sliderMs',
        value: round(percentile(job.steps, 0.5)),
        unit: 'ms',
        what: 'one commit back on the slider, until its variables are there, median',
      },
      {
        figure: 'commitOnScreenP95Ms',
        value: round(percentile(live, 0.95)),
        unit: 'ms',
        what: "from another process's commit until its variables are on the screen, p95",
        goal: { text: '≤ 200', met: percentile(live, 0.95) <= 200 },
      },
    ];
  } finally {
    if (child !== undefined) {
      const ended = once(child, 'exit');
      child.send('stop');
      await ended;
    }
    await listening.close();
    await kit.close();
  }
}

async function open(browser: Browser, { url }: Listening, place: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${url}#token=${token}&to=${encodeURIComponent(place)}`);
  return page;
}

async function longList(
  browser: Browser,
  listening: Listening,
  frames: number,
): Promise<{ usable: number; longest: number; count: number; frames: number }> {
  const started = performance.now();
  const page = await open(browser, listening, '/jobs');
  await page.getByRole('row').first().waitFor();
  const usable = performance.now() - started;
  await page.evaluate(observeLongTasks);
  await page.evaluate(scrollThrough(frames));
  await page.waitForTimeout(500);
  const tasks = await page.evaluate<readonly number[]>('globalThis.longTasks');
  await page.close();
  return { usable, longest: Math.max(0, ...tasks), count: tasks.length, frames };
}

async function longJob(
  browser: Browser,
  listening: Listening,
  commits: number,
  rounds: number,
): Promise<{ usable: number; steps: number[] }> {
  const started = performance.now();
  const page = await open(browser, listening, '/jobs/long');
  await page.getByRole('treeitem').first().waitFor();
  await page.getByRole('img', { name: /Timeline: .*slice/ }).waitFor();
  const usable = performance.now() - started;
  // The last commits only end the loop; before them, each one counts.
  for (let number = 0; number < 3; number++) await page.keyboard.press('[');
  await page.waitForTimeout(1000);
  const steps: number[] = [];
  for (let number = 0; number < Math.min(rounds, commits - 10); number++)
    steps.push(await page.evaluate<number>(pressUntilChanged('[', 'count')));
  await page.close();
  return { usable, steps };
}

async function commitsOfAnother(
  browser: Browser,
  listening: Listening,
  kit: Statek,
  rounds: number,
): Promise<number[]> {
  const page = await open(browser, listening, '/jobs/steps');
  await page.getByRole('treeitem').first().waitFor();
  const took: number[] = [];
  for (let number = 1; number <= rounds; number++) {
    const shown = page.evaluate<number>(whenShown('rounds', number));
    await kit.signal('next');
    const seen = await shown;
    const [latest] = await (await kit.job('steps')).commits({ limit: 1 });
    took.push(seen - (latest?.time.getTime() ?? seen));
  }
  await page.close();
  return took;
}
