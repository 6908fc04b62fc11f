// axe-core finds nothing serious on any screen, light and dark, wide and narrow.
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected } from './support/inspected.ts';
import { all, broken, careful, parent, trip } from './support/programs.ts';

const browser = useBrowser();
const timeout = { timeout: 180_000 };

const screens = [
  ['/jobs', 'Jobs'],
  ['/jobs?role=trip', 'Jobs'],
  ['/jobs/trip', 'trip'],
  ['/jobs/trip?tab=chat', 'trip'],
  ['/jobs/trip?tab=calls', 'trip'],
  ['/jobs/trip?tab=events', 'trip'],
  ['/jobs/trip?tab=watch', 'trip'],
  ['/jobs/import', 'import'],
  ['/compare?a=trip&b=import', 'Compare'],
  ['/waiting', 'Waiting'],
  ['/objects', 'Objects'],
  ['/state', 'State'],
  ['/system', 'System'],
] as const;

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as readonly { id: string; impact: string; nodes: readonly { html: string; failureSummary: string }[] }[];
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

describe.skipIf(!hasBrowser)('every screen', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('is accessible in %s at %i', timeout, async (colorScheme, width) => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'trip', labels: ['travel'] });
    await inspected.kit.submit(broken, { id: 'import' });
    await inspected.kit.submit(careful, { id: 'backup' });
    await inspected.kit.submit(parent, { id: 'family' });
    const page = await inspected.page(browser.current, '/jobs', {
      colorScheme,
      viewport: { width, height: 720 },
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    for (const [place, heading] of screens) {
      await page.goto(`${inspected.listening.url}#${place}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      expect({ place, violations: await violations(page) }).toEqual({ place, violations: [] });
    }
  });
});
