// Going back adds a commit whose program is the old one. Effects are neither undone nor repeated.
import { expect, it } from 'vitest';
import { openKit, openWorkspace, valueOf } from './support/kits.ts';

it('restores variables and console, and destroys nothing', async () => {
  const workspace = await openWorkspace();
  const one = await workspace.run('const list = [1]; print("one");');
  const two = await workspace.run('list.push(2); print("two");');
  await workspace.rollback(one.commit ?? '');
  expect(await valueOf(workspace, 'list')).toEqual([1]);
  expect(await workspace.console()).toEqual(['one']);
  await workspace.run('print("other way");');
  expect(await workspace.console()).toEqual(['one', 'other way']);
  expect((await workspace.commits()).map(({ kind }) => kind).slice(0, 4)).toEqual([
    'step',
    'step',
    'rolledBack',
    'step',
  ]);
  await workspace.rollback(two.commit ?? '');
  expect(await valueOf(workspace, 'list')).toEqual([1, 2]);
  expect(await workspace.console()).toEqual(['one', 'two']);
  await expect(workspace.rollback('f'.repeat(64))).rejects.toMatchObject({ code: 'HISTORY_UNKNOWN_COMMIT' });
});

it('settles a wait with the outcome that is recorded, without the call being made again', async () => {
  const kit = await openKit();
  let calls = 0;
  const workspace = await kit.workspace('main', { vars: { pay: async (what: string) => `${what} ${++calls}` } });
  const waiting = await workspace.run('print("paying"); const receipt = await pay("rent"); print("paid"); receipt');
  expect(await workspace.settled()).toMatchObject({ value: 'rent 1', console: ['paying', 'paid'] });
  await workspace.run('const other = 1;');
  await workspace.rollback(waiting.commit ?? '');
  expect(await workspace.settled()).toMatchObject({ number: 2 });
  expect(await workspace.step(1)).toMatchObject({ status: 'done', value: 'rent 1', console: ['paying', 'paid'] });
  expect(await workspace.console()).toEqual(['paying', 'paid']);
  expect(await workspace.locals()).not.toHaveProperty('other');
  expect(calls).toBe(1);
});

it('keeps waiting for a call that was pending then and still is', async () => {
  const kit = await openKit();
  const gate = Promise.withResolvers<string>();
  let calls = 0;
  const slow = async (): Promise<string> => {
    calls++;
    return gate.promise;
  };
  const workspace = await kit.workspace('main', { vars: { slow } });
  const waiting = await workspace.run('const both = await Promise.all([slow(), signal("go")]); both');
  await kit.signal('go', 'one');
  await workspace.rollback(waiting.commit ?? '');
  gate.resolve('slow value');
  expect((await workspace.settled()).value).toEqual(['slow value', 'one']);
  expect(calls).toBe(1);
});

it('cancels what is pending only now', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const before = await workspace.run('let n = 1;');
  const waiting = await workspace.run(
    'let how; try { how = await ask("sure?"); } catch (error) { how = [error.name, error.code]; } how',
  );
  const question = waiting.waiting[0]?.id ?? '';
  await workspace.rollback(before.commit ?? '');
  expect(await workspace.waiting()).toEqual([]);
  expect(await workspace.step(2)).toMatchObject({ status: 'failed', error: { code: 'CANCELLED' } });
  await expect(kit.answer(question, 'late')).rejects.toMatchObject({ code: 'WORKSPACE_STATE' });
  expect(await valueOf(workspace, 'n')).toBe(1);

  // Going forward again to where it waited, the wait has ended: it was cancelled.
  await workspace.rollback(waiting.commit ?? '');
  await kit.runUntilIdle();
  expect((await workspace.step(2)).value).toEqual(['CancelledError', 'CANCELLED']);
});

it('lets a signal go to somebody else once its wait is cancelled', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const before = await workspace.run('let n = 1;');
  await workspace.run('await signal("go")');
  await workspace.rollback(before.commit ?? '');
  const other = await kit.workspace('other');
  await other.run('await signal("go")');
  await kit.signal('go', 'for the other');
  expect((await other.settled()).value).toBe('for the other');
});

it('records the outcome of a call it has gone back from', async () => {
  const kit = await openKit();
  const gate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  let calls = 0;
  const pay = async (): Promise<string> => {
    calls++;
    begun.resolve();
    return gate.promise;
  };
  const workspace = await kit.workspace('main', { vars: { pay } });
  const before = await workspace.run('let n = 1;');
  const waiting = await workspace.run('const receipt = await pay(); receipt');
  await begun.promise;
  await workspace.rollback(before.commit ?? '');
  gate.resolve('paid after all');
  await kit.runUntilIdle();
  await workspace.rollback(waiting.commit ?? '');
  await kit.runUntilIdle();
  expect((await workspace.step(2)).value).toBe('paid after all');
  expect(calls).toBe(1);
});

it('runs queued steps on the program it went back to', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const before = await workspace.run('const order = ["before"];');
  await workspace.run('order.push("waits"); await signal("never");');
  await workspace.run('order.push("queued"); order');
  await workspace.rollback(before.commit ?? '');
  expect((await workspace.settled()).value).toEqual(['before', 'queued']);
});
