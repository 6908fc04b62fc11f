import { describe, expect, test } from 'vitest';
import { bigintArray, integerArray, keysArray, textArray } from './binary.ts';

// What `select array_send(…)` gives for the same arrays.
describe('binary arrays', () => {
  test('numbers', () => {
    expect(integerArray([1, -1]).toString('hex')).toBe(
      '0000000100000000000000170000000200000001000000040000000100000004ffffffff',
    );
    expect(bigintArray([2 ** 53 - 1]).toString('hex')).toBe(
      '000000010000000000000014000000010000000100000008001fffffffffffff',
    );
  });

  test('texts and bytes', () => {
    expect(textArray(['é', '']).toString('hex')).toBe('000000010000000000000019000000020000000100000002c3a900000000');
    expect(keysArray(['\0\xff']).toString('hex')).toBe('00000001000000000000001100000001000000010000000200ff');
  });

  test('none', () => {
    expect(textArray([]).toString('hex')).toBe('000000000000000000000019');
  });
});
