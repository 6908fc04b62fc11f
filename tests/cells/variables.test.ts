// Declarations at the top level of a cell are workspace variables: what later cells see of them, and what JavaScript
// still promises within one cell.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Guest } from './guest.ts';

let guest: Guest;
beforeAll(async () => void (guest = await Guest.create()));
afterAll(() => guest[Symbol.dispose]());

describe('later cells', () => {
  it.each([
    ['use what earlier ones declared', ['const a1 = 20', 'a1 + 1'], '21'],
    ['declare a name again as anything', ['const b1 = 1', 'function b1() {}', 'class b1 {}', 'let b1 = 5; b1'], '5'],
    ['declare functions over variables', ['let c1 = 1', 'function c1() { return 2 }', 'c1()'], '2'],
    ['declare var over class and function', ['class d1 {}', 'function d1() {}', 'var d1 = 3; d1'], '3'],
    ['may assign what was a constant', ['const e1 = 1', 'e1 = 2; e1'], '2'],
    [
      'share variables with functions',
      ['let f1 = 0; const inc = () => ++f1', 'inc(); inc(); f1', 'f1 = 9; inc()'],
      '10',
    ],
    ['see properties of the global object', ['const g1 = 3', 'globalThis.g1'], '3'],
    ['may delete a variable', ['let h1 = 3', 'delete globalThis.h1; typeof h1'], '"undefined"'],
    ['start `let x` afresh', ['let i1 = 3', 'let i1; i1'], 'undefined'],
    ['keep the value with `var x`', ['var j1 = 3', 'var j1; j1'], '3'],
    [
      'do not see what a block or loop declared',
      ['{ let k1 = 1 } for (const k1 of []) {}', 'typeof k1'],
      '"undefined"',
    ],
    ['see `var` of blocks and loops', ['for (var l1 = 0; l1 < 3; l1++) { var m1 = l1 }', '[l1, m1]'], '[3, 2]'],
    [
      'may take built-in names',
      ['const Map = 1, print = 2', 'let toString = 3, constructor = 4; [Map, print, toString, constructor]'],
      '[1, 2, 3, 4]',
    ],
    [
      'may use any identifier',
      ['const ünï = 1, $ = 2, _ = 3, \\u0061bc = 4, of = 5, async = 6', '[ünï, $, _, abc, of, async]'],
      '[1, 2, 3, 4, 5, 6]',
    ],
  ])('%s', async (_, cells, value) => {
    expect(await guest.value(...cells)).toBe(value);
  });

  it('keep what a failed cell did before it failed', async () => {
    const outcome = await guest.run('const n1 = 1; let n2 = { a: 1 }; n2.a = 2; nope(); const n3 = 3');
    expect(outcome.error).toMatch(/ReferenceError/);
    expect(await guest.value('[n1, n2.a, typeof n3]')).toBe('[1, 2, "undefined"]');
  });

  it('keep the old value of a name whose new declaration was not reached', async () => {
    await guest.run('const o1 = "old"');
    await guest.run('nope(); const o1 = "new"');
    expect(await guest.value('o1')).toBe('"old"');
  });
});

describe('patterns', () => {
  it.each([
    ['const { a, b: { c = 1, ...d }, ...e } = { a: 1, b: { x: 2 }, y: 3 }; [a, c, d, e]', '[1, 1, {x: 2}, {y: 3}]'],
    ['let [p, , q = p, ...r] = [1, 2, undefined, 4, 5];\n[p, q, r]', '[1, 1, [4, 5]]'],
    ['const { ["k" + 1]: k1, "k-2": k2, 3: k3 } = { k1: 1, "k-2": 2, 3: 3 }; [k1, k2, k3]', '[1, 2, 3]'],
    ['let { s } = { s: 1 }, [t] = [2], u = 3; [s, t, u]', '[1, 2, 3]'],
    ['const { f = () => 1, g: [h = class {}] } = { g: [] }; [f.name, h.name]', '["f", "h"]'],
    ['log = []\nconst [v] = [7]\nv', '7'],
    ['let w\n[1, 2].map((x) => x * 2)', '[2, 4]'],
    ['let x1 = 1\nlet y1\n;(x1)', '1'],
    ['const {} = {}, [] = []', 'undefined'],
  ])('%s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });
});

describe('names of functions and classes', () => {
  it.each([
    [
      'const f = () => 1, g = function () {}, h = class {}, i = async () => {}; [f, g, h, i].map((x) => x.name)',
      '["f", "g", "h", "i"]',
    ],
    [
      'const f = (() => 1), g = (function () {} as any), h = function own() {}; [f, g, h].map((x) => x.name)',
      '["f", "g", "own"]',
    ],
    ['class A {}; class B extends A { static n = B.name }; [A.name, B.name, B.n]', '["A", "B", "B"]'],
    ['class C { static name = "mine" } C.name', '"mine"'],
    ['const notOne = (0, () => {}); notOne.name', '""'],
    ['export default class {}', 'function default'],
    ['export default function () {}', 'function default'],
  ])('%s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });

  it('private fields and static blocks work at the top level', async () => {
    const cell = 'class Counter { #n = 0; static made; static { this.made = 1 } tick() { return ++this.#n } }';
    expect(
      await guest.value(cell, 'const counter = new Counter(); counter.tick(); [counter.tick(), Counter.made]'),
    ).toBe('[2, 1]');
  });
});

describe('constants', () => {
  it.each([
    'x = 2',
    'x++',
    '--x',
    'x += 1',
    '[x] = [2]',
    '({ x } = { x: 2 })',
    '({ a: x = 1 } = {})',
    '[...x] = [1]',
    'for (x of [1]) ;',
    'for (x in { a: 1 }) ;',
    '(() => { x = 2 })()',
    'function f() { { x = 2 } } f()',
    '(x as any) = 2',
    'x! += 2',
    'x &&= 2',
  ])('%s is a TypeError', async (code) => {
    const outcome = await guest.run(`const x = 1; log = 'before';\n${code}`);
    expect(outcome.error).toBe("TypeError: Assignment to constant variable 'x'.");
    expect(await guest.value('[x, log]')).toBe('[1, "before"]');
  });

  it.each([
    ['x ??= 2; x', '1'],
    ['(function () { let x = 3; x++; return x })()', '4'],
    ['((x) => { x = 5; return x })(0)', '5'],
    ['(({ a: [x] }) => (x = 5))({ a: [1] })', '5'],
    ['{ let x = 3; x = 4; x }', '4'],
    ['try { throw 1 } catch (x) { x = 6; x }', '6'],
    ['for (let x = 0; x < 3; x++) x', '2'],
    ['(function x() { var x; x = 7; return x })()', '7'],
    ['switch (1) { case 1: let x = 1; x = 8; x }', '8'],
    ['(() => { if (true) { var x = 1 } x = 9; return x })()', '9'],
    ['const o = { x: 1 }; o.x = 2; o.x', '2'],
    ['class K { static { var x = 1; x = 2; this.v = x } } K.v', '2'],
    ['try { x = 2 } catch (e) { e.constructor === TypeError }', 'true'],
  ])('the same name elsewhere is another variable: %s', async (code, value) => {
    expect(await guest.value(`const x = 1;\n${code}`)).toBe(value);
  });

  it('imports are constant too', async () => {
    expect((await guest.run('import { pi } from "maths"\npi = 4')).error).toMatch(/constant variable 'pi'/);
  });
});

describe('use before declaration', () => {
  it.each([
    't1; let t1 = 1',
    'let t2 = t2',
    'const { t3 = t4, t4 } = {}',
    'const [t5] = [t5]',
    't6 = 1; let t6',
    'typeof t7; class t7 {}',
    'new t8(); class t8 {}',
    'const t9 = { t9 }',
    'class t10 extends t10 {}',
    'E1.A; enum E1 { A }',
    'for (t11 of [1]) ; let t11',
  ])('%s', async (cell) => {
    // Once where the name is new, once where an earlier cell has declared it.
    expect((await guest.run(cell)).error).toMatch(/^ReferenceError: \w+ is not (initialized|defined)/);
    const name = /\b(t\d+|E1)\b/.exec(cell)?.[0];
    await guest.run(`${name === 't3' ? 't4' : name} = 1`);
    expect((await guest.run(cell)).error).toMatch(/^ReferenceError/);
  });

  it('inside a function is noticed where the name is new', async () => {
    const cell = 'f12(); const t12 = 1; function f12() { return t12 }';
    expect((await guest.run(cell)).error).toBe('ReferenceError: t12 is not defined');
  });

  it.each([
    ['const a = 1, b = a + 1; b', '2'],
    ['const { c, d = c } = { c: 3 }; d', '3'],
    ['const later = () => soon; const soon = 4; later()', '4'],
    ['hoisted(); function hoisted() { return 1 }', '1'],
    ['v1; var v1 = 1', 'undefined'],
    ['class Node1 { static first = new Node1(); next = () => Node1 }; Node1.first instanceof Node1', 'true'],
  ])('is not: %s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });
});
