// Objects, the system, and the page below a prefix, in a browser.
import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Agent, Durable, idOf, Models, program, Statek, tags } from '../../src/index.ts';
import { server } from '../../src/server.ts';
import { hotRows } from '../../src/kit/hot-objects.ts';
import { StoreSizes } from '../../src/kit/store-sizes.ts';
import { scriptedModel, SimulatedClock } from '../../src/testing.ts';
import { hasBrowser, useBrowser } from './support/browsers.ts';
import { Inspected, token } from './support/inspected.ts';
import { all, broken, careful, trip } from './support/programs.ts';
import { slow } from './support/slow.ts';

const browser = useBrowser();
const timeout = { timeout: 90_000 };
const patient = { timeout: 30_000 };

class Room extends Durable {
  name = '';
  seats = 1;
  next: Room | undefined;
}

const painter = program({
  role: 'painter',
  source: `room.seats = 12; await approve('Good?'); room.seats = 14; 'painted'`,
});

describe.skipIf(!hasBrowser)('the other screens', () => {
  it('show objects, what refers to them, what they were, and which job changed them', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: [painter], classes: [Room] });
    const { kit } = inspected;
    const [red, blue] = await kit.transaction(() => {
      const first = new Room();
      first.name = 'red';
      const second = new Room();
      second.name = 'blue';
      second.next = first;
      tags(second).add('large');
      return [first, second];
    });
    await kit.submit(painter, { id: 'painting', vars: { room: blue } });
    const page = await inspected.page(browser.current, '/objects');
    const row = page.getByRole('row').filter({ hasText: '"blue"' });
    await row.getByText('12').waitFor();
    // The variable of the job leads to the object.
    await page.goto(`${inspected.listening.url}#/jobs/painting`);
    await page.getByRole('treeitem').filter({ hasText: 'room' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Room' }).waitFor();
    await page.getByText('seats:').filter({ hasText: '12' }).waitFor();
    await page.getByRole('link', { name: 'painting' }).first().waitFor();
    // Live, and back in time.
    const { waiting } = { waiting: await (await kit.job('painting')).waiting() };
    await kit.approve(waiting[0]?.id ?? '');
    await page.getByText('seats:').filter({ hasText: '14' }).waitFor();
    await page
      .getByRole('button', { name: /^revision/ })
      .last()
      .click();
    await expect
      .poll(() => page.locator('.field-line').filter({ hasText: 'seats' }).innerText(), patient)
      .toMatch(/1$/);
    await page.getByRole('button', { name: 'Now' }).click();
    await page.locator('.field-line').filter({ hasText: 'next' }).getByRole('link').click();
    await page.getByText(idOf(red)).first().waitFor();
    await page
      .getByRole('link', { name: /^Room/ })
      .filter({ hasText: idOf(blue).slice(-6) })
      .waitFor();
  });

  it('show what state managers keep', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    const { kit } = inspected;
    await kit.state.save('agent:clerk', { mood: 'calm', rooms: [1, 2] });
    const page = await inspected.page(browser.current, '/state');
    await page.getByRole('button', { name: 'agent:clerk' }).click();
    await page.getByText('"mood": "calm"').waitFor();
    // Whatever writes it, it is shown after a moment.
    await kit.state.save('agent:clerk', { mood: 'busy' });
    await page.getByText('"mood": "busy"').waitFor();
    await page.getByLabel('Keys that begin with').fill('nothing');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing here').waitFor();
    for (const [tab, answer] of [
      ['Workflows', 'trip'],
      ['Teams and queues', 'Nothing here'],
      ['Knowledge', 'Nothing here'],
      ['Speech', 'Nothing here'],
    ] as const) {
      if (tab === 'Workflows') await kit.submit(trip, { id: 'trip' });
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).getByText(answer).first().waitFor();
    }
    await page.getByRole('tab', { name: 'Tools' }).click();
    await expect.poll(() => page.getByRole('tabpanel', { name: 'Tools' }).innerText(), patient).not.toBe('');
  });

  it('show the system as it is', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(broken, { id: 'import' });
    await inspected.kit.submit(trip, { id: 'trip' });
    for (const day of [1, 2])
      await new StoreSizes(inspected.kit.store, new SimulatedClock(Date.UTC(2026, 0, day))).measure();
    const page = await inspected.page(browser.current, '/system');
    await page.getByText(/B on 2026-01-01, .*B on 2026-01-02/).waitFor();
    await page.getByRole('link', { name: 'import' }).waitFor();
    const waiting = page.locator('.figure').filter({ hasText: 'waiting' });
    await expect.poll(() => waiting.innerText(), patient).toMatch(/^1/);
    await inspected.kit.submit(careful, { id: 'backup' });
    await expect.poll(() => waiting.innerText(), patient).toMatch(/^2/);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Metrics' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('metrics.txt');
  });

  it('show who holds what, who died over it, and what is kept', timeout, async () => {
    const drivers = [...all, slow.program];
    await using inspected = await Inspected.open({ drivers, services: { mail: slow.mail } }, { work: false });
    await inspected.kit.submit(slow.program, { id: 'letter', vars: { mail: slow.mail } });
    const page = await inspected.page(browser.current, '/system');
    const card = (title: string): Locator =>
      page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    await card('Leases').getByText('No process holds a job').waitFor();
    await card('Crashes').getByText('No process has died').waitFor();
    await card('Retention').getByText('1,000 commits').waitFor();
    await card('Retention').getByText('not yet').waitFor();
    const start = async (): Promise<ChildProcess> => {
      const child = fork(join(import.meta.dirname, 'support/worker-child.ts'), [inspected.folder]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child, 'message');
      return child;
    };
    const first = await start();
    await card('Leases').getByRole('link', { name: 'letter' }).waitFor();
    first.kill('SIGKILL');
    await start();
    await card('Crashes').getByRole('link', { name: 'letter' }).waitFor();
    expect(await inspected.kit.crashes()).toMatchObject([{ job: 'letter', times: 1 }]);
  });

  it('show schedules, which are paused and resumed there', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.schedule('yearly', { cron: '0 0 1 1 *', submit: { role: trip } });
    const page = await inspected.page(browser.current, '/system');
    const row = page.getByRole('row').filter({ hasText: 'yearly' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused').waitFor();
    expect((await (await inspected.kit.findSchedule('yearly')).state()).paused).toBe(true);
    await row.getByRole('button', { name: 'Resume' }).click();
    await row.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await (await inspected.kit.findSchedule('yearly')).state()).paused).toBe(false);
    // What another process does about it is shown by itself.
    await (await inspected.kit.findSchedule('yearly')).pause();
    await row.getByText('paused').waitFor();
  });

  it('show tenants with what they may use, and jobs that wait for another version', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all, version: '1' });
    await inspected.kit.submit(trip, { id: 'old', labels: ['tenant:acme'] });
    const page = await inspected.page(browser.current, '/system');
    const card = (title: string): Locator =>
      page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    const acme = card('Tenants').getByRole('row').filter({ hasText: 'acme' });
    await acme.waitFor();
    await inspected.kit.tenants.limit('acme', { jobsAtOnce: 7, costPerDay: 25 });
    await acme.getByText('of 7').waitFor();
    await acme.getByText('of $25').waitFor();
    const next = await Statek.open({ store: inspected.folder, drivers: all, version: '2' });
    await next.submit(trip, { id: 'new' });
    await next.close();
    await card('Queues').getByText('1 job for version 2 or later').waitFor();
    const late = await inspected.page(browser.current, '/jobs/new');
    await late.getByText('No worker of version 2 or later works on it now.').waitFor();
    const early = await inspected.page(browser.current, '/jobs/old');
    await early.getByText('1 · continue').waitFor();
    expect(await early.getByText('works on it now').count()).toBe(0);
  });

  it('show slow slices and hot objects', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all, slowSliceMilliseconds: 0 });
    const { kit } = inspected;
    await kit.submit(trip, { id: 'trip' });
    await kit.store.declare(hotRows);
    const key = [Math.floor(Date.now() / 3_600_000), 'another process'];
    const value = { objects: [{ id: 'room1', type: 'Room', conflicts: 1234 }] };
    await kit.store.commit([{ writes: [{ kind: 'put', collection: hotRows, key, value }] }]);
    const page = await inspected.page(browser.current, '/system');
    const card = (title: string): Locator =>
      page.locator('.card').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    await card('Hot objects').getByRole('row').filter({ hasText: 'room1' }).getByText('1,234').waitFor();
    await card('Slow slices').getByRole('link', { name: 'trip' }).first().waitFor();
    expect(inspected.problems).toEqual([]);
  });

  it('show what models cost, day by day', timeout, async () => {
    const script = scriptedModel([{ fault: 'overloaded' }, 'Good morning.']);
    const clerk = new Agent({
      role: 'clerk',
      chatStyle: 'MD_DIALOG',
      metadata: { MODEL: 'script' },
      systemPrompt: 'You greet people.',
    });
    const clumsy = new Agent({ role: 'clumsy', metadata: { MODEL: 'refused' }, systemPrompt: 'You are refused.' });
    const refused = scriptedModel([{ fault: 'auth' }]);
    await using inspected = await Inspected.open({
      agents: [clerk, clumsy],
      models: new Models({ models: { script, refused } }),
    });
    await (await inspected.kit.submit(clerk, { id: 'talk', message: 'Hello' })).result();
    await expect((await inspected.kit.submit(clumsy, { id: 'no', message: 'Hello' })).result()).rejects.toThrow('auth');
    const page = await inspected.page(browser.current, '/system');
    const day = page.getByRole('row').filter({ hasText: new Date().toISOString().slice(0, 10) });
    // One turn, which needed a second request, and one job that failed.
    await expect.poll(() => day.innerText(), patient).toMatch(/\s1\s[\s\S]*\s2$/);
    const model = page.getByRole('row').filter({ hasText: 'scripted/scripted' }).filter({ hasText: 'clumsy' });
    expect(await model.innerText()).toMatch(/scripted\/scripted\s+clumsy\s+0\s[\s\S]*\s1$/);
  });

  it('work below a prefix of another server', timeout, async () => {
    await using inspected = await Inspected.open({ drivers: all });
    await inspected.kit.submit(trip, { id: 'trip' });
    const below = server(inspected.kit, { token, prefix: '/tools/statek' });
    const host = createServer((request, response) =>
      below.node(request, response, () => response.writeHead(404).end('not mine')),
    );
    host.listen(0, '127.0.0.1');
    await once(host, 'listening');
    const { port } = host.address() as AddressInfo;
    const page = await inspected.page(browser.current);
    await page.goto(`http://127.0.0.1:${port}/tools/statek#token=${token}&to=${encodeURIComponent('/jobs/trip')}`);
    await page.getByText('Which day for the Blue room?').first().waitFor();
    expect(page.url()).toMatch(/\/tools\/statek\/#\/jobs\/trip$/);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    host.closeAllConnections();
    host.close();
  });
});
