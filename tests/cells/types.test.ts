// TypeScript in cells: types leave nothing behind, and what they leave out never changes how the rest is read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCell } from '../../src/workspace/typescript/cell/cell.ts';
import { Guest, moduleNames } from './guest.ts';

let guest: Guest;
beforeAll(async () => void (guest = await Guest.create()));
afterAll(() => guest[Symbol.dispose]());

const cells: readonly (readonly [string, string])[] = [
  // Annotations and declarations.
  ['const a: number = 1, b: string | undefined = "x"; [a, b]', '[1, "x"]'],
  [
    'interface A { x: number; m(): void }\ntype B<T> = { [K in keyof T]: T[K] }\ndeclare const zz: B<A>\ndeclare function yy(): void\ndeclare class XX {}\ndeclare enum WW { A }\ndeclare module "m" {}\ndeclare global {}\n1',
    '1',
  ],
  [
    'function f<T extends object = {}>(this: void, a: T, b?: number, ...c: string[]): a is T { return c.length as any }\nf({}, 1, "x")',
    '1',
  ],
  [
    'function over(a: string): string\nfunction over(a: number): number\nfunction over(a: any) { return a }\nover(2)',
    '2',
  ],
  ['const { p, q }: { p: number; q?: string } = { p: 1 }; const [r]: [number] = [2]; [p, q, r]', '[1, undefined, 2]'],
  ['let d!: number; d = 3; d', '3'],
  ['try { throw new Error("e") } catch (e: unknown) { (e as Error).message }', '"e"'],
  ['const fn = ({ a }: { a: number }, [b]: number[] = [2]): number => a + b; fn({ a: 1 })', '3'],
  ['for (const k of [1, 2] as const satisfies readonly number[]) k', '2'],
  [
    'abstract class S<T> { abstract a(): void; abstract b: number; constructor(protected readonly v: T) {} c!: string; d?: number; [key: string]: unknown; declare e: number; get f(): T { return this.v } static g<U>(u: U): U { return u } private static readonly h = 4; m?(): void }\nclass R extends S<number> implements Iterable<number>, Other { a() {} b = 1; override toString(): string { return "s" } *[Symbol.iterator]() { yield 1 } }\nconst s = new R(5); [s.f, S.g<number>(2), String(s), [...s], Object.keys(s)]',
    '[5, 2, "s", [1], ["c", "d", "v", "b"]]',
  ],
  [
    'class P { constructor(public a: number, private b = a + 1, readonly c?: string) { this.a += this.b } }\nnew P(1)',
    '{a: 3, b: 2, c: undefined}',
  ],
  [
    'class Q1 { x = 1 } class Q2 extends Q1 { constructor(public y: number) { "use strict"; super(); this.y *= 2 } }\nnew Q2(4)',
    '{x: 1, y: 8}',
  ],
  ['const C1 = class<T> { v?: T = undefined }; new C1<string>()', '{v: undefined}'],
  [
    'const obj = { m<T>(a: T): T { return a }, async n(): Promise<void> {}, get g(): number { return 1 }, ["c" as string]: 2 as number }; [obj.m<number>(1), obj.g, obj.c]',
    '[1, 1, 2]',
  ],
  // Expressions.
  ['(1 as unknown as string) satisfies any', '1'],
  ['const n = { a: { b: 1 } } as any; n!.a!.b!', '1'],
  [
    'const id = <T,>(x: T) => x; const i2 = id<string>; [id<number>(1), i2("a"), new Map<string, number>().size]',
    '[1, "a", 0]',
  ],
  ['let ang = <number>(<any>"5"); ang', '"5"'],
  ['const tag = <T>(s: TemplateStringsArray, ...v: T[]) => v; tag<number>`a${1}`', '[1]'],
  ['const t2 = [1, 2, 3].map<number>((v: number): number => v * 2) as number[]\nt2', '[2, 4, 6]'],
  ['let u1: any = { a: 1 }; (u1 as any).a++; (u1.a as number) += 2; (<any>u1).a *= 2; u1.a', '8'],
  ['1 + 2 as any * 3', '9'],
  ['let w = 2\n1 + w as any * 3', '9'],
  ['async function ag(): Promise<number> { return await (Promise.resolve(1) as Promise<number>) }\nawait ag()', '1'],
  ['const as1 = 1, type = 2; var abstract = 3; type\nabstract', '3'],
  // Line ends that types stood in the way of.
  ['let h1 = 1 as number\n;[2].length', '1'],
  ['const h2 = log as any\n(1)', '1'],
  ['let h3 = 1\ninterface Between {}\n(3)', '3'],
  ['let h4: number\n(4)', '4'],
  ['const h5 = () => { return 1 as any\n(2) }; h5()', '1'],
  [
    'class H6 { a = 1 as any\n["b"] = 2; c: number\n["d"] = 3; private e\n*f() {} ; g\npublic static\nh() { return 1 } }\nObject.keys(new H6())',
    '["a", "b", "c", "d", "e", "g"]',
  ],
  ['const h7 = (a: number): {\n  x: number\n} => ({ x: a }); h7(1)', '{x: 1}'],
  ['const h8 = async <\n  T,\n>(a: T) => a; await h8(2)', '2'],
  ['const h9 = () => { return <\n  T,\n>(a: T) => a }; h9()(3)', '3'],
  ['const h10 = () => { return <\n  any\n>4 }; h10()', '4'],
  ['const h11 = (\n  // one )\n  a: number, // two )\n): Promise<\n  number\n> => 5 as any; h11(1)', '5'],
  ['if (true) 6 as any\nelse 7', '6'],
  ['function h12() {}\ntype X = 1\n[8][0]', '8'],
  ['class H13 {}\n[9][0]', '9'],
  ['enum H14 { A }\n[10][0]', '10'],
  ['log = [1]\nabstract class H15 {}\n[11][0]', '11'],
  // Enums.
  [
    'enum E1 { A, B = 5, C, D = "x", "e-f" = 7 }; E1',
    '{0: "A", 5: "B", 6: "C", 7: "e-f", A: 0, B: 5, C: 6, D: "x", e-f: 7}',
  ],
  [
    'enum E2 {\n  None = 0, // none\n  Read = 1 << 0,\n  Write = 1 << 1,\n  All = Read | Write | E2.None,\n}\nE2.All',
    '3',
  ],
  ['const enum E3 { A = "a", B = `b${1}`, C = A + "c" }; [E3.A, E3.B, E3.C]', '["a", "b1", "ac"]'],
  ['enum E4 { A } enum E4 { B = 1 }; [E4.A, E4.B, E4[0]]', '[0, 1, "A"]'],
  ['function e5() { enum E { A = 1 } enum E { B = 2 } return E.A + E.B } e5()', '3'],
  ['export enum E6 { A = [1, 2].length, B = ((A) => A)(9), C = { A }.A }; [E6.A, E6.B, E6.C]', '[2, 9, 2]'],
  ['enum E7 {}; E7', '{}'],
  ['enum E8 { A = -1, B, C = ~1, D = A }; [E8.B, E8.C, E8.D]', '[0, -2, -1]'],
];

describe('a cell with types', () => {
  it.each(cells)('%s', async (cell, value) => {
    await guest.run('var log = (x) => x');
    expect(await guest.value(cell)).toBe(value);
  });

  it('keeps every line where it was', () => {
    for (const [cell] of cells) {
      const { code } = compileCell(cell, { name: 'step', modules: moduleNames });
      expect(code.split(/\r\n|\n|\r/).length - 1).toBe(cell.split(/\r\n|\n|\r/).length);
    }
  });
});

describe('refused, with a reason', () => {
  it.each([
    ['return 5', /value is its last expression/],
    ['const el = <div className="x">hi</div>', /JSX/],
    ['<Foo />', /JSX/],
    ['@dec class A {}', /Decorators/],
    ['class A { @dec m() {} }', /Decorators/],
    ['namespace N { export const a = 1 }', /Namespaces/],
    ['using r = open()', /Put it into a block/],
    ['await using r = open()', /Put it into a block/],
    ['import x = require("y")', /not supported/],
    ['export = 5', /not supported/],
    ['export * from "maths"', /export from another module/],
    ['export { a } from "maths"', /export from another module/],
    ['import a from "maths" with { type: "json" }', /attributes/],
    ['import.meta.url', /import\.meta/],
    ['enum A { B = "x", C }', /needs a value/],
    ['enum A { B = await 1 }', /await/],
    ['class A extends B { constructor(public x: number) { if (x) super() } }', /super/],
    ['let x; let x', /already been declared/],
    ['await = 1', /./],
    ['function f() { await 1 }', /await/],
    ['let eval = 1', /strict mode/],
    ['with (a) {}', /strict mode/],
    ['var a = 010', /octal/i],
    ['class A { accessor x = 1 }', /not supported|./],
  ])('%s', (cell, reason) => {
    expect(() => compileCell(cell, { name: 'step', modules: moduleNames })).toThrow(
      expect.objectContaining({ code: 'CELL_SYNTAX', reason: expect.stringMatching(reason) as string }),
    );
  });

  it.each([
    'const undefined = 1',
    'let NaN',
    'var globalThis',
    'function Infinity() {}',
    'class __proto__ {}',
    'let [__statek_x] = []',
    'for (var undefined of []) {}',
    'import { pi as globalThis } from "maths"',
  ])('the name in %s', (cell) => {
    expect(() => compileCell(cell, { name: 'step', modules: moduleNames })).toThrow(
      expect.objectContaining({ code: 'CELL_NAME' }),
    );
  });
});
