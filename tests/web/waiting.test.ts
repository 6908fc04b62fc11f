// The inbox, in browsers: everything a person can decide, two people at once, and on a phone.
import { describe, expect, it } from 'vitest';
import { server } from '../../src/server.ts';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected, token } from './support/inspected.ts';
import { all, careful, trip } from './support/programs.ts';

const browser = useBrowser();
const timeout = { timeout: 90_000 };
const patient = { timeout: 30_000 };

describe.skipIf(!hasBrowser)('the inbox', () => {
  it('shows questions as they come, and answers them on a phone', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
    const page = await inspected.page(browser.current, '/waiting', phone);
    await page.getByText('Nothing waits for you').waitFor();
    await inspected.kit.submit(trip, { id: 'trip' });
    const question = page.getByRole('listitem').filter({ hasText: 'Blue room' });
    await question.getByLabel('Answer').fill('Monday');
    await question.getByRole('button', { name: 'Answer' }).tap();
    await question.getByText('Answered: Monday').waitFor();
    const next = page.getByRole('listitem').filter({ hasText: 'Red room' });
    await next.getByLabel('Answer').fill('"Tuesday"');
    await next.getByLabel('JSON').check();
    await next.getByRole('button', { name: 'Answer' }).tap();
    const payment = page.getByRole('listitem').filter({ hasText: 'Pay for 3 beds?' });
    await payment.getByText('"amount": 240').waitFor();
    await payment.getByRole('button', { name: 'Approve' }).tap();
    expect(await (await inspected.kit.job('trip')).result()).toBe('Monday and Tuesday');
    // Nothing is wider than the phone.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('shows who decided first, and overwrites nothing', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const others = await server(inspected.kit, {
      authorize: (request) =>
        request.headers.get('authorization') === 'Bearer token-of-berta-abc'
          ? { name: 'berta', rights: ['read', 'answer'] }
          : undefined,
    }).listen();
    try {
      await inspected.kit.submit(careful, { id: 'backup' });
      const mine = await inspected.page(browser.current, '/waiting');
      const hers = await inspected.page(browser.current, '/waiting');
      await hers.goto(`${others.url}#token=token-of-berta-abc&to=${encodeURIComponent('/waiting')}`);
      await hers.getByRole('button', { name: 'Approve' }).waitFor();
      await mine.getByRole('button', { name: 'Deny' }).click();
      await mine.getByLabel('Reason').fill('it is the only one');
      // Her page does not hear of mine: she decides on what she saw.
      await hers.route('**/v1/events*', (route) => route.abort());
      await hers.route('**/v1/waiting?*', (route) => route.abort());
      await mine.getByRole('button', { name: 'Deny', exact: true }).click();
      await mine.getByText('Denied').waitFor();
      await hers.getByRole('button', { name: 'Approve' }).click();
      const refused = hers.getByRole('listitem').getByRole('status');
      await expect.poll(() => refused.innerText(), patient).toMatch(/owner/);
      expect(await (await inspected.kit.job('backup')).result()).toContain('it is the only one');
    } finally {
      await others.close();
    }
  });

  it('says that something was decided elsewhere, in its place', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(careful, { id: 'backup' });
    const page = await inspected.page(browser.current, '/waiting');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { waiting } = (await (await fetch(`${inspected.listening.url}v1/waiting`, { headers })).json()) as {
      waiting: { id: string }[];
    };
    const id = encodeURIComponent(waiting[0]?.id ?? '');
    await fetch(`${inspected.listening.url}v1/waiting/${id}/approve`, { method: 'POST', headers, body: '{}' });
    await page.getByText('Nobody waits for this any more').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.getByText('Delete the backup?').count()).toBe(1);
  });
});
