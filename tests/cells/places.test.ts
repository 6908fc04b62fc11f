// Errors are reported at the author's line and column, whatever the compiler did to the text in between.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileCell } from '../../src/workspace/typescript/cell/cell.ts';
import type { CompiledCell } from '../../src/workspace/typescript/cell/cell.ts';
import { CellError } from '../../src/workspace/typescript/cell/errors.ts';
import { CellPositions, LineIndex } from '../../src/workspace/typescript/cell/positions.ts';
import { Guest, moduleNames } from './guest.ts';

let guest: Guest;
beforeAll(async () => void (guest = await Guest.create()));
afterAll(() => guest[Symbol.dispose]());

/** A text with `¦` before the place where the error should be. */
function marked(text: string): { source: string; line: number; column: number } {
  const offset = text.indexOf('¦');
  const source = text.replaceAll('¦', '');
  return { source, ...new LineIndex(source).positionOf(offset) };
}

describe('errors while running', () => {
  it.each([
    '¦nope()',
    'const a: number = ¦nope',
    'const a = 1\nlet b: Record<string, number> = {}, c = ¦nope(a)',
    'interface A {\n  x: number\n}\n\n  ¦nope()',
    'const { a, b: [c] } = { a: 1, b: [¦nope] }',
    'const f = (x: number): number => x as any + ¦nope; f(1)',
    'class A { constructor(private x: number) {} m() {\n    return ¦nope } }\nnew A(1).m()',
    'enum E { A, B = 2,\n  C = ¦nope }',
    'const é = "😀", b = ¦nope',
    '/* é😀 */ const x: Map<"😀", 1> = ¦nope',
    '\tif (true) {\r\n\t\t¦nope()\r\n\t}',
    'let a = 1\rlet b = ¦nope',
    '`\u2028`; ¦nope',
    '{ a: 1, b: ¦nope }',
    '\uFEFF{ a: 1, b: ¦nope }',
    'const x = 1;\n  ¦x = 2',
    'const y = [1];\n[¦y] = [2]',
    'export const z = ¦nope',
    'export default ¦nope',
    'import { pi } from "maths"; const w = pi + ¦nope',
    '  ¦early; let early = 1',
    'let t = 1; t\n\n;(<any>¦nope)',
    'const deep = async () => {\n  await null\n  const [q, ...r]: number[] = [1]\n  ¦nope(q, r) }\nawait deep()',
    'const ¦x1 = null.a',
    '#!/usr/bin/env node\n¦nope',
  ])('%j', async (text) => {
    const { source, line, column } = marked(text);
    const outcome = await guest.run(source);
    expect(outcome.error).toMatch(/Error/);
    const places = outcome.frames?.map((frame) => ({ line: frame.line, column: frame.column })) ?? [];
    expect(places[0]).toEqual({ line, column });
  });

  it('stacks have the frames of all cells and nothing else', async () => {
    await guest.run('function inner(): never {\n  throw new Error("x") }');
    const { frames } = await guest.run(
      'const outer = (v?: number): void => inner();\n[1].forEach((v: number) => outer())',
    );
    const cell = frames?.at(-1)?.cell;
    expect(frames?.map((frame) => [frame.cell === cell, frame.function, frame.line, frame.column])).toEqual([
      [false, 'inner', 2, 13],
      [true, 'outer', 1, 37],
      [true, undefined, 2, 28],
      [true, undefined, 2, 5],
    ]);
  });
});

describe('errors before anything runs', () => {
  it.each([
    ['const a = 1\nlet b = ¦= 2', 'CELL_SYNTAX'],
    ['if (x) {\n  foo(\n¦}', 'CELL_SYNTAX'],
    ['{ a: 1, b: ¦}', 'CELL_SYNTAX'],
    ['const a = ¦"unterminated', 'CELL_SYNTAX'],
    ['let a = 1\r\n¦return a', 'CELL_SYNTAX'],
    ['1\n  ¦namespace A { let b }', 'CELL_SYNTAX'],
    ['import a from ¦"fs"', 'CELL_IMPORT'],
    ['let ok = 1, ¦NaN = 2', 'CELL_NAME'],
  ])('%j', (text, code) => {
    const { source, line, column } = marked(text);
    let thrown: unknown;
    try {
      compileCell(source, { name: 'step 4', modules: moduleNames });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CellError);
    expect(thrown).toMatchObject({ code, line, column });
    expect((thrown as CellError).frame).toContain(`> ${line} | `);
    expect((thrown as CellError).message).toContain(`step 4, line ${line}, column ${column}`);
  });

  it('a text too long says how long it is', () => {
    expect(() => compileCell('"é"'.repeat(10), { name: 'step', modules: moduleNames, maxBytes: 39 })).toThrow(
      /has 40 bytes; a step may have 39/,
    );
  });
});

it('every copied character of a cell leads back to itself', () => {
  const piece = fc.constantFrom(
    'const a: number = 1;',
    'let { b, c = 2 }: any = {}\n',
    'é😀 = 1;',
    '"😀é";',
    '\n',
    '\r\n',
    '\r',
    '  ',
    '// é\n',
    'type T = "é";',
    'class K<T> { constructor(private q: T) {} }',
    'enum E { A, B }',
    'function f(x?: number): void {}\n',
    'interface I { é: 1 }\n',
    'f<string>(x as any);',
    'x++;',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('').replaceAll('é😀 = 1;', 'é = "😀";');
      const cell = compileOrRefuse(source);
      if (cell === undefined) return;
      const stored = new CellPositions(source, JSON.parse(JSON.stringify(cell.map)) as number[]);
      const lines = new LineIndex(source);
      const generated = cell.code.split(/\r\n|\n|\r/);
      // Walk the generated code as the engine would count it and compare with the author's text at the reported place.
      const copied = copiedPlaces(cell.map, generated);
      for (const { line, column, character } of copied) {
        const place = stored.originalPosition(line, column) ?? { line: 0, column: 0 };
        expect(place.line).toBe(line - 1);
        expect(String.fromCodePoint(lines.lineText(place.line)?.codePointAt(place.column - 1) ?? 0)).toBe(character);
      }
    }),
    { numRuns: 150 },
  );
});

function compileOrRefuse(source: string): CompiledCell | undefined {
  try {
    return compileCell(source, { name: 'step', modules: moduleNames });
  } catch (error) {
    if (error instanceof CellError) return undefined;
    throw error;
  }
}

/** Each character of the generated code that the map says is the author's. */
function copiedPlaces(
  map: readonly number[],
  generated: readonly string[],
): { line: number; column: number; character: string }[] {
  const places: { line: number; column: number; character: string }[] = [];
  for (const [index, text] of generated.entries()) {
    let bytes = 0;
    for (const character of text) {
      let last = -1;
      for (let at = 0; at < map.length; at += 4) {
        if ((map[at] ?? 0) < index + 1 || (map[at] === index + 1 && (map[at + 1] ?? 0) <= bytes)) last = at;
      }
      if (map[last + 3] === 1) places.push({ line: index + 1, column: bytes + 1, character });
      bytes += Buffer.byteLength(character);
    }
  }
  return places;
}
