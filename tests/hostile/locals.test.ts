// `locals()` looks at a program without running any of it: neither getters nor proxies fire, whatever the variables are.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Statek } from '../../src/kit/statek.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { CutMembers, GuestText } from '../../src/workspace/wire/decode.ts';

let kit: Statek;
beforeAll(async () => {
  kit = await Statek.open({ store: 'memory:' });
});
afterAll(() => kit.close());

let numbered = 0;
async function workspaceAfter(source: string): Promise<Workspace> {
  const workspace = await kit.workspace(`locals ${++numbered}`);
  const step = await workspace.run(
    `var fired = 0; const fire = () => { fired++; throw new Error('fired') };\n${source}\n0`,
  );
  expect(step.error).toBeUndefined();
  return workspace;
}

const traps = `{ get: fire, has: fire, ownKeys: fire, getPrototypeOf: fire, getOwnPropertyDescriptor: fire, apply: fire }`;

it.each([
  ['a getter', 'var it = { get a() { return fire() } }'],
  ['a getter among array elements', 'var it = [1]; Object.defineProperty(it, 0, { get: fire })'],
  [
    'a getter as a variable',
    "Object.defineProperty(globalThis, 'it', { get: fire, enumerable: true, configurable: true })",
  ],
  ['a proxy', `var it = new Proxy({}, ${traps})`],
  ['a proxy of an array', `var it = [new Proxy([], ${traps})]`],
  ['a callable proxy', `var it = { f: new Proxy(() => 1, ${traps}) }`],
  ['a prototype that is a proxy', `var it = Object.create(new Proxy({}, ${traps}))`],
  ['a constructor that is a getter', 'var it = Object.create({ get constructor() { return fire() } })'],
  ['a class whose name is a getter', 'class A {}; Object.defineProperty(A, "name", { get: fire }); var it = new A()'],
  ['a constructor that is a proxy', `class A {}; A.prototype.constructor = new Proxy(A, ${traps}); var it = new A()`],
  [
    'an error with getters',
    'var it = new Error("x"); for (const n of ["name", "message", "stack", "cause"]) Object.defineProperty(it, n, { get: fire })',
  ],
  [
    'an error whose class has getters',
    'class E extends Error { get name() { return fire() } get message() { return fire() } }; var it = new E()',
  ],
  ['an error whose name has a toString', 'var it = new Error("x"); it.name = { toString: fire }'],
  [
    'a regular expression with own members',
    'var it = /x/; for (const n of ["source", "flags", "global"]) Object.defineProperty(it, n, { get: fire })',
  ],
  [
    'a date with own members',
    'var it = new Date(0); it.getTime = fire; it.valueOf = fire; Object.defineProperty(it, Symbol.toPrimitive, { value: fire })',
  ],
  [
    'toJSON everywhere',
    'Object.prototype.toJSON = fire; String.prototype.toJSON = fire; BigInt.prototype.toJSON = fire; var it = [{ a: 1n }, "x"]',
  ],
  [
    'tampered prototypes',
    'for (const n of ["get", "set", "length", "text", "items", "depth"]) Object.defineProperty(Object.prototype, n, { __proto__: null, get: fire, set: fire, configurable: true }); var it = { a: { b: [1] } }',
  ],
  [
    'tampered array elements',
    'for (let n = 0; n < 5; n++) Object.defineProperty(Array.prototype, n, { get: fire, set: fire, configurable: true }); var it = [[1, 2], 3]',
  ],
  [
    'tampered methods',
    'Map.prototype.get = Map.prototype.set = Map.prototype.forEach = JSON.parse = JSON.stringify = fire; Array.prototype[Symbol.iterator] = fire; var it = new Map()',
  ],
])('does not fire %s', async (_, source) => {
  const workspace = await workspaceAfter(source);
  const locals = await workspace.locals();
  expect(locals['fired']).toBe(0);
  expect(locals).toHaveProperty('it');
  const past = await workspace.at((await workspace.commits())[0]?.hash ?? '');
  expect(past.locals()['fired']).toBe(0);
});

it('shows what cannot be read as text', async () => {
  const workspace = await workspaceAfter(
    `var a = { get b() { return 1 } }, p = new Proxy({}, {}), f = () => 1; Object.defineProperty(globalThis, 'g', { get: () => 1, enumerable: true })`,
  );
  const { a, p, g } = await workspace.locals();
  expect(a).toEqual({ b: new GuestText('[getter]') });
  expect(p).toEqual(new GuestText('[proxy]'));
  expect(g).toEqual(new GuestText('[getter]'));
});

it('is cut at the sizes the caller sets', async () => {
  const workspace = await workspaceAfter(
    'var list = Array.from({ length: 1000 }, (_, i) => i), text = "x".repeat(1000), deep = { a: { b: { c: { d: 1 } } } }',
  );
  const cut = await workspace.locals({ items: 3, depth: 2, text: 10 });
  expect(cut['list']).toEqual([0, 1, 2, new CutMembers(997)]);
  expect(cut['text']).toBe('xxxxxxxxxx… (1000 characters)');
  expect(cut['deep']).toEqual({ a: { b: new GuestText('{…}') } });
  const whole = await workspace.locals({ items: 1000, depth: 10, text: 1000 });
  expect(whole['list']).toHaveLength(1000);
  expect(whole['text']).toHaveLength(1000);
  expect(whole['deep']).toEqual({ a: { b: { c: { d: 1 } } } });
  await expect(workspace.locals({ items: -1 })).rejects.toThrow('items');
});

function objectsIn(value: unknown): number {
  const found = new Set<object>();
  const walk = (item: unknown): void => {
    if (typeof item !== 'object' || item === null || found.has(item)) return;
    found.add(item);
    for (const member of Object.values(item)) walk(member);
  };
  walk(value);
  return found.size;
}

it('ends, however wide and deep the variables are', async () => {
  const workspace = await workspaceAfter(
    'const grow = (d) => d === 0 ? "leaf" : Array.from({ length: 30 }, () => grow(d - 1)); var wide = grow(3); var same = []; for (let i = 0; i < 60; i++) same = [same, same]',
  );
  const { wide, same } = await workspace.locals({ items: 1000, depth: 100 });
  expect(objectsIn(wide) + objectsIn(same)).toBeLessThan(25_000);
});

it('works where the program has used up its memory', async () => {
  const workspace = await kit.workspace('locals full', { limits: { heapBytes: 2 ** 20 } });
  await workspace.run('var full = []; for (let i = 0; i < 3000; i++) full.push({ i }); 0');
  expect(Object.keys(await workspace.locals({ items: 10_000 }))).toEqual(['full']);
});
