// The rewriter on a file written by hand: a loop, a recursion with an early return, a copy and a growth.
import { describe, expect, it } from 'vitest';
import { tableFunction, wasm } from '../../../src/workspace/wasm/wasm.ts';
import { addFuel } from './add-fuel.ts';
import { concat, name, sectionId, unsigned, writeSections } from './binary.ts';
import { opcode as op } from './instructions.ts';
import { functionType, i32, mutable, noResult } from './types.ts';

const vector = (items: readonly (readonly number[])[]): Uint8Array => concat([unsigned(items.length), ...items]);
const body = (...code: number[]): number[] => [...unsigned(code.length + 2), 0, ...code, op.end];
const local = (index: number): number[] => [op.localGet, index];
const constant = (value: number): number[] => [op.i32Const, value];

const file = writeSections([
  {
    id: sectionId.type,
    content: vector([
      [functionType, 1, i32, 1, i32],
      [functionType, 3, i32, i32, i32, 0],
    ]),
  },
  { id: sectionId.function, content: vector([[0], [0], [1], [0]]) },
  { id: sectionId.memory, content: vector([[0, 1]]) },
  { id: sectionId.global, content: vector([[i32, mutable, op.i32Const, ...[0x80, 0x80, 0x02], op.end]]) },
  {
    id: sectionId.export,
    content: vector([
      ...['count', 'down', 'copy', 'grow'].map((label, index) => [...name(label), 0, index]),
      [...name('stack'), 3, 0],
    ]),
  },
  {
    id: sectionId.code,
    content: vector([
      // count(n): do { n-- } while (n)
      body(
        op.loop,
        noResult,
        ...local(0),
        ...constant(1),
        op.i32Subtract,
        0x21,
        0,
        ...local(0),
        op.branchIf,
        0,
        op.end,
        ...local(0),
      ),
      // down(n): if (n === 0) return 77; return down(n - 1)
      body(
        ...local(0),
        0x45,
        op.if,
        noResult,
        ...constant(0xcd),
        0x00,
        op.return,
        op.end,
        ...local(0),
        ...constant(1),
        op.i32Subtract,
        op.call,
        1,
      ),
      body(...local(0), ...local(1), ...local(2), op.prefix, 0x0a, 0, 0),
      body(...local(0), op.memoryGrow, 0),
    ]),
  },
]);

interface Exports {
  readonly stack: { value: number };
  count(n: number): number;
  down(n: number): number;
  copy(to: number, from: number, length: number): void;
  grow(pages: number): number;
  fuel_set(units: number): void;
  fuel_get(): number;
  memory_limit_set(pages: number): void;
  readonly fuel_hook: { set(index: number, value: object): void };
}

function instantiate(leastFrame = 0): Exports {
  const { file: fuelled, report } = addFuel(file, {
    entries: 'circles',
    bytesPerUnit: 32,
    unitsPerPage: 100,
    leastFrame,
  });
  expect(report).toEqual({ functions: 4, loops: 1, entries: 1, bulkOperations: 1 });
  return new wasm.Instance(new wasm.Module(new Uint8Array(fuelled)), {}).exports as Exports;
}

function cost(exports: Exports, act: () => unknown): number {
  exports.fuel_set(1_000_000);
  act();
  return 1_000_000 - exports.fuel_get();
}

describe('fuel', () => {
  it('sinks by one for each turn of a loop and each turn of a recursion', () => {
    const exports = instantiate();
    expect(cost(exports, () => exports.count(1000))).toBe(1000);
    expect(cost(exports, () => exports.down(10))).toBe(11);
  });

  it('sinks by the length of a copy and by pages grown', () => {
    const exports = instantiate();
    expect(cost(exports, () => exports.copy(0, 1000, 6400))).toBe(200);
    expect(cost(exports, () => exports.grow(3))).toBe(300);
  });

  it('traps below zero, not at zero', () => {
    const exports = instantiate();
    exports.fuel_set(1000);
    exports.count(1000);
    expect(exports.fuel_get()).toBe(0);
    expect(() => exports.count(1)).toThrow(wasm.RuntimeError);
    expect(exports.fuel_get()).toBe(-1);
    exports.fuel_set(5);
    expect(() => exports.down(10)).toThrow(wasm.RuntimeError);
  });

  it('is asked for where it is used up, and the guest goes on if there is more', () => {
    const exports = instantiate();
    const given: number[] = [];
    exports.fuel_hook.set(
      0,
      tableFunction(() => {
        given.push(exports.fuel_get());
        if (given.length < 4) exports.fuel_set(99);
      }),
    );
    exports.fuel_set(10);
    // Ten turns, then three times the one that was asked for and ninety-nine.
    expect(exports.count(310)).toBe(0);
    expect(given).toEqual([-1, -1, -1]);
    expect(exports.fuel_get()).toBe(0);
    expect(() => exports.count(1)).toThrow(wasm.RuntimeError);
    expect(given).toHaveLength(4);
  });

  it('is no reason to let memory grow past its limit', () => {
    const exports = instantiate();
    exports.memory_limit_set(4);
    expect(exports.grow(3)).toBe(1);
    expect(exports.grow(1)).toBe(-1);
    expect(exports.grow(-1)).toBe(-1);
    expect(exports.grow(2 ** 31)).toBe(-1);
  });

  it('gives recursion a frame on the C stack and takes it back, also on an early return', () => {
    const exports = instantiate(256);
    const rest = exports.stack.value;
    exports.down(10);
    expect(exports.stack.value).toBe(rest);
    exports.fuel_set(5);
    expect(() => exports.down(10)).toThrow(wasm.RuntimeError);
    expect(rest - exports.stack.value).toBe(5 * 256);
  });
});
