// Where instructions end: a counter must never be put into the middle of one.
import { expect, it } from 'vitest';
import { Reader } from './binary.ts';
import { readInstruction } from './instructions.ts';

const read = (...bytes: number[]): number => {
  const reader = new Reader(Uint8Array.from([...bytes, 0x0b]));
  readInstruction(reader);
  return reader.at;
};

it.each([
  ['try', [0x06, 0x40]],
  ['catch', [0x07, 0x00]],
  ['throw', [0x08, 0x80, 0x01]],
  ['delegate', [0x18, 0x02]],
  ['catch_all', [0x19]],
  ['return_call', [0x12, 0x85, 0x02]],
  ['return_call_indirect', [0x13, 0x05, 0x00]],
  ['table.get', [0x25, 0x00]],
  ['ref.null', [0xd0, 0x6f]],
  ['ref.is_null', [0xd1]],
  ['memory.init', [0xfc, 0x08, 0x01, 0x00]],
  ['data.drop', [0xfc, 0x09, 0x01]],
  ['table.size', [0xfc, 0x10, 0x00]],
  ['v128.load', [0xfd, 0x00, 0x04, 0x90, 0x01]],
  ['v128.const', [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0x0b)]],
  ['i8x16.extract_lane_s', [0xfd, 0x15, 0x03]],
  ['v128.load8_lane', [0xfd, 0x54, 0x00, 0x00, 0x01]],
  ['i8x16.add', [0xfd, 0x6e]],
  ['f32x4.add', [0xfd, 0xe4, 0x01]],
])('%s', (_name, bytes) => {
  expect(read(...bytes)).toBe(bytes.length);
});

it('refuses what it does not know', () => {
  expect(() => read(0xfe, 0x00)).toThrow(/not known/);
  expect(() => read(0xfd, 0x80, 0x02)).toThrow(/not known/);
});
