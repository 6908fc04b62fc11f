// What goes wrong around the page while it is open: the server goes away, the process that works is killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected } from './support/inspected.ts';
import { all, counter, trip } from './support/programs.ts';
import { slow } from './support/slow.ts';

const browser = useBrowser();
const timeout = { timeout: 120_000 };
const patient = { timeout: 60_000 };

describe.skipIf(!hasBrowser)('the page', () => {
  it('says that the connection is lost, heals, and shows what it missed', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'before' });
    const page = await inspected.page(browser.current);
    await page.getByRole('row').filter({ hasText: 'before' }).getByText('Waiting').waitFor();
    await inspected.withoutServer(async () => {
      await page.getByText('The connection to the server is lost').waitFor();
      await inspected.kit.submit(counter, { id: 'meanwhile', input: 1 });
      await (await inspected.kit.job('before')).cancel('meanwhile');
    });
    await page.getByText('Live').waitFor(patient);
    await page.getByRole('row').filter({ hasText: 'meanwhile' }).getByText('Completed').waitFor(patient);
    await page.getByRole('row').filter({ hasText: 'before' }).getByText('Cancelled').waitFor(patient);
    expect(await page.getByText('The connection to the server is lost').count()).toBe(0);
    // A screen whose files could not be loaded is loaded when the server is there again.
    await inspected.withoutServer(async () => {
      await page.getByText('The connection to the server is lost').waitFor();
      await page.getByRole('link', { name: 'System', exact: true }).click();
      await page.getByText('This screen could not be loaded').waitFor();
    });
    await page.getByRole('heading', { name: 'Queues' }).waitFor(patient);
  });

  it('shows that a process was killed, and that another one goes on', timeout, async () => {
    await using inspected = await Inspected.open(
      { drivers: [...all, slow.program], services: { mail: slow.mail } },
      { work: false },
    );
    await inspected.kit.submit(slow.program, { id: 'letter', vars: { mail: slow.mail } });
    const start = async (): Promise<ReturnType<typeof fork>> => {
      const child = fork(join(import.meta.dirname, 'support/worker-child.ts'), [inspected.folder]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child, 'message');
      return child;
    };
    const page = await inspected.page(browser.current, '/jobs/letter');
    const first = await start();
    await page.getByRole('log', { name: 'Lines' }).getByText('before').waitFor();
    await expect
      .poll(() => page.getByRole('img', { name: /Timeline/ }).getAttribute('aria-label'), patient)
      .toContain('1 call');
    const ended = once(first, 'exit');
    first.kill('SIGKILL');
    await ended;
    const second = await start();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('region', { name: 'Events' }).getByText('crashed').waitFor(patient);
    await expect
      .poll(() => page.getByRole('img', { name: /Timeline/ }).getAttribute('aria-label'), patient)
      .toContain('A process died');
    const over = once(second, 'exit');
    second.kill('SIGKILL');
    await over;
  });
});
