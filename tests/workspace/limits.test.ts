// Every limit: what meets it fails, the slice is undone, and the workspace answers the next step.
import { expect, it } from 'vitest';
import type { WorkspaceLimits } from '../../src/index.ts';
import { defaultLimits } from '../../src/workspace/limits.ts';
import { openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';

interface Case {
  readonly limits: Partial<WorkspaceLimits>;
  readonly source: string;
  readonly code?: string;
  readonly message: RegExp;
  /** Guest code could have caught it, so what it did before stays. */
  readonly stays?: true;
}

const quick = { softCpuMilliseconds: 100, hardCpuMilliseconds: 200 };

const cases: Record<string, Case> = {
  'soft CPU time': { limits: quick, source: 'for (;;) touched++;', code: 'LIMIT', message: /CPU time/ },
  'soft CPU time that code tries to catch': {
    limits: quick,
    source: 'for (;;) { try { for (;;) touched++; } catch {} finally { touched = 99; } }',
    code: 'LIMIT',
    message: /CPU time/,
  },
  'hard CPU time': {
    limits: quick,
    source: 'touched++; Array.prototype.reverse.call({ length: 2 ** 53 - 1 });',
    code: 'LIMIT',
    message: /CPU time/,
  },
  heap: {
    limits: { heapBytes: 8 * 2 ** 20 },
    source: 'touched++; const hoard = []; for (;;) hoard.push(new Uint8Array(100_000));',
    message: /memory/,
  },
  stack: {
    limits: {},
    source: 'touched++; (function deeper() { return deeper() + 1; })()',
    message: /stack/,
    stays: true,
  },
  source: {
    limits: { sourceBytes: 100 },
    source: `touched++; // ${'x'.repeat(200)}`,
    code: 'CELL_TOO_LARGE',
    message: /100/,
  },
  futures: {
    limits: { futures: 3 },
    source: 'touched++; for (let i = 0; i < 10; i++) signal("s" + i);',
    code: 'LIMIT',
    message: /3 things at once/,
  },
};

for (const [name, { limits, source, code, message, stays }] of Object.entries(cases)) {
  it(`stops at its limit of ${name} and answers the next step`, async () => {
    const workspace = await openWorkspace({ limits });
    await workspace.run('let touched = 0; const kept = ["committed"];');
    const step = await workspace.run(source);
    expect(step.status).toBe('failed');
    expect(step.error?.code).toBe(code ?? step.error?.code);
    expect(step.error?.message).toMatch(message);
    expect(await valueOf(workspace, 'kept')).toEqual(['committed']);
    expect(await valueOf(workspace, 'touched')).toBe(stays === true ? 1 : 0);
  });
}

it('stops a step that takes too many slices', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main', { limits: { slicesPerStep: 3 } });
  await workspace.run('let rounds = 0; for (;;) { rounds++; await sleep(0); }');
  await kit.runUntilIdle();
  expect((await workspace.step(1)).error).toMatchObject({
    code: 'LIMIT',
    message: expect.stringContaining('3 slices') as unknown,
  });
  expect(await valueOf(workspace, 'rounds')).toBe(3);
});

it('takes limits from the kit and from the workspace, which may change them later', async () => {
  const folder = storeFolder();
  const kit = await openKit({ store: folder, limits: { futures: 2 } });
  const workspace = await kit.workspace('main');
  expect((await workspace.run('signal("a"); signal("b"); signal("c");')).error?.code).toBe('LIMIT');
  const wider = await kit.workspace('main', { limits: { futures: 5 } });
  expect((await wider.run('signal("a"); signal("b"); signal("c");')).status).toBe('done');
  await kit.close();
  const later = await openKit({ store: folder });
  const kept = await later.workspace('main');
  expect((await kept.run('signal("d"); signal("e"); signal("f");')).error?.message).toMatch(/5 things/);
});

it('refuses limits that are none', async () => {
  const kit = await openKit();
  await expect(kit.workspace('a', { limits: { cpu: 1 } as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(kit.workspace('a', { limits: { futures: 0 } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(kit.workspace('a', { limits: { heapBytes: 1.5 } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(openKit({ limits: { stackBytes: 1 } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(Object.keys(defaultLimits)).toHaveLength(10);
});
