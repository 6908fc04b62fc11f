// The marking rewriter on a file written by hand: stores of each width, near and far behind their address, copies and fills.
import { expect, it } from 'vitest';
import { wasm, type WasmMemory } from '../../../src/workspace/wasm/wasm.ts';
import { concat, name, sectionId, unsigned, writeSections } from '../../quickjs/instrument/binary.ts';
import { opcode as op, prefixed } from '../../quickjs/instrument/instructions.ts';
import { functionType, i32, i64 } from '../../quickjs/instrument/types.ts';
import { markWrites } from './mark-writes.ts';

const pageBytes = 4096;
const far = 5 * pageBytes + 1;

const vector = (items: readonly (readonly number[])[]): Uint8Array => concat([unsigned(items.length), ...items]);
const body = (...code: number[]): number[] => [...unsigned(code.length + 2), 0, ...code, op.end];
const locals = (...indices: number[]): number[] => indices.flatMap((index) => [op.localGet, index]);

const functions: Record<string, { readonly type: number; readonly code: number[] }> = {
  store: { type: 0, code: [...locals(0, 1), 0x36, 0, 0] },
  storeByte: { type: 0, code: [...locals(0, 1), 0x3a, 0, ...unsigned(4000)] },
  storeLong: { type: 1, code: [...locals(0, 1), 0x37, 0, ...unsigned(far)] },
  copy: { type: 2, code: [...locals(0, 1, 2), op.prefix, prefixed.memoryCopy, 0, 0] },
  fill: { type: 2, code: [...locals(0, 1, 2), op.prefix, prefixed.memoryFill, 0] },
};

const file = markWrites(
  writeSections([
    {
      id: sectionId.type,
      content: vector([
        [functionType, 2, i32, i32, 0],
        [functionType, 2, i32, i64, 0],
        [functionType, 3, i32, i32, i32, 0],
      ]),
    },
    { id: sectionId.function, content: vector(Object.values(functions).map(({ type }) => [type])) },
    { id: sectionId.memory, content: vector([[0, 4]]) },
    {
      id: sectionId.export,
      content: vector([
        ...Object.keys(functions).map((label, index) => [...name(label), 0, index]),
        [...name('memory'), 2, 0],
      ]),
    },
    { id: sectionId.code, content: vector(Object.values(functions).map(({ code }) => body(...code))) },
  ]),
);

type Exports = { readonly memory: WasmMemory; readonly marks: WasmMemory } & Readonly<
  Record<string, (...values: (number | bigint)[]) => void>
>;

/** Calls a function on memory of ones. Returns the pages that changed, and those that the marks allow to have changed. */
function pagesAfter(label: string, ...values: (number | bigint)[]): { changed: number[]; allowed: Set<number> } {
  const module = new wasm.Module(new Uint8Array(file));
  const exports = new wasm.Instance(module, {}).exports as Exports;
  const memory = Buffer.from(exports.memory.buffer).fill(1);
  const before = Buffer.from(memory);
  try {
    exports[label]?.(...values);
  } catch (error) {
    // Outside of memory it traps.
    if (!(error instanceof wasm.RuntimeError)) throw error;
  }
  const marks = Buffer.from(exports.marks.buffer);
  const allowed = new Set<number>();
  for (let page = marks.indexOf(1); page >= 0; page = marks.indexOf(1, page + 1)) allowed.add(page).add(page + 1);
  const changed = Array.from({ length: memory.length / pageBytes }, (_, page) => page).filter(
    (page) =>
      memory.compare(before, page * pageBytes, (page + 1) * pageBytes, page * pageBytes, (page + 1) * pageBytes) !== 0,
  );
  return { changed, allowed };
}

it.each([
  ['store', [8, 7], [0]],
  ['store', [pageBytes - 2, 7], [0, 1]],
  ['storeByte', [3 * pageBytes, 7], [3]],
  ['storeByte', [3 * pageBytes + 97, 7], [4]],
  ['storeLong', [pageBytes - 8, 7n], [5, 6]],
  ['storeLong', [2 * pageBytes, 7n], [7]],
  ['copy', [2 * pageBytes, 0, 0], []],
  ['fill', [pageBytes + 1, 7, 3 * pageBytes], [1, 2, 3, 4]],
  ['fill', [pageBytes, 7, pageBytes], [1]],
  ['fill', [4 * 65_536 - 1, 7, 2], []],
  ['store', [-2, 7], []],
] as const)('%s marks the pages it changes, case %#', (label, values, expected) => {
  const { changed, allowed } = pagesAfter(label, ...values);
  expect(changed).toEqual(expected);
  expect(changed.filter((page) => !allowed.has(page))).toEqual([]);
});

it('marks what is copied', () => {
  const module = new wasm.Module(new Uint8Array(file));
  const exports = new wasm.Instance(module, {}).exports as Exports;
  exports['copy']?.(pageBytes - 1, 8 * pageBytes, 2);
  expect([...Buffer.from(exports.marks.buffer).subarray(0, 10)]).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
});

it('refuses what it cannot mark', () => {
  const withCode = (...code: number[]): Uint8Array =>
    writeSections([
      { id: sectionId.type, content: vector([[functionType, 0, 0]]) },
      { id: sectionId.function, content: vector([[0]]) },
      { id: sectionId.memory, content: vector([[0, 1]]) },
      { id: sectionId.export, content: vector([]) },
      { id: sectionId.code, content: vector([body(...code)]) },
    ]);
  expect(() => markWrites(withCode(op.prefix, 0x08, 0, 0))).toThrow('memory.init');
  expect(() => markWrites(withCode(0xfd, 0x58, 0, 0, 0))).toThrow('one lane');
  expect(() => markWrites(withCode(0x36, 0x42, 1, 0))).toThrow('second memory');
});
