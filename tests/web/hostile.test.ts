// Guests write what they like into names, questions, output and variables: the page shows it as text, and does not freeze.
import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { program } from '../../src/index.ts';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected } from './support/inspected.ts';

const browser = useBrowser();
const timeout = { timeout: 90_000 };
const patient = { timeout: 30_000 };

const markup = '<img src=x onerror="window.harm=1"><script>window.harm=1</script>';
const id = `${markup} "quoted" & 'more' %2f..%2f \u202Ereversed`;
const evil = program({
  role: `evil <b>role</b>`,
  source: `const markup = ${JSON.stringify(markup)};
const large = 'y'.repeat(2_000_000);
let __proto__x = { constructor: markup };
const wide = Array.from({ length: 5000 }, () => markup);
print(markup);
print(large);
for (let line = 0; line < 3000; line++) print('line', line, markup);
await ask(markup + 'y'.repeat(20_000))`,
});

describe.skipIf(!hasBrowser)('hostile guests', () => {
  it('are shown as text, on every screen', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: [evil] });
    await inspected.kit.submit(evil, { id, labels: [markup] });
    const page = await inspected.page(browser.current);
    const row = page.getByRole('row').filter({ hasText: 'onerror' });
    await row.getByText('Waiting').waitFor();
    await row.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'onerror', level: 1 }).waitFor();
    await expect.poll(() => page.getByRole('tree').innerText(), patient).toContain('onerror');
    await page.getByLabel('Open large').click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    expect(statSync(await saved.path()).size).toBe(2_000_000);
    await page.getByLabel('Open wide').click();
    await page.getByRole('treeitem').filter({ hasText: /^99/ }).first().waitFor();
    await expect.poll(() => page.getByRole('log', { name: 'Lines' }).innerText(), patient).toContain('line 2999 <img');
    await page.getByLabel(/Search in .* console/).fill('line 17 ');
    await expect.poll(() => page.getByRole('log', { name: 'Lines' }).innerText(), patient).toMatch(/^line 17 <img/);
    for (const tab of ['Chat', 'Calls', 'Events', 'Watch and find', 'Variables']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).waitFor();
    }
    await page.getByRole('link', { name: /^Waiting/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'onerror' }).first().waitFor();
    await page.getByRole('link', { name: 'System', exact: true }).click();
    await page.getByRole('heading', { name: 'Queues' }).waitFor();
    expect(await page.evaluate('window.harm')).toBeUndefined();
    expect(await page.locator('main img, main script, main b b').count()).toBe(0);
  });
});
