// Jobs that start jobs.
import { expect, it } from 'vitest';
import { openStore, program, type Driver, type JobMessage } from '../../src/index.ts';
import { openKit } from '../workspace/support/kits.ts';

const anything = program({ role: 'anything', source: String });

it('waits for the results of children, and for their failures', async () => {
  const double = program({ role: 'double', source: `if (x < 0) throw new RangeError('negative'); x * 2` });
  const kit = await openKit({ drivers: [anything, double] });
  const job = await kit.submit(anything, {
    id: 'parent',
    input: `await Promise.all([1, -1, 3].map((x) => delegate('double', { vars: { x } }).catch((e) => e.name + ' ' + e.message)))`,
  });
  expect(await job.result()).toEqual([2, `JobFailedError The job 'parent.2' (double) failed: negative`, 6]);
  expect((await kit.jobs({ parent: 'parent', order: 'oldest' })).map(({ outcome }) => outcome)).toEqual([
    'completed',
    'failed',
    'completed',
  ]);
});

it('has many children at once, and neither it nor they are at work while they wait', async () => {
  const child = program({ role: 'child', source: `(await signal('go ' + n)) + n` });
  const kit = await openKit({ drivers: [anything, child], liveWorkspaces: 2 });
  const worker = kit.start({ concurrency: 4 });
  const job = await kit.submit(anything, {
    input: `const all = await Promise.all(Array.from({ length: 40 }, (_, n) => delegate('child', { vars: { n } }))); all.reduce((a, b) => a + b)`,
  });
  await expect.poll(() => kit.countJobs({ status: 'SUSPENDED' }), { timeout: 30_000 }).toBe(41);
  await expect.poll(() => worker.activeJobs, { timeout: 30_000 }).toBe(0);
  for (let n = 0; n < 40; n++) await kit.signal(`go ${n}`, 100);
  expect(await job.result()).toBe(4000 + 780);
});

it('refuses children nobody could drive', async () => {
  const kit = await openKit({ drivers: [anything] });
  const job = await kit.submit(anything, {
    input: `[await Promise.resolve().then(() => delegate('nobody')).catch((e) => e.code), await Promise.resolve().then(() => delegate('anything', { colour: 1 })).catch((e) => e.code)]`,
  });
  expect(await job.result()).toEqual(['DRIVER_MISSING', 'INVALID_OPTION']);
});

it('hands work to a role that only another process works on', async () => {
  const store = await openStore('memory:');
  const far = program({ role: 'far', source: `x + 1` });
  const parent = await openKit({ store, drivers: [anything] });
  const working = parent.start();
  // It is heard of when it comes, not only where it was there first.
  const other = await openKit({ store, drivers: [far] });
  other.start();
  const input = `let found; while (found === undefined) { try { found = await delegate('far', { vars: { x: 1 } }); } catch (error) { if (error.code !== 'DRIVER_MISSING') throw error; await sleep(5); } } found`;
  expect(await (await parent.submit(anything, { input })).result()).toBe(2);
  await working.stop();
});

it('hands nothing to a role that was forgotten', async () => {
  const store = await openStore('memory:');
  const far = program({ role: 'far', source: '1' });
  const other = await openKit({ store, drivers: [far] });
  await expect(other.forgetRole('far')).rejects.toThrow(/this process works on 'far'/);
  await other.close();
  const kit = await openKit({ store, drivers: [anything] });
  const third = await openKit({ store, drivers: [anything] });
  kit.start();
  await third.forgetRole('far');
  const input = `let code; while (code === undefined) { try { await startSubtask('far'); await sleep(5); } catch (error) { code = error.code; } } code`;
  expect(await (await kit.submit(anything, { input })).result()).toBe('DRIVER_MISSING');
  await (await openKit({ store, drivers: [far] })).close();
  await expect.poll(async () => (await third.submit('far')).role).toBe('far');
});

it('hands services and data to children, and back', async () => {
  const log: string[] = [];
  const logger = { note: (text: string) => void log.push(text) };
  const user = program({ role: 'user', source: `logger.note('from the child'); ({ logger, when: new Date(5) })` });
  const kit = await openKit({ drivers: [anything, user], services: { logger } });
  const job = await kit.submit(anything, {
    input: `const { logger: same, when } = await delegate('user', { vars: { logger } }); same.note('from the parent'); [same === logger, when.getTime()]`,
    vars: { logger },
  });
  expect(await job.result()).toEqual([true, 5]);
  expect(log).toContain('from the child');
  expect(log.at(-1)).toBe('from the parent');
});

it('ends the wait for a child by its time-out, and the child with its parent', async () => {
  const kit = await openKit({ drivers: [anything] });
  const job = await kit.submit(anything, {
    id: 'p',
    input: `const late = await delegate('anything', { input: "await sleep(1e9)", timeout: 1 }).catch((e) => e.name);
      await startSubtask('anything', { input: "await sleep(1e9)" });
      late`,
  });
  expect(await job.result()).toBe('TimeoutError');
  await kit.runUntilIdle();
  const children = await kit.jobs({ parent: 'p', order: 'oldest' });
  expect(children.map(({ status, outcome }) => [status, outcome])).toEqual([
    ['DONE', 'cancelled'],
    ['SUSPENDED', undefined],
  ]);
});

it('cancels children with their parent', async () => {
  const kit = await openKit({ drivers: [anything] });
  const job = await kit.submit(anything, {
    id: 'p',
    input: `await Promise.all([1, 2].map(() => delegate('anything', { input: "try { await sleep(1e9) } finally { print('bye') }" })))`,
  });
  await kit.runUntilIdle();
  await job.cancel();
  await kit.runUntilIdle();
  expect((await kit.jobs()).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await (await kit.job('p.1')).console()).toEqual(['bye']);
});

it('receives notices of subtasks, even after its end', async () => {
  const seen: JobMessage[] = [];
  const talker: Driver = {
    role: 'talker',
    reopens: true,
    next: ({ event, messages }) => {
      if (event.kind === 'begin')
        return {
          run: `const a = await startSubtask('anything', { input: "completeSubtask('early'); 'late'" }); const b = await startSubtask('anything', { input: "fail('broken')" }); (await findSubtask(a)).id === a.id`,
        };
      seen.push(...messages);
      return { finish: event.kind === 'step' ? event.step.value : messages.length };
    },
  };
  const kit = await openKit({ drivers: [talker, anything] });
  const job = await kit.submit(talker, { id: 't' });
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('completed');
  expect(
    seen.map(({ kind, from, body }) => [kind, from, body]).toSorted((a, b) => String(a[1]).localeCompare(String(b[1]))),
  ).toEqual([
    ['notice', 't.1', { id: 't.1', state: 'STARTED', result: 'early' }],
    ['notice', 't.2', { id: 't.2', state: 'DONE', outcome: 'failed', error: 'broken' }],
  ]);
});
