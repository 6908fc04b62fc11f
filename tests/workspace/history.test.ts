// Every slice is a commit: it can be looked at, compared, forked and gone back to.
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';

it('lists its commits, newest first, with the step of each', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const kit = await openKit({ clock });
  const workspace = await kit.workspace('main');
  const first = await workspace.run('let a = 1;');
  await workspace.run('await signal("go")');
  await kit.signal('go');
  await kit.runUntilIdle();
  await workspace.run('throw new Error("x")');
  await workspace.run('not code');
  const commits = await workspace.commits();
  expect(commits.map(({ kind, step }) => [kind, step])).toEqual([
    ['failed', 4],
    ['step', 3],
    ['resumed', 2],
    ['step', 2],
    ['step', 1],
    ['variables', null],
    ['created', null],
  ]);
  expect(commits[4]?.hash).toBe(first.commit);
  expect(commits[0]?.parent).toBe(commits[1]?.hash);
  expect(commits[0]?.time).toEqual(new Date('2026-01-01'));
  expect(await workspace.commits({ limit: 2 })).toEqual(commits.slice(0, 2));
  const page = await workspace.commitPage({ limit: 4 });
  const rest = await workspace.commitPage({ limit: 4, cursor: page.cursor ?? '' });
  expect([...page.commits, ...rest.commits]).toEqual(commits);
});

it('shows any moment of the past, and runs code there that only looks', async () => {
  const kit = await openKit();
  let calls = 0;
  const workspace = await kit.workspace('main', { vars: { count: () => ++calls } });
  const one = await workspace.run('let list = [1]; print("one");');
  const two = await workspace.run('list.push(2); print("two"); const late = true;');
  const past = await workspace.at(one.commit ?? '');
  expect(past.locals()).toMatchObject({ list: [1] });
  expect(past.locals()).not.toHaveProperty('late');
  expect(await past.console()).toEqual(['one']);
  expect(await past.run('list.push(99); list')).toEqual([1, 99]);
  expect(await past.run('list')).toEqual([1]);
  await expect(past.run('throw new RangeError("there")')).rejects.toMatchObject({
    name: 'RangeError',
    message: 'there',
  });
  for (const source of ['count()', 'await signal("x")', 'await sleep(1)'])
    await expect(past.run(source)).rejects.toMatchObject({ code: 'READ_ONLY' });
  await expect(past.run('await new Promise(() => {})')).rejects.toMatchObject({ code: 'READ_ONLY' });
  expect(calls).toBe(0);
  expect((await workspace.at(two.commit ?? '')).locals()).toMatchObject({ list: [1, 2], late: true });
  await expect(workspace.at('0'.repeat(64))).rejects.toMatchObject({ code: 'HISTORY_UNKNOWN_COMMIT' });
});

it('tells variable by variable what changed between two commits', async () => {
  const workspace = await openWorkspace();
  const one = await workspace.run('let kept = 1; let changed = { n: [1] }; let gone = "x"; function f() { return 1; }');
  const two = await workspace.run(
    'changed.n.push(2); delete globalThis.gone; const added = new Map([["a", new Date(0)]]); kept = 1;',
  );
  expect(await workspace.diff(one.commit ?? '', two.commit ?? '')).toEqual([
    { name: 'added', change: 'added', after: "Map(1) {'a' => 1970-01-01}" },
    { name: 'changed', change: 'changed', before: '{ n: [1] }', after: '{ n: [1, 2] }' },
    { name: 'gone', change: 'removed', before: 'x' },
  ]);
  expect(await workspace.diff(two.commit ?? '', two.commit ?? '')).toEqual([]);
});

it('gives variables as data without running guest code', async () => {
  const workspace = await openWorkspace({ vars: { helper: { help: () => 1 } } });
  await workspace.run(`
    let fired = 0;
    const text = 'hello'; const date = new Date(0); const map = new Map([['k', [1, 2n]]]);
    const odd = { get trap() { fired++; return 1; }, plain: 1 };
    const proxy = new Proxy({}, { get() { fired++; }, ownKeys() { fired++; return []; }, getPrototypeOf() { fired++; return null; } });
    class Box { #hidden = 1; size = 3 } const box = new Box();
    const ring: any = {}; ring.self = ring;
    function named() {}`);
  const locals = await workspace.locals();
  expect(locals).toMatchObject({
    text: 'hello',
    date: new Date(0),
    map: new Map([['k', [1, 2n]]]),
    odd: { trap: { text: '[getter]' }, plain: 1 },
    proxy: { text: '[proxy]' },
    box: { className: 'Box', fields: { size: 3 } },
    named: { kind: 'function', functionName: 'named' },
    Box: { kind: 'class' },
    helper: { text: '[helper]' },
    fired: 0,
  });
  expect((locals['ring'] as { self: unknown }).self).toBe(locals['ring']);
  expect(await valueOf(workspace, 'fired')).toBe(0);
});

it('cuts variables at sizes the caller sets', async () => {
  const workspace = await openWorkspace();
  await workspace.run(
    'const long = "x".repeat(100); const many = Array.from({ length: 50 }, (_, i) => i); const deep = { a: { b: { c: { d: 1 } } } };',
  );
  const locals = await workspace.locals({ items: 3, depth: 2, text: 10 });
  expect(locals['long']).toBe(`${'x'.repeat(10)}… (100 characters)`);
  expect(locals['many']).toEqual([0, 1, 2, { count: 47 }]);
  expect(locals['deep']).toMatchObject({ a: { b: { text: '{…}' } } });
  await expect(workspace.locals({ size: 1 } as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

it('keeps tagged commits and drops others through gc', async () => {
  const kit = await openKit({ store: storeFolder() });
  const workspace = await kit.workspace('main');
  const first = await workspace.run('let n = 1;');
  await workspace.tag('first', first.commit);
  for (let index = 0; index < 8; index++) await workspace.run('n++');
  const dropped = (await workspace.commits())[4]?.hash ?? '';
  const before = (await workspace.commits()).length;
  const report = await kit.gc({ retention: { last: 2 } });
  expect(report.commitsDropped).toBe(before - 3);
  expect((await workspace.commits()).map(({ step }) => step)).toEqual([9, 8, 1]);
  expect((await workspace.at(first.commit ?? '')).locals()).toMatchObject({ n: 1 });
  await expect(workspace.at(dropped)).rejects.toMatchObject({ code: 'HISTORY_UNKNOWN_COMMIT' });
  expect(await valueOf(workspace, 'n')).toBe(9);
  expect(await workspace.tags()).toMatchObject([{ name: 'first', hash: first.commit }]);
  await workspace.untag('first');
  expect(await workspace.tags()).toEqual([]);
  await kit.gc({ retention: { last: 1 } });
  await expect(workspace.at(first.commit ?? '')).rejects.toMatchObject({ code: 'HISTORY_UNKNOWN_COMMIT' });
  await expect(workspace.untag('first')).rejects.toMatchObject({ code: 'HISTORY_ARGUMENT' });
  expect(await valueOf(workspace, 'n')).toBe(9);
});

it('collects what waiting programs do not need, and they go on', async () => {
  const kit = await openKit({ store: storeFolder() });
  const workspace = await kit.workspace('main');
  for (let index = 0; index < 5; index++) await workspace.run(`let n${index} = ${index};`);
  await workspace.run('const payload = await signal("go"); [payload, n4]');
  await kit.gc({ retention: { last: 1 } });
  await kit.signal('go', 'after gc');
  expect((await workspace.settled()).value).toEqual(['after gc', 4]);
});
