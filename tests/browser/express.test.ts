// The shop of examples/express in a real browser: its page follows jobs with the browser's own EventSource, over a server that is
// killed, and a webhook becomes a signal.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { browserProgram, launchBrowser } from '../support/browser.ts';

const program = browserProgram();

async function start(store: string, port = '0'): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = fork(join(import.meta.dirname, 'support/express-child.ts'), [store, port], {
    cwd: join(import.meta.dirname, '../..'),
    execArgv: ['--import', './examples/from-source.ts'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

it.skipIf(program === undefined)('shows what becomes of orders, through a kill -9', async () => {
  const store = mkdtempSync(join(tmpdir(), 'statek-express-'));
  onTestFinished(() => rmSync(store, { recursive: true, force: true }));
  const first = await start(store);
  const post = async (path: string, body: unknown): Promise<number> =>
    (
      await fetch(`${first.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;
  const browser = await launchBrowser(program ?? '');
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(first.url);
  const orders = (): Promise<string[]> => page.locator('li').allInnerTexts();
  expect(await post('orders', { id: '7', item: 'a lamp', to: 'Ann' })).toBe(201);
  await expect.poll(orders, { timeout: 60_000 }).toEqual(['order-7: waits for payment']);

  const killed = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await killed;
  await start(store, new URL(first.url).port);
  // Sent twice, as webhooks are.
  expect(await post('webhooks/payments', { order: '7', amount: 40 })).toBe(204);
  expect(await post('webhooks/payments', { order: '7', amount: 40 })).toBe(204);
  // The page was not touched: it has connected again by itself.
  await expect.poll(orders, { timeout: 60_000 }).toEqual(['order-7: 40 EUR received, parcel order-7/2 sent to Ann']);
  // Visitors may look and change nothing.
  expect(await post('statek/v1/jobs/order-7/cancel', {})).toBe(403);
});
