// The page of examples/chat-app in a real browser: React's own `useChat`, and nothing else clever. The model waits where a test
// says, so nothing depends on speed.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../../examples/chat-app/build-page.ts';
import { browserProgram, launchBrowser } from '../support/browser.ts';

const root = join(import.meta.dirname, '../..');
const program = browserProgram();
const tsc = join(root, 'node_modules/.bin/tsc');
const timeout = 120_000;
const folder = mkdtempSync(join(tmpdir(), 'statek-browser-'));
const built = join(folder, 'page');

interface Application {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts the application on a store of its own, or again on that of an earlier one. */
async function start(store: string, port = '0'): Promise<Application> {
  const child = fork(join(import.meta.dirname, 'support/chat-app-child.ts'), [join(folder, store), built, port], {
    cwd: root,
    execArgv: ['--import', './examples/from-source.ts'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

async function kill({ child }: Application): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const code = (...lines: string[]): string => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
const say = async (page: Page, ...replies: (string | null)[][]): Promise<void> => {
  await page.getByLabel('Message').fill(JSON.stringify(replies));
  await page.getByRole('button', { name: 'Send' }).click();
};
/** What the last message shows in words, code aside. */
const shown = async (page: Page): Promise<string> =>
  (await page.locator('article').last().locator('p').allInnerTexts())
    .map((text) => text.replaceAll(/\s*```[\s\S]*?(```|$)/g, '').trim())
    .join('|');
const until = async (page: Page, text: string): Promise<void> => {
  await expect.poll(() => shown(page), { timeout: 60_000 }).toBe(text);
};
const status = async (page: Page, wanted: string): Promise<void> =>
  page.locator(`form[data-status=${wanted}]`).waitFor({ timeout: 60_000 });
const messages = async (page: Page): Promise<number> => page.locator('article').count();

it('has the right types', { timeout }, () => {
  const checked = spawnSync(tsc, ['-p', 'examples/chat-app/page'], { cwd: root, encoding: 'utf8' });
  expect([checked.status, checked.stdout]).toEqual([0, '']);
});

describe.skipIf(program === undefined)('the page', { timeout }, () => {
  let browser: Browser;
  let application: Application;
  let name = 0;

  beforeAll(async () => {
    [browser] = await Promise.all([launchBrowser(program ?? ''), buildPage(built)]);
    application = await start('shared');
  }, timeout);

  afterAll(async () => {
    await browser.close();
    await kill(application);
    rmSync(folder, { recursive: true, force: true });
  }, timeout);

  async function open(url = `${application.url}#talk-${++name}`): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.getByLabel('Message').waitFor();
    return page;
  }
  const allow = (): void => void application.child.send('allow');

  it('shows text as it streams, calls, and what code prints', async () => {
    const page = await open();
    await say(page, ['One, ', null, `two.\n${code("print(await freeRooms('Monday'))")}`], ['Three.']);
    await until(page, 'One,');
    await status(page, 'streaming');
    allow();
    await status(page, 'ready');
    expect(await shown(page)).toBe('One, two.|Three.');
    await page.locator('[data-call=freeRooms][data-state=output-available]').waitFor();
    expect(await page.locator('pre').innerText()).toContain("room: 'blue'");
    await page.context().close();
  });

  it.each([
    ['Approve', 'output-available', 'blue on Monday, receipt'],
    ['Deny', 'output-denied', 'DeniedError'],
  ])('waits for a decision: %s', async (button, state, printed) => {
    const page = await open();
    const booking = code("try { print(await book('blue', 'Monday')) }", 'catch (error) { print(error.name) }');
    await say(page, [booking], ['Done.']);
    await page.locator('[data-call=book][data-state=approval-requested]').waitFor();
    await page.getByRole('button', { name: button }).click();
    await page.locator(`[data-call=book][data-state=${state}]`).waitFor();
    await expect.poll(() => shown(page), { timeout: 60_000 }).toContain('Done.');
    expect(await page.locator('pre').innerText()).toContain(printed);
    // Loaded again, it shows the same.
    await status(page, 'ready');
    const before = await page.locator('article').allInnerTexts();
    await page.reload();
    await expect.poll(() => page.locator('article').allInnerTexts(), { timeout: 60_000 }).toEqual(before);
    await page.context().close();
  });

  it('asks, and the next message answers', async () => {
    const page = await open();
    await say(page, [code("print(await ask('Which day?'))")], ['Noted.']);
    await expect.poll(() => shown(page), { timeout: 60_000 }).toContain('Which day?');
    await status(page, 'ready');
    await page.getByLabel('Message').fill('Friday');
    await page.getByRole('button', { name: 'Send' }).click();
    await until(page, 'Noted.');
    expect(await page.locator('pre').last().innerText()).toBe('Friday');
    expect(await messages(page)).toBe(4);
    await page.context().close();
  });

  it('stops, and goes on with the next message', async () => {
    const page = await open();
    await say(page, ['Never ', null, 'ending.']);
    await until(page, 'Never');
    await page.getByRole('button', { name: 'Stop' }).click();
    await status(page, 'ready');
    await say(page, ['Here again.']);
    await until(page, 'Here again.');
    expect(await messages(page)).toBe(4);
    await page.context().close();
  });

  it('goes on in the middle of an answer after a reload, and in other tabs', async () => {
    const page = await open();
    await say(page, [`First.\n${code("print('a step')")}`], ['Second, ', null, 'third, ', null, 'fourth.']);
    await until(page, 'First.|Second,');
    await page.reload();
    await until(page, 'First.|Second,');
    const tabs = [page, await open(page.url()), await open(page.url())];
    for (const tab of tabs) await until(tab, 'First.|Second,');
    allow();
    for (const tab of tabs) await until(tab, 'First.|Second, third,');
    // A tab that is closed stops nothing.
    await tabs[1]?.context().close();
    allow();
    for (const tab of [tabs[0], tabs[2]] as Page[]) {
      await until(tab, 'First.|Second, third, fourth.');
      await status(tab, 'ready');
      expect(await messages(tab)).toBe(2);
      expect(await tab.locator('pre').allInnerTexts()).toEqual(['a step']);
      await tab.context().close();
    }
  });

  it('goes on after the server was killed with -9 in the middle of an answer', async () => {
    const first = await start('killed');
    const page = await open(`${first.url}#talk`);
    const booking = code("print(await book('blue', 'Monday'))");
    await say(page, [booking], ['Booked, ', null, 'and paid.']);
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => shown(page), { timeout: 60_000 }).toContain('Booked,');
    await kill(first);
    await page.getByRole('alert').waitFor();
    const second = await start('killed', new URL(first.url).port);
    try {
      // The page heals by itself.
      await expect.poll(() => page.getByRole('alert').count(), { timeout: 60_000 }).toBe(0);
      await expect.poll(() => shown(page), { timeout: 60_000 }).toContain('Booked,');
      second.child.send('allow');
      await expect.poll(() => shown(page), { timeout: 60_000 }).toContain('Booked, and paid.');
      await status(page, 'ready');
      expect(await messages(page)).toBe(2);
      expect(await page.locator('[data-call=book]').count()).toBe(1);
      expect(await page.locator('pre').count()).toBe(1);
      expect((await page.locator('article').last().innerText()).match(/Booked,/g)).toHaveLength(1);
      // It talks on, with everything it had.
      await say(page, ['Still here.']);
      await until(page, 'Still here.');
      expect(await messages(page)).toBe(4);
    } finally {
      await kill(second);
    }
    // What is said while nobody is there is sent as soon as somebody is, once.
    await say(page, ['Heard you.']);
    await page.getByRole('alert').waitFor();
    const third = await start('killed', new URL(first.url).port);
    try {
      await until(page, 'Heard you.');
      await status(page, 'ready');
      expect(await messages(page)).toBe(6);
    } finally {
      await page.context().close();
      await kill(third);
    }
  });
});
