// One job, in a browser: time, code, variables, console, calls, watch and find, and every verb.
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Agent, Models, Statek } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing.ts';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected } from './support/inspected.ts';
import { all, broken, careful, counter, stepwise, trip } from './support/programs.ts';

const browser = useBrowser();
const timeout = { timeout: 90_000 };
const patient = { timeout: 30_000 };

const textOf = (page: Page, label: string): Promise<string> => page.getByLabel(label, { exact: true }).innerText();
const variablesIn = (page: Page): Promise<string> => page.getByRole('tree', { name: 'Variables' }).innerText();
const lastCommit = async (page: Page): Promise<number> =>
  Number(await page.getByLabel('Commit', { exact: true }).getAttribute('max'));
const consoleScroll = "document.querySelector('.console').scrollTop";

describe.skipIf(!hasBrowser)('a job', () => {
  it('shows the moment that the slider stands at, everywhere', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const job = await inspected.kit.submit(counter, { id: 'count', input: 6 });
    await job.result();
    const page = await inspected.page(browser.current, '/jobs/count');
    await page.getByText('round 6').waitFor();
    await page.getByRole('treeitem').filter({ hasText: 'count' }).getByText('6').waitFor();
    // Back by the keyboard, and forth by the slider.
    for (let count = 0; count < 3; count++) await page.keyboard.press('[');
    const shown = async (): Promise<number> =>
      Number(/count\s*(?:(?:changed|added)\s*)?(\d+)/.exec(await variablesIn(page))?.[1]);
    // The last commit only ends the loop, so the one three before it is of the fourth round.
    const then = 4;
    await expect.poll(shown, patient).toBe(then);
    await expect.poll(() => textOf(page, 'Lines'), patient).toContain(`round ${then}`);
    expect(await textOf(page, 'Lines')).not.toContain('round 6');
    expect(page.url()).toContain('at=');
    // The address leads there again.
    await page.reload();
    await expect.poll(shown, patient).toBe(then);
    // The names that this commit changed are marked, and the difference to another commit can be seen.
    await page.locator('[role=treeitem][data-change=changed]').filter({ hasText: 'count' }).waitFor();
    await page.getByLabel('Difference to commit').fill('2');
    await page.locator('.difference').filter({ hasText: 'log' }).waitFor();
    await page.getByRole('button', { name: 'Show variables' }).click();
    await page.getByRole('button', { name: 'Latest' }).click();
    await expect.poll(shown, patient).toBe(6);
    // A click on the timeline leads to the commit that was the latest then; it zooms with the keyboard.
    const timeline = page.getByRole('img', { name: /Timeline: .*slices/ });
    await timeline.click({ position: { x: 80, y: 110 } });
    await expect.poll(shown, patient).toBeLessThan(3);
    await timeline.press('+');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Show all' }).count(), patient).toBe(0);
  });

  it('goes on by itself, and nothing opened, chosen or scrolled is lost', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(stepwise, { id: 'steps' });
    for (let round = 0; round < 4; round++) await inspected.kit.signal('next round', `before ${round}`);
    const page = await inspected.page(browser.current, '/jobs/steps');
    await page.getByText('round 4 before 3').first().waitFor();
    await page.getByLabel('Open list').click();
    await page.getByLabel('Open 7', { exact: true }).click();
    await page
      .getByRole('treeitem')
      .filter({ hasText: /^name'item 7'$/ })
      .waitFor();
    await page.evaluate(`${consoleScroll} = 0`);
    await inspected.kit.signal('next round', 'later');
    await page.getByText('round 5 later').first().waitFor({ state: 'attached' });
    await expect.poll(() => variablesIn(page), patient).toMatch(/rounds\s*changed\s*5/);
    await page
      .getByRole('treeitem')
      .filter({ hasText: /^name'item 7'$/ })
      .waitFor();
    expect(await page.evaluate(consoleScroll)).toBe(0);
    // Whoever looks at an older moment stays there.
    await page.keyboard.press('[');
    await expect.poll(() => variablesIn(page), patient).toMatch(/rounds\s*changed\s*4/);
    const before = await lastCommit(page);
    await inspected.kit.signal('next round', 'even later');
    await expect.poll(() => lastCommit(page), patient).toBe(before + 1);
    expect(await variablesIn(page)).toMatch(/rounds\s*changed\s*4/);
  });

  it('marks the line where the program waits, now and at older commits', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'trip' });
    const page = await inspected.page(browser.current, '/jobs/trip');
    const line = page.locator('.waits-here');
    await line.filter({ hasText: 'await ask' }).waitFor();
    for (const day of ['Monday', 'Tuesday']) {
      await page.getByLabel('Answer', { exact: true }).fill(day);
      await page.getByRole('button', { name: 'Answer' }).click();
      if (day === 'Monday') await page.getByText('Which day for the Red room?').first().waitFor();
    }
    await line.filter({ hasText: 'await approve' }).waitFor();
    await expect.poll(() => lastCommit(page), patient).toBe(4);
    await page.keyboard.press('[');
    await line.filter({ hasText: 'await ask' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Completed').first().waitFor();
    expect(await (await inspected.kit.job('trip')).result()).toBe('Monday and Tuesday');
  });

  it('is paused, resumed, cancelled, retried, rolled back and deleted', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'trip' });
    const page = await inspected.page(browser.current, '/jobs/trip');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByLabel('Answer', { exact: true }).fill('Monday');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Which day for the Red room?').first().waitFor();
    // The question can be there before its commit is; going back counts from the last commit that the slider knows.
    await expect.poll(() => lastCommit(page), patient).toBe(3);
    await page.keyboard.press('[');
    await page.getByText('commit 2').waitFor();
    await page.getByRole('button', { name: 'Roll back' }).first().click();
    await page.locator('form').getByRole('button', { name: 'Roll back' }).click();
    // What was answered stays answered: it goes on from there at once.
    await page.getByText('commit 5').waitFor();
    const kinds = (await (await inspected.kit.job('trip')).commits()).map(({ kind }) => kind);
    expect(kinds.slice(0, 2)).toEqual(['resumed', 'rolledBack']);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('Reason').fill('no time');
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByText('Cancelled').first().waitFor();
    await page.getByText('no time').first().waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => page.url(), patient).not.toMatch(/jobs\/trip(\?|$)/);
    await page.goto(`${inspected.listening.url}#/jobs/trip`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await expect.poll(() => page.url(), patient).toMatch(/#\/jobs$/);
    await expect(inspected.kit.job('trip')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is sent the signal that it waits for', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(stepwise, { id: 'steps' });
    const page = await inspected.page(browser.current, '/jobs/steps');
    await page.getByLabel('Payload of the signal next round').fill('by hand');
    await page.getByRole('button', { name: 'Send the signal' }).click();
    await page.getByText('round 1 by hand').first().waitFor();
    expect(await (await inspected.kit.job('steps')).local('rounds')).toBe(1);
  });

  it('is forked with another model', timeout, async () => {
    const clerk = new Agent({
      role: 'clerk',
      chatStyle: 'MD_DIALOG',
      metadata: { MODEL: 'first' },
      systemPrompt: 'You greet people.',
    });
    const models = new Models({
      models: {
        // A job that only talks has no program, and only a program has commits that a fork can begin at.
        first: scriptedModel(['```ts\nconst visits = 1;\n```', 'I am the first.']),
        second: scriptedModel(['I am the second.']),
      },
    });
    await using inspected = await Inspected.open({ agents: [clerk], models });
    await (await inspected.kit.submit(clerk, { id: 'talk', message: 'Who are you?' })).result();
    const page = await inspected.page(browser.current, '/jobs/talk');
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByLabel('Id of the fork').fill('other');
    await page.getByLabel('Model', { exact: true }).fill('second');
    await page.getByLabel('Message to it').fill('And who are you?');
    await page.locator('form').getByRole('button', { name: 'Fork' }).click();
    await expect
      .poll(
        async () => JSON.stringify(await (await inspected.kit.job('other')).chat()).includes('I am the second.'),
        patient,
      )
      .toBe(true);
  });

  it('watches and finds, forks with another value, and compares the two', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(broken, { id: 'import' });
    await inspected.kit.submit(trip, { id: 'trip' });
    const page = await inspected.page(browser.current, '/jobs/import?tab=watch');
    await page.locator('.fails-here').filter({ hasText: 'a row has no price' }).waitFor();
    await page.getByLabel(/An expression/).fill('total');
    await page.getByRole('button', { name: 'Watch over time' }).click();
    await expect.poll(() => textOf(page, 'Values'), patient).toContain('NaN');
    await page.getByLabel(/An expression/).fill('Number.isNaN(total)');
    await page.getByRole('button', { name: 'Find when it became true' }).click();
    await page.getByText(/is true since commit/).waitFor();
    await page.getByRole('button', { name: 'Go to the commit before' }).click();
    await page.getByRole('tab', { name: 'Variables' }).click();
    await expect.poll(() => variablesIn(page), patient).toMatch(/total\s*(changed\s*)?3/);
    await page.goto(`${inspected.listening.url}#/jobs/trip`);
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByLabel('Id of the fork').fill('other trip');
    await page.getByRole('button', { name: 'Change a variable' }).click();
    await page.getByLabel('Variable', { exact: true }).fill('booked');
    await page.getByLabel('Its value as JSON').fill('40');
    await page.locator('form').getByRole('button', { name: 'Fork' }).click();
    await page.getByText('The fork is other trip.').waitFor();
    await page.getByRole('link', { name: 'Compare the two' }).click();
    await page.getByRole('heading', { name: 'Compare' }).waitFor();
    const variable = page.locator('.variable').filter({ hasText: 'booked' });
    await expect.poll(() => variable.innerText(), patient).toContain('40');
  });

  it('shows the chat of an agent with its requests and its calls, and is talked to', timeout, async () => {
    const clerk = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' } });
    const script = scriptedModel([
      '```ts\nconst rooms = 2 + 1; print(rooms)\n```',
      'There are three.',
      'You are welcome.',
    ]);
    await using inspected = await Inspected.open({ agents: [clerk], models: new Models({ models: { script } }) });
    await inspected.kit.submit(clerk, { id: 'talk', message: 'How many rooms?' });
    const page = await inspected.page(browser.current, '/jobs/talk?tab=chat');
    const chat = page.getByRole('log', { name: 'Conversation' });
    await chat.getByText('There are three.').waitFor();
    await chat.getByRole('button', { name: 'Exact request' }).first().click();
    await expect.poll(() => chat.innerText(), patient).toContain('"messages"');
    await page.getByLabel('Message', { exact: true }).fill('Thank you.');
    await page.getByRole('button', { name: 'Say' }).click();
    await chat.getByText('You are welcome.').waitFor();
    await page.getByRole('tab', { name: 'Calls' }).click();
    await page.getByRole('button', { name: /model/ }).first().click();
    await page.getByText('Tries').waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('region', { name: 'Events' }).getByText('submitted').waitFor();
    await page.getByLabel(/Search in .* events/).fill('message');
    await expect
      .poll(() => page.getByRole('region', { name: 'Events' }).innerText(), patient)
      .not.toContain('submitted');
  });

  it('is denied with a reason, and exported to a file that shows it elsewhere', timeout, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-web-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'job.statek');
    {
      await using inspected = await Inspected.open({ drivers: all });
      await inspected.kit.submit(careful, { id: 'clean up' });
      const page = await inspected.page(browser.current, '/jobs/clean%20up');
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByLabel('Reason').fill('it is the only one');
      await page.getByRole('button', { name: 'Deny', exact: true }).click();
      await page.getByText('Completed').first().waitFor();
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export' }).click(),
      ]);
      await saved.saveAs(file);
    }
    const elsewhere = await Statek.open({ store: 'memory:' });
    onTestFinished(() => elsewhere.close());
    const job = await elsewhere.importJob(createReadStream(file));
    expect(await job.result()).toMatch(/^kept: .*it is the only one$/);
  });
});
