// Steps given while another waits: they run after it, in order, whoever brings the wait to its end.
import { expect, it } from 'vitest';
import { openKit, storeFolder } from './support/kits.ts';

it('queues steps and runs them in order', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await workspace.run('const order = [1]; await signal("go");');
  const second = await workspace.run('order.push(2); "second"');
  const third = await workspace.run('order.push(3); await signal("more"); order.push(3.5);');
  const fourth = await workspace.run('order.push(4); order');
  expect([second, third, fourth].map(({ status, number }) => [status, number])).toEqual([
    ['queued', 2],
    ['queued', 3],
    ['queued', 4],
  ]);
  await kit.signal('go');
  await kit.runUntilIdle();
  expect(await workspace.step(2)).toMatchObject({ status: 'done', value: 'second' });
  expect((await workspace.step(4)).status).toBe('queued');
  await kit.signal('more');
  expect((await workspace.settled()).value).toEqual([1, 2, 3, 3.5, 4]);
});

it('goes on with the queue when a step of it fails', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await workspace.run('await signal("go")');
  await workspace.run('throw new Error("second")');
  await workspace.run('not typescript at all');
  await workspace.run('"fourth"');
  await kit.signal('go');
  expect((await workspace.settled()).value).toBe('fourth');
  expect((await workspace.step(2)).error?.message).toBe('second');
  expect((await workspace.step(3)).error?.code).toBe('CELL_SYNTAX');
});

it('refuses instead of queueing when told so', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await workspace.run('await signal("go")');
  await expect(workspace.run('1', { ifBusy: 'refuse' })).rejects.toMatchObject({ code: 'WORKSPACE_BUSY' });
  await kit.signal('go');
  await workspace.settled();
  expect((await workspace.run('1', { ifBusy: 'refuse' })).status).toBe('done');
});

it('keeps the order of very long queues', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await workspace.run('const order = []; await signal("go")');
  for (let number = 0; number < 230; number++) await workspace.run(`order.push(${number})`);
  await kit.signal('go');
  await workspace.settled();
  expect((await workspace.run('order')).value).toEqual(Array.from({ length: 230 }, (_, number) => number));
});

it('runs steps at the same time one after the other', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await workspace.run('let n = 0;');
  const steps = await Promise.all(Array.from({ length: 20 }, () => workspace.run('++n')));
  expect(steps.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

it('runs a queue that another process left before a new step', async () => {
  const folder = storeFolder();
  const first = await openKit({ store: folder });
  const workspace = await first.workspace('main');
  await workspace.run('const order = [1]; await signal("go"); order.push("1 end")');
  await workspace.run('order.push(2)');
  await first.close();

  const second = await openKit({ store: folder });
  const again = await second.workspace('main');
  await second.signal('go');
  const step = await again.run('order.push(3); order');
  expect(step.status).toBe('queued');
  expect((await again.settled()).value).toEqual([1, '1 end', 2, 3]);
});

it('has nothing to settle before its first step', async () => {
  const kit = await openKit();
  await expect((await kit.workspace('main')).settled()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
