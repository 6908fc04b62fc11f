// The long part of the tests of the inspector: `npm run test:web` opens a list of 100,000 jobs and a job of 10,000 commits in a
// browser. With --pictures it makes the pictures of the documentation instead; with --jobs and --commits, fewer of them.
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { upToDateInspector } from '../../scripts/support/inspector.ts';
import { browserProgram, launchBrowser } from '../support/browser.ts';
import { makePictures } from './pictures.ts';
import { Inspected } from './support/inspected.ts';
import { all, counter, trip } from './support/programs.ts';

const { values } = parseArgs({
  options: {
    pictures: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '100000' },
    commits: { type: 'string', default: '10000' },
  },
});

const program = browserProgram();
if (program !== undefined) {
  await upToDateInspector();
  const browser = await launchBrowser(program);
  try {
    if (values.pictures) await makePictures(browser);
    else {
      await manyJobs(browser, Number(values.jobs));
      await manyCommits(browser, Number(values.commits));
    }
  } finally {
    await browser.close();
  }
}

async function manyJobs(browser: Browser, count: number): Promise<void> {
  await using inspected = await Inspected.open({ drivers: all }, { work: false, requestsPerSecond: 100_000 });
  for (let from = 0; from < count; from += 500)
    await inspected.kit.submitAll(
      trip,
      Array.from({ length: Math.min(500, count - from) }, (_, index) => ({ id: `job ${from + index}` })),
    );
  const page = await inspected.page(browser);
  page.setDefaultTimeout(120_000);
  await page.getByRole('row').first().waitFor();
  await page.getByRole('button', { name: new RegExp(`^All\\s*${count.toLocaleString('en-US')}`) }).waitFor();
  const names = "[...document.querySelectorAll('[role=row]')].map((row) => row.querySelector('a').textContent)";
  for (let screen = 0; screen < 200; screen++)
    await page.evaluate("document.querySelector('.jobs').scrollTop += document.querySelector('.jobs').clientHeight");
  await page.waitForTimeout(1000);
  const shown = await page.evaluate<readonly string[]>(names);
  assert.ok(shown.length > 5 && shown.length < 80, `${shown.length} rows are drawn`);
  assert.ok(!shown.includes(`job ${count - 1}`), 'it has scrolled away from the newest job');
  await inspected.kit.submit(trip, { id: 'one more' });
  await page.getByRole('treegrid').focus();
  await page.keyboard.press('Home');
  await page.getByRole('row').filter({ hasText: 'one more' }).waitFor();
  await page.getByLabel('Search jobs').fill(`job ${count - 5}`);
  await page
    .getByRole('row')
    .filter({ hasText: `job ${count - 5}` })
    .waitFor();
  console.log(`✓ ${count} jobs are listed, scrolled and searched`);
}

async function manyCommits(browser: Browser, count: number): Promise<void> {
  await using inspected = await Inspected.open({ drivers: all });
  const job = await inspected.kit.submit(counter, { id: 'long', input: count });
  await job.result();
  const page = await inspected.page(browser, '/jobs/long');
  page.setDefaultTimeout(120_000);
  await page.getByRole('treeitem').filter({ hasText: 'count' }).getByText(String(count)).waitFor();
  await page.getByRole('img', { name: /Timeline: .*slices/ }).waitFor();
  const middle = Math.floor(count / 2);
  await page.getByLabel('Commit', { exact: true }).fill(String(middle));
  await page.getByText(`commit ${middle.toLocaleString('en-US')}`).waitFor();
  const variable = page.getByRole('treeitem').filter({ hasText: /^count/ });
  const value = async (): Promise<number> => Number(/(\d+)$/.exec(await variable.innerText())?.[1]);
  while ((await value()) >= count) await page.waitForTimeout(50);
  assert.ok(Math.abs((await value()) - middle) < 5, 'the variables are those of the middle');
  await page.getByRole('tab', { name: 'Watch and find' }).click();
  await page.getByLabel(/An expression/).fill(`count >= ${middle}`);
  await page.getByRole('button', { name: 'Find when it became true' }).click();
  await page.getByText(/is true since commit/).waitFor();
  console.log(`✓ a job of ${count} commits is opened, and any moment of it found`);
}
