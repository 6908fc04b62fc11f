// Many workspaces on little memory: the ones in use are live, the others are parked and come back by themselves.
import { expect, it } from 'vitest';
import { openKit, valueOf } from './support/kits.ts';

it('interleaves 150 workspaces with ten of them live', async () => {
  const kit = await openKit({ liveWorkspaces: 10 });
  const names = Array.from({ length: 150 }, (_, index) => `workspace ${index}`);
  const workspaces = await Promise.all(
    names.map((name, index) => kit.workspace(name, { vars: { index, helper: { twice: (n: number) => n * 2 } } })),
  );
  await Promise.all(
    workspaces.map((workspace) =>
      workspace.run(
        'let total = index; const payload = await signal("go " + index); total += helper.twice(payload); total',
      ),
    ),
  );
  for (const [index] of workspaces.entries()) await kit.signal(`go ${index}`, 1000);
  await kit.runUntilIdle();
  const steps = await Promise.all(workspaces.map((workspace) => workspace.step(1)));
  expect(steps.map(({ value }) => value)).toEqual(names.map((_, index) => index + 2000));
  const some = [0, 75, 149].flatMap((index) => workspaces[index] ?? []);
  expect(await Promise.all(some.map((workspace) => valueOf(workspace, '++total')))).toEqual([2001, 2076, 2150]);
});

it('keeps one workspace’s slices serial whichever object they come through', async () => {
  const kit = await openKit({ liveWorkspaces: 1 });
  const one = await kit.workspace('one');
  const same = await kit.workspace('one');
  await one.run('let n = 0;');
  const others = await Promise.all(['a', 'b', 'c'].map((name) => kit.workspace(name)));
  const steps = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      await (others[index % 3] ?? one).run('1');
      return (index % 2 === 0 ? one : same).run('++n');
    }),
  );
  expect(steps.map(({ value }) => value as number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

it('parks by memory, too', async () => {
  const kit = await openKit({ memoryMegabytes: 16, liveWorkspaces: 100 });
  const workspaces = await Promise.all(Array.from({ length: 12 }, (_, index) => kit.workspace(`w${index}`)));
  for (const workspace of workspaces) await workspace.run('const block = new Uint8Array(3_000_000).fill(7);');
  for (const workspace of workspaces)
    expect(await valueOf(workspace, 'block.length + block[2_999_999]')).toBe(3_000_007);
});
