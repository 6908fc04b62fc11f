// The list of jobs, in a browser: live, filtered, searched, walked through, changed in bulk.
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected } from './support/inspected.ts';
import { all, broken, counter, parent, trip } from './support/programs.ts';

const browser = useBrowser();
const timeout = { timeout: 90_000 };
const patient = { timeout: 30_000 };

/** Where something is, once it no longer moves. */
async function restingPlace(shown: Locator): Promise<unknown> {
  for (let before = await shown.boundingBox(); ;) {
    await shown
      .page()
      .evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const after = await shown.boundingBox();
    if (JSON.stringify(before) === JSON.stringify(after)) return after;
    before = after;
  }
}

describe.skipIf(!hasBrowser)('the list of jobs', () => {
  it('asks for a token without one, and takes the token out of the address', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const page = await inspected.page(browser.current, '/jobs', { token: 'not-the-right-token' });
    await page.getByText('Send Authorization').or(page.getByRole('alert')).first().waitFor();
    await page.getByLabel('Token').fill('token-for-the-tests');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('No jobs yet').waitFor();
    expect(page.url()).not.toContain('token-for-the-tests');
    await page.reload();
    await page.getByText('No jobs yet').waitFor();
  });

  it('shows what another caller submits, and what becomes of it, by itself', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const page = await inspected.page(browser.current);
    await page.getByText('No jobs yet').waitFor();
    await inspected.kit.submit(trip, { id: 'to Bergen', labels: ['travel'] });
    const row = page.getByRole('row').filter({ hasText: 'to Bergen' });
    await row.getByText('Waiting').waitFor();
    await row.getByText('Which day for the Blue room?').waitFor();
    await inspected.kit.submit(broken, { id: 'import' });
    await page.getByRole('row').filter({ hasText: 'import' }).getByText('a row has no price').waitFor();
    await page.getByRole('button', { name: /Failed\s*1/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });

  it('filters and searches by the address, and goes on doing so', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'to Bergen', labels: ['travel'] });
    await inspected.kit.submit(broken, { id: 'import' });
    const page = await inspected.page(browser.current);
    const rows = page.getByRole('row');
    await page.getByRole('row').filter({ hasText: 'import' }).getByText('Failed').waitFor();
    await page.getByRole('button', { name: /^Failed/ }).click();
    await expect.poll(() => rows.count(), patient).toBe(1);
    expect(page.url()).toContain('outcome=failed');
    await page.reload();
    await rows.filter({ hasText: 'import' }).waitFor();
    await expect.poll(() => rows.count(), patient).toBe(1);
    // A job that comes to match appears; one that does not stays away.
    await inspected.kit.submit(broken, { id: 'import two' });
    await inspected.kit.submit(trip, { id: 'to Oslo' });
    await expect.poll(() => rows.count(), patient).toBe(2);
    await page.getByRole('button', { name: /^All/ }).click();
    await expect.poll(() => rows.count(), patient).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('oslo');
    await expect.poll(() => rows.count(), patient).toBe(1);
    expect(page.url()).toContain('text=oslo');
    await page.getByLabel('Search jobs').fill('');
    await page.getByLabel('Role').selectOption('broken');
    await expect.poll(() => rows.count(), patient).toBe(2);
  });

  it('does one thing with many jobs, and says the number first', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submitAll(
      trip,
      Array.from({ length: 7 }, (_, index) => ({ id: `trip ${index}` })),
    );
    const page = await inspected.page(browser.current, '/jobs?role=trip');
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Waiting' }).count(), patient).toBe(7);
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await page.getByText('Cancel 7 jobs?').waitFor();
    expect(await inspected.kit.countJobs({ outcome: 'cancelled' })).toBe(0);
    await page.getByRole('button', { name: 'Cancel 7 jobs' }).click();
    await page.getByText('Cancel: 7 jobs done').waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Cancelled' }).count(), patient).toBe(7);
    await page.getByRole('button', { name: 'Retry …' }).click();
    await page.getByRole('button', { name: 'Retry 7 jobs' }).click();
    await expect.poll(() => page.getByRole('row').count(), patient).toBe(14);
  });

  it('pauses, resumes and deletes many jobs', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submitAll(
      trip,
      Array.from({ length: 3 }, (_, index) => ({ id: `trip ${index}` })),
    );
    await inspected.kit.submit(broken, { id: 'import' });
    const page = await inspected.page(browser.current, '/jobs?role=trip');
    const rows = page.getByRole('row');
    await expect.poll(() => rows.filter({ hasText: 'Waiting' }).count(), patient).toBe(3);
    const isPaused = async (): Promise<readonly boolean[]> =>
      (await inspected.kit.jobs({ role: 'trip' })).map(({ paused }) => paused);
    for (const [verb, paused] of [
      ['Pause', true],
      ['Resume', false],
    ] as const) {
      await page.getByRole('button', { name: `${verb} …` }).click();
      await page.getByRole('button', { name: `${verb} 3 jobs` }).click();
      await page.getByText(`${verb}: 3 jobs done`).waitFor();
      expect(await isPaused()).toEqual([paused, paused, paused]);
    }
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await page.getByRole('button', { name: 'Cancel 3 jobs' }).click();
    await expect.poll(() => rows.filter({ hasText: 'Cancelled' }).count(), patient).toBe(3);
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete 3 jobs' }).click();
    await expect.poll(() => rows.count(), patient).toBe(0);
    expect(await inspected.kit.countJobs({})).toBe(1);
  });

  it('shows children below their parent, and is walked through with the keyboard', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(parent, { id: 'family' });
    const page = await inspected.page(browser.current);
    await expect.poll(() => page.getByRole('row').count(), patient).toBe(3);
    const grid = page.getByRole('treegrid', { name: 'Jobs' });
    await grid.focus();
    const chosen = page.locator('[role=row][aria-selected=true]');
    await page.keyboard.press('End');
    await expect.poll(() => chosen.getAttribute('aria-expanded'), patient).toBe('false');
    await page.keyboard.press('ArrowRight');
    await page.locator('[role=row][aria-level="2"]').filter({ hasText: 'family.1' }).waitFor();
    await expect.poll(() => page.getByRole('row').count(), patient).toBe(3);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /family\.\d/, level: 1 }).waitFor();
  });

  it('keeps its place while jobs arrive', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submitAll(
      counter,
      Array.from({ length: 150 }, (_, index) => ({ id: `job ${index}`, input: 0 })),
    );
    const page = await inspected.page(browser.current);
    const grid = page.getByRole('treegrid', { name: 'Jobs' });
    await page.getByRole('row').first().waitFor();
    await grid.focus();
    for (let count = 0; count < 6; count++) await page.keyboard.press('PageDown');
    const chosen = page.locator('[role=row][aria-selected=true]');
    const name = await chosen.getAttribute('id');
    const drawn = await page.getByRole('row').count();
    expect(drawn).toBeLessThan(80);
    const place = await restingPlace(chosen);
    await inspected.kit.submit(counter, { id: 'new one', input: 0 });
    await page.getByRole('button', { name: /^All\s*151/ }).waitFor();
    expect(await chosen.getAttribute('id')).toBe(name);
    expect(await chosen.boundingBox()).toEqual(place);
  });

  it('has no verbs for those who may only look', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all }, { readOnly: true });
    await inspected.kit.submit(trip, { id: 'to Bergen' });
    const page = await inspected.page(browser.current, '/jobs?role=trip');
    await page.getByRole('row').filter({ hasText: 'Waiting' }).waitFor();
    await page.getByText('read only').waitFor();
    expect(await page.getByRole('button', { name: 'Cancel …' }).count()).toBe(0);
    await page.getByRole('row').filter({ hasText: 'to Bergen' }).getByRole('link').click();
    await page.getByText('Which day for the Blue room?').first().waitFor();
    for (const name of ['Cancel', 'Pause', 'Fork', 'Roll back', 'Answer', 'Say'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  });
});
