// Makes the pictures of the documentation from a real run, so that they never lie: `npm run test:web -- --pictures`.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { Inspected } from './support/inspected.ts';
import { betterPrompt, bookkeeper, invoiceModels } from './support/invoices.ts';
import { all, broken, careful, counter, parent, trip } from './support/programs.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');

async function picture(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, `inspector-${name}.png`) });
  console.log(`docs/pictures/inspector-${name}.png`);
}

export async function makePictures(browser: Browser): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await using inspected = await Inspected.open({
    drivers: all,
    agents: [bookkeeper],
    models: invoiceModels().models,
  });
  const { kit, listening } = inspected;
  await kit.submit(parent, { id: 'family' });
  await kit.submit(broken, { id: 'nightly import' });
  await (await kit.submit(counter, { id: 'count to 40', input: 40 })).result();
  await kit.submit(careful, { id: 'clean up' });
  await kit.submit(trip, { id: 'trip to Bergen', labels: ['travel'] });
  const wrong = await kit.submit(bookkeeper, { id: 'invoices of March', message: 'Add up the invoices of March.' });
  const page = await inspected.page(browser, '/jobs');
  await page.getByRole('row').filter({ hasText: 'invoices of March' }).getByText('Pay NaN EUR in all?').waitFor();
  await picture(page, 'jobs');

  // A job that went wrong: where does it wait, and since when is the total wrong?
  await page.goto(`${listening.url}#/jobs/${encodeURIComponent(wrong.id)}`);
  await page.locator('.waits-here').waitFor();
  await picture(page, 'job');
  await page.getByRole('tab', { name: 'Watch and find' }).click();
  await page.getByLabel(/An expression/).fill('Number.isNaN(total)');
  await page.getByRole('button', { name: 'Find when it became true' }).click();
  await page.getByText(/is true since commit/).waitFor();
  await page.getByRole('button', { name: 'Go there' }).click();
  await picture(page, 'find');

  // Before the program was written: another prompt.
  await page.getByLabel('Commit', { exact: true }).fill('1');
  await page.getByRole('tab', { name: 'Variables' }).click();
  await page.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.getByLabel('Id of the fork').fill('invoices again');
  await page.getByLabel('Prompt').fill(betterPrompt);
  await page.getByLabel('Message to it').fill('Add up the invoices of March.');
  await picture(page, 'fork');
  await page.locator('form').getByRole('button', { name: 'Fork' }).click();
  await page.getByText('The fork is invoices again.').waitFor();
  await page.getByRole('link', { name: 'Compare the two' }).click();
  await page.getByText('2270').first().waitFor();
  await picture(page, 'compare');

  await page.goto(`${listening.url}#/waiting`);
  await page.getByText('Pay 2270 EUR in all?').waitFor();
  await picture(page, 'waiting');
  const dark = await inspected.page(browser, `/jobs/${encodeURIComponent(wrong.id)}?tab=chat`, { colorScheme: 'dark' });
  await dark.getByText('Let me add them up').first().waitFor();
  await picture(dark, 'dark');
}
