import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Reader, readSections, signed, unsigned, writeSections } from './binary.ts';

it('writes numbers as it reads them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (value) => {
      expect(new Reader(Uint8Array.from(unsigned(value))).unsigned()).toBe(value);
    }),
  );
  fc.assert(
    fc.property(fc.integer(), (value) => {
      const reader = new Reader(Uint8Array.from([...signed(value), 9]));
      expect(reader.signed()).toBe(value);
      expect(reader.byte()).toBe(9);
    }),
  );
});

it('takes a file apart and puts it together', () => {
  const file = Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 4, 1, 2, 0, 0x0b,
  ]);
  expect(readSections(file).map(({ id }) => id)).toEqual([1, 3, 10]);
  expect(writeSections(readSections(file))).toEqual(file);
  expect(() => readSections(file.subarray(0, 12))).toThrow('ends too early');
  expect(() => readSections(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))).toThrow('no WASM file');
});
