// A program that goes back to where it waited for something that was cancelled meanwhile is told what had happened.
import { expect, it } from 'vitest';
import { program, type Statek, type Workspace } from '../../src/index.ts';
import { ManualClock } from '../../src/testing.ts';
import { openKit } from '../workspace/support/kits.ts';

const coder = program({ role: 'coder', source: (input) => String(input) });
const asking = 'let told = "nothing"; try { await ask("q") } catch (error) { told = error.message } told';

/** Goes back to a commit, lets the program go on, and returns what it was told. */
async function toldAt(kit: Statek, workspace: Workspace, hash = ''): Promise<unknown> {
  await workspace.rollback(hash);
  await kit.runUntilIdle();
  return (await workspace.locals())['told'];
}

it('by going back to an older commit', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('w');
  await workspace.run('let before = 1');
  const before = (await workspace.commits())[0]?.hash ?? '';
  const { commit } = await workspace.run(asking);
  await workspace.rollback(before);
  await expect(kit.answer('w/1', 1)).rejects.toThrow(
    `Nobody waits for 'w/1': ask 'q' was cancelled: the workspace was rolled back to commit ${before.slice(0, 12)}.`,
  );
  expect(await toldAt(kit, workspace, commit)).toContain('was rolled back to commit');
});

it('by undoing a step that is all or nothing', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('w');
  await workspace.run(`const asked = ask("other"); ${asking}; throw new Error("no")`, {
    allOrNothing: true,
  });
  await kit.answer('w/2', 1);
  await kit.runUntilIdle();
  await expect(kit.answer('w/1', 1)).rejects.toThrow(
    "ask 'other' was cancelled: step 1 failed, and everything it did was undone.",
  );
});

it('by dropping the step of a job that has left its workspace', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [{ ...coder, reopens: true }], clock });
  const job = await kit.submit('coder', { id: 'j', workspace: 'w', input: asking, deadline: new Date(2000) });
  await kit.runUntilIdle();
  clock.advance(1000);
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('limit');
  const workspace = await kit.workspace('w');
  await workspace.run('1');
  expect((await workspace.step(1)).error?.message).toBe('The step was dropped while it waited.');
  await expect(kit.answer('w/1', 1)).rejects.toThrow("ask 'q' was cancelled: step 1 was dropped while it waited.");
});

it('by the end of the job', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ drivers: [coder], clock });
  const job = await kit.submit(coder, { id: 'j', input: asking, deadline: new Date(2000) });
  await kit.runUntilIdle();
  const [waiting] = await job.commits();
  clock.advance(1000);
  await kit.runUntilIdle();
  expect((await job.refresh()).outcome).toBe('limit');
  const fork = await job.fork(waiting?.hash);
  expect(await fork.result()).toBe("ask 'q' was cancelled: the job 'j' is over (limit).");
});
