// The marking rewriter on a file written by hand: stores of each width, near and far behind their address, copies and fills.
import { expect, it } from 'vitest';
import { wasm, type WasmMemory } from '../../../src/workspace/wasm/wasm.ts';
import { concat, name, sectionId, unsigned, writeSections } from './binary.ts';
import { opcode as op, prefixed } from './instructions.ts';
import { functionType, i32, i64 } from './types.ts';
import { markWrites, type MarkOptions } from './mark-writes.ts';

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

const source = writeSections([
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
]);

/** Those of the Python engine and of the TypeScript engine. */
const pages: MarkOptions = { blockShift: 12, nearOffset: 4000 };
const blocks: MarkOptions = { blockShift: 9, nearOffset: 496 };

function exportsOf(options: MarkOptions): Exports {
  const module = new wasm.Module(new Uint8Array(markWrites(source, options)));
  return new wasm.Instance(module, {}).exports as Exports;
}

type Exports = { readonly memory: WasmMemory; readonly marks: WasmMemory } & Readonly<
  Record<string, (...values: (number | bigint)[]) => void>
>;

/** Calls a function on memory of ones. Returns the blocks that changed, and those that the marks allow to have changed. */
function blocksAfter(
  options: MarkOptions,
  label: string,
  ...values: (number | bigint)[]
): { changed: number[]; allowed: Set<number> } {
  const exports = exportsOf(options);
  const blockBytes = 2 ** options.blockShift;
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
  for (let block = marks.indexOf(1); block >= 0; block = marks.indexOf(1, block + 1)) allowed.add(block).add(block + 1);
  const changed = Array.from({ length: memory.length / blockBytes }, (_, block) => block).filter((block) => {
    const [start, end] = [block * blockBytes, (block + 1) * blockBytes];
    return memory.compare(before, start, end, start, end) !== 0;
  });
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
  for (const options of [pages, blocks]) {
    const { changed, allowed } = blocksAfter(options, label, ...values);
    const perPage = pageBytes / 2 ** options.blockShift;
    expect([...new Set(changed.map((block) => Math.floor(block / perPage)))]).toEqual(expected);
    expect(changed.filter((block) => !allowed.has(block))).toEqual([]);
    // A mark stands for one block more, and what traps has marked where it would have begun and ended.
    expect(allowed.size).toBeLessThanOrEqual(changed.length + 3);
  }
});

it('marks what is copied', () => {
  const exports = exportsOf(pages);
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
  expect(() => markWrites(withCode(op.prefix, 0x08, 0, 0), pages)).toThrow('memory.init');
  expect(() => markWrites(withCode(0xfd, 0x58, 0, 0, 0), pages)).toThrow('one lane');
  expect(() => markWrites(withCode(0x36, 0x42, 1, 0), pages)).toThrow('second memory');
});
