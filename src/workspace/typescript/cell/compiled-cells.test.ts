import { expect, it } from 'vitest';
import { compileCell } from './cell.ts';
import { CompiledCells } from './compiled-cells.ts';

const options = { name: 'step 1', modules: new Set<string>() };

it('gives what compiling gives, under the name that is asked for', () => {
  const cells = new CompiledCells();
  for (const name of ['step 1', 'step 2']) {
    const { originalPosition: _one, ...cell } = cells.get('const a: number = 1; a', { ...options, name });
    const { originalPosition: _two, ...compiled } = compileCell('const a: number = 1; a', { ...options, name });
    expect(cell).toEqual(compiled);
  }
});

it('refuses a text that is too long for whoever asks now', () => {
  const cells = new CompiledCells();
  const source = `"${'x'.repeat(100)}"`;
  cells.get(source, options);
  expect(() => cells.get(source, { ...options, maxBytes: 50 })).toThrow(/50/);
  expect(cells.get(source, { ...options, maxBytes: 200 }).source).toBe(source);
});

it('does not remember a text that is not a cell, and forgets the oldest ones', () => {
  const cells = new CompiledCells();
  expect(() => cells.get('const =', options)).toThrow(/step 1/);
  expect(() => cells.get('const =', options)).toThrow(/step 1/);
  const first = cells.get('1', options);
  expect(cells.get('1', options).map).toBe(first.map);
  for (let index = 0; index < 80; index++) cells.get(`/* ${index} ${'x'.repeat(40_000)} */ 2`, options);
  expect(cells.get('1', options).map).not.toBe(first.map);
});
