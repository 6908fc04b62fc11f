// Deleting a workspace: nothing of it is left, and its name is free again; what is still needed is refused.
import { expect, it } from 'vitest';
import { JobStateError, NotFoundError, program } from '../../src/index.ts';
import { WorkspaceStateError } from '../../src/workspace/errors.ts';
import { openKit, storeFolder, valueOf } from './support/kits.ts';

it('leaves nothing, and after a garbage collection the name is free again', async () => {
  const kit = await openKit({ store: storeFolder() });
  const before = await kit.workspace('main', { vars: { n: 1 } });
  await before.run('print("hello"); n = 2');
  await before.run('await signal("go")');
  await before.run('await sleep(1)');
  await kit.deleteWorkspace('main');
  expect(await kit.findWorkspace('main')).toBeUndefined();
  await kit.signal('go', 1);
  await kit.runUntilIdle();
  await expect(kit.workspace('main')).rejects.toThrow(/Run gc, or use another name/);
  await kit.gc({ graceMilliseconds: 0 });
  const after = await kit.workspace('main', { language: 'typescript', vars: { n: 5 } });
  expect(await valueOf(after, 'n')).toBe(5);
  expect(await after.commits()).toHaveLength(3);
  await after.run('await signal("go")');
  expect(await after.settled()).toMatchObject({ status: 'done', value: 1 });
  await expect(kit.deleteWorkspace('nobody')).rejects.toThrow(NotFoundError);
});

it('frees the name for a job, which is told to wait for the garbage collection', async () => {
  const driver = program({ role: 'runner', source: '7' });
  const kit = await openKit({ drivers: [driver] });
  await (await kit.submit(driver, { workspace: 'shared' })).result();
  await kit.deleteWorkspace('shared');
  await expect(kit.submit(driver, { id: 'shared' })).rejects.toThrow(/was deleted.*statek gc/);
  await kit.gc({ graceMilliseconds: 0 });
  const job = await kit.submit(driver, { id: 'shared' });
  expect(await job.result()).toBe(7);
  await job.delete();
  await expect(kit.submit(driver, { id: 'shared' })).rejects.toThrow(JobStateError);
});

it('is refused for the workspace of a job, and while a job uses one', async () => {
  const driver = program({ role: 'runner', source: 'await signal("go")' });
  const kit = await openKit({ drivers: [driver] });
  await kit.submit(driver, { id: 'own' });
  await kit.submit(driver, { id: 'guest', workspace: 'shared' });
  await kit.runUntilIdle();
  await expect(kit.deleteWorkspace('own')).rejects.toThrow(JobStateError);
  await expect(kit.deleteWorkspace('shared')).rejects.toThrow(/The job 'guest' uses the workspace 'shared'/);
  await (await kit.job('guest')).cancel();
  await kit.runUntilIdle();
  await kit.deleteWorkspace('shared');
  expect(await kit.findWorkspace('shared')).toBeUndefined();
});

it('is refused while a call is under way, and while a fork waits for the same', async () => {
  const ended = Promise.withResolvers<number>();
  const begun = Promise.withResolvers<void>();
  const slow = async (): Promise<number> => {
    begun.resolve();
    return ended.promise;
  };
  const kit = await openKit();
  const workspace = await kit.workspace('main', { vars: { slow } });
  await workspace.run('await slow()');
  await begun.promise;
  await expect(kit.deleteWorkspace('main')).rejects.toThrow(/a call under way: slow/);
  ended.resolve(1);
  await workspace.settled();
  await workspace.run('await signal("go")');
  const [head] = await workspace.commits({ limit: 1 });
  await workspace.fork(head?.hash ?? '', 'fork');
  await expect(kit.deleteWorkspace('main')).rejects.toThrow(WorkspaceStateError);
  await kit.deleteWorkspace('fork');
});
