// Values cross between the application and guest code as what they are, in both directions.
import { expect, it } from 'vitest';
import { openWorkspace, valueOf } from './support/kits.ts';

const samples: Record<string, unknown> = {
  json: { a: [1, 'two', null, true], nested: { deep: [[]] } },
  numbers: [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  texts: ['', 'Grüße 👋', '\u0000\u2028"\\', '\ud800 alone'],
  nothing: undefined,
  date: new Date('2026-03-01T10:00:00.123Z'),
  noDate: new Date(Number.NaN),
  map: new Map<unknown, unknown>([
    ['a', 1],
    [{ key: true }, new Map()],
  ]),
  set: new Set([1, 'x', null]),
  big: 123_456_789_012_345_678_901_234_567_890n,
  bytes: new Uint8Array([0, 1, 254, 255]),
  words: new Float64Array([1.5, -0]),
  buffer: new Uint8Array([7, 8, 9]).buffer,
  proto: JSON.parse('{ "__proto__": { "polluted": true }, "constructor": 1 }'),
};

for (const [name, sample] of Object.entries(samples)) {
  it(`${name} goes in and comes out the same`, async () => {
    const received: unknown[] = [];
    const workspace = await openWorkspace({
      vars: { sample, give: () => sample, take: (value: unknown) => void received.push(value) },
    });
    const value = await valueOf(workspace, 'const kept = give(); take(sample); take(kept); sample');
    expect(value).toEqual(sample);
    expect(received).toEqual([sample, sample]);
  });
}

it('keeps shared and circular references what they are', async () => {
  const shared = { n: 1 };
  const cyclic: Record<string, unknown> = { first: shared, second: shared };
  cyclic['self'] = cyclic;
  const workspace = await openWorkspace({ vars: { cyclic } });
  const value = (await valueOf(
    workspace,
    'cyclic.first.n = 2; print(cyclic.self === cyclic, cyclic.first === cyclic.second); cyclic',
  )) as typeof cyclic;
  expect(value['self']).toBe(value);
  expect(value['first']).toBe(value['second']);
  expect(value['first']).toEqual({ n: 2 });
  expect(shared.n).toBe(1);
  expect(await workspace.console()).toEqual(['true true']);
});

it('carries errors with name, message and code, and nothing of the host', async () => {
  const failing = (): never => {
    throw Object.assign(new RangeError('too far', { cause: new Error('inner') }), { code: 'FAR', secret: 'path' });
  };
  const workspace = await openWorkspace({ vars: { failing } });
  const value = await valueOf(
    workspace,
    `let caught: any; try { failing(); } catch (error) { caught = error; }
     [caught instanceof RangeError, caught.name, caught.message, caught.code, caught.secret, caught.cause, caught.stack.includes('.ts')]`,
  );
  expect(value).toEqual([true, 'RangeError', 'too far', 'FAR', undefined, undefined, false]);
});

it('gives errors of guest code to the application', async () => {
  const received: unknown[] = [];
  const workspace = await openWorkspace({ vars: { take: (value: unknown) => void received.push(value) } });
  await valueOf(
    workspace,
    'class Odd extends Error { name = "Odd"; level = 3 } take(new TypeError("t")); take(new Odd("o"))',
  );
  expect(received[0]).toBeInstanceOf(TypeError);
  expect(received[1]).toMatchObject({ name: 'Odd', message: 'o', level: 3 });
  expect(received[1]).toBeInstanceOf(Error);
});

it('gives instances of guest classes as their data', async () => {
  const received: unknown[] = [];
  const workspace = await openWorkspace({ vars: { take: (value: unknown) => void received.push(value) } });
  await valueOf(workspace, 'class Point { constructor(public x: number, public y: number) {} } take(new Point(1, 2))');
  expect(received).toEqual([{ x: 1, y: 2 }]);
});

it('refuses what cannot cross, naming it', async () => {
  const workspace = await openWorkspace({
    vars: { give: () => ({ list: [{ mark: Symbol('x') }] }), take: () => undefined },
  });
  expect((await workspace.run('give()')).error?.message).toMatch(/value\.list\[0\]\.mark is a symbol/);
  expect((await workspace.run('take(Symbol("y"))')).error?.message).toMatch(/symbol cannot be handed/);
});

it('refuses values that are too large, in either direction', async () => {
  const big = 'x'.repeat(5000);
  const workspace = await openWorkspace({
    vars: { give: () => big, take: () => undefined },
    limits: { valueBytes: 2000 },
  });
  expect((await workspace.run('give()')).error).toMatchObject({ code: 'WIRE_SIZE' });
  expect((await workspace.run('const own = "x".repeat(5000); take(own)')).error).toMatchObject({ code: 'WIRE_SIZE' });
  expect((await workspace.run('own')).error).toMatchObject({ code: 'WIRE_SIZE' });
  expect(await valueOf(workspace, 'own.length')).toBe(5000);
});

it('refuses what an async function returns and cannot cross, as an error at the call', async () => {
  const workspace = await openWorkspace({
    vars: {
      large: async () => 'x'.repeat(9_000_000),
      strange: async () => ({ list: [{ mark: Symbol('x') }] }),
    },
  });
  const told = 'async (call) => { try { return ["returned", await call()]; } catch ({ code }) { return [code]; } }';
  const step = await workspace.run(`const told = ${told}; [await told(large), await told(strange)]`);
  expect((await workspace.settled()).value ?? step.value).toEqual([['WIRE_SIZE'], ['WIRE_VALUE']]);
});

it('counts what crosses once, inside of what it is in', async () => {
  const text = 'x'.repeat(3000);
  const vars = { give: () => [text] };
  const workspace = await openWorkspace({ vars, limits: { valueBytes: 4000 } });
  expect(await valueOf(workspace, 'give()[0].length')).toBe(3000);
});

it('copies data it is given: later changes are the one side’s own', async () => {
  const settings = { theme: 'dark' };
  const workspace = await openWorkspace({ vars: { settings } });
  await workspace.run('settings.theme = "light"');
  settings.theme = 'other';
  expect(await valueOf(workspace, 'settings.theme')).toBe('light');
});
