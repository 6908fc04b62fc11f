// What a cell's value is, and the syntax around cells: await, imports, exports, text that is not quite a script.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Guest } from './guest.ts';

let guest: Guest;
beforeAll(async () => void (guest = await Guest.create()));
afterAll(() => guest[Symbol.dispose]());

describe('the value', () => {
  it.each([
    ['1 + 2', '3'],
    ['const x = 20; x + 1', '21'],
    ['5; const y = 2', 'undefined'],
    ['5; class A {}', 'undefined'],
    ['5; enum E { A }', 'undefined'],
    ['let z = 5', 'undefined'],
    ['f(); function f() { return 6 }', '6'],
    ['7; interface I {}', '7'],
    ['8;;', '8'],
    ['if (true) { 1 } else { 2 }', '1'],
    ['9; if (false) 1', 'undefined'],
    ['const q = 9; {}', 'undefined'],
    ['const r = 9; { const s = 3 }', 'undefined'],
    ['for (const i of [1, 2]) i * 2', '4'],
    ['3; for (const i of []) i', 'undefined'],
    ['try { 7 } finally { 8 }', '7'],
    ['switch (2) { case 2: "two" }', '"two"'],
    ['label: { 4; break label }', '4'],
    ['', 'undefined'],
    ['// nothing', 'undefined'],
    ['import "maths"', 'undefined'],
    ['"use strict"', '"use strict"'],
    ["'text'", '"text"'],
    ['type T = string', 'undefined'],
    ['await Promise.resolve(4)', '4'],
    ['x = 4', '4'],
    ['-0', '-0'],
  ])('%s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });

  it.each([
    ['{ a: 1 }', '{a: 1}'],
    ['{ a: 1, b: [2], ...{ c: 3 }, get d() { return 4 } }', '{a: 1, b: [2], c: 3, d: 4}'],
    ['\n // why\n { a: 1 };\n // done', '{a: 1}'],
    ['{}', '{}'],
    ['{ x }', '{x: 4}'],
    ['{ a: 1 as number }', '{a: 1}'],
    ['{ x; }', '4'],
    ['{ let y = 1; y }', '1'],
    ['{ loop: for (;;) break loop }', 'undefined'],
    ['{ a: 1 }\nx', '4'],
    ['({ a: 1 })', '{a: 1}'],
  ])('a brace opens an object where that makes sense: %s', async (cell, value) => {
    expect(await guest.value('x = 4', cell)).toBe(value);
  });
});

describe('await', () => {
  it.each([
    ['let sum = 0; for await (const n of [1, Promise.resolve(2)]) sum += n; sum', '3'],
    [
      'async function* count() { yield 1; yield 2 }\nconst all = []; for await (const n of count()) all.push(n); all',
      '[1, 2]',
    ],
    ['const [a, b] = await Promise.all([1, Promise.resolve(2)]); a + b', '3'],
    ['const o = { v: await 5 }, { w = await 6 } = {}; [o.v, w]', '[5, 6]'],
    ['if (await true) { await 7 }', '7'],
    ['`${await 8}`', '"8"'],
    ['const late = async () => { await null; return this === globalThis }; await late()', 'true'],
    ['{ await using r = null; using s = { [Symbol.dispose]() { log.push("gone") } }; log.length }\nlog', '["gone"]'],
  ])('%s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });
});

describe('imports and exports', () => {
  it.each([
    ['import { add } from "maths"; add(1, 2)', '3'],
    ['import whole, { pi as p, "odd-name" as odd } from "maths"\n[whole, p, odd]', '["the default", 3, 7]'],
    ['import d2, * as all from "maths"; [d2, all.pi]', '["the default", 3]'],
    ['import { default as d3, type Foo } from "maths"; d3', '"the default"'],
    ['early(); import { pi as early2 } from "maths"; function early() { return early2 } early()', '3'],
    ['import type { X } from "nowhere"; import { type Y } from "nowhere"; 1', '1'],
    ['const { pi } = await import("maths"); pi', '3'],
    ['await import("nowhere").catch((e) => e.message)', '"No module nowhere"'],
    [
      'export const e1 = 1; export function e2() { return 2 } export class E3 {}\nexport { e1, e2 as two }\n[e1, e2(), E3.name]',
      '[1, 2, "E3"]',
    ],
    ['export default { a: 1 }', '{a: 1}'],
    ['log = 1\nexport default (2)', '2'],
    ['export default function named() { return 3 }\nnamed()', '3'],
    ['export type T = 1; export interface I {}; export type { T as U }; 4', '4'],
    ['export async function e5() { return 5 }\nawait e5()', '5'],
  ])('%s', async (cell, value) => {
    expect(await guest.value(cell)).toBe(value);
  });

  it('a name the module does not have is reported at the import', async () => {
    const outcome = await guest.run('1\n  import { nothing } from "maths"');
    expect(outcome.error).toBe('SyntaxError: maths has no export nothing');
  });
});

describe('text', () => {
  it.each([
    ['\uFEFFconst bom = 1; bom', '1'],
    ['#!/usr/bin/env node\n2', '2'],
    ['const a = 1\r\nconst b = 2\r\na + b', '3'],
    ['let b\rlet c = 4\rc', '4'],
    ['let d = 1 // no semicolon\nconst e = 2 /* none */\nd + e', '3'],
    ['/[/\\]]+/.test("/]") && `a${`b${1}`}` === "ab1"', 'true'],
    ['let n = 5; [4<!--n, n]', '[false, 4]'],
    ['"\u2028\u2029".length', '2'],
    ['"\\u{1F600}".length + "😀".length', '4'],
    ['"a\0b".length', '3'],
    ['x = 1; x\n++\nx', '2'],
    ['const get = 1, set = 2, type = 3, as = 4, declare = 5; [get, set, type, as, declare]', '[1, 2, 3, 4, 5]'],
    ['var let1 = [1]; let1[0]', '1'],
    ['typeof arguments', '"undefined"'],
    ['this === globalThis', 'true'],
  ])('%j', async (cell, value) => {
    await guest.run('x = 0');
    expect(await guest.value(cell)).toBe(value);
  });

  it('an undeclared name cannot be assigned', async () => {
    expect((await guest.run('undeclared = 1')).error).toBe('ReferenceError: undeclared is not defined');
  });
});
