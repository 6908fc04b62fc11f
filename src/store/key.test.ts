// Keys come back as they were, sort as their tuples do, and damaged ones are told apart from good ones.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyKey, failureOf } from '../../tests/support/arbitrary.ts';
import { compareKeys } from './conformance/model/reference-order.ts';
import { StoreCorruptError } from './errors.ts';
import { decodeKey, describeEncodedKey, describeKey, encodeParts, keyBytes, keyFromBytes, type Key } from './key.ts';

// Minus zero is stored as zero; everything else comes back exactly.
const stored = (key: Key): Key => key.map((part) => (part === 0 ? 0 : part));

describe('keys', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(decodeKey(encodeParts(key))).toStrictEqual(stored(key));
      }),
      { numRuns: 2000 },
    );
  });

  test('sort as their tuples do, as strings and as bytes', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        const order = Math.sign(compareKeys(a, b));
        const [first, second] = [encodeParts(a), encodeParts(b)];
        expect(first < second ? -1 : first > second ? 1 : 0).toBe(order);
        expect(Math.sign(Buffer.compare(keyBytes(first), keyBytes(second)))).toBe(order);
      }),
      { numRuns: 5000 },
    );
  });

  test('a key sorts before the keys it is the beginning of', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (start, rest) => {
        fc.pre(rest.length > 0);
        const [short, long] = [encodeParts(start), encodeParts([...start, ...rest])];
        expect(short < long && long < `${short}\xff`).toBe(true);
      }),
    );
  });

  test('pass through bytes unchanged', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const encoded = encodeParts(key);
        expect(keyFromBytes(keyBytes(encoded))).toBe(encoded);
        expect(Array.from(encoded).every((character) => character.charCodeAt(0) < 256)).toBe(true);
      }),
    );
  });

  test('damaged ones decode to some key or are refused as corrupt, and can always be described', () => {
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(anyKey, fc.nat(), fc.nat(255)).map(([key, position, byte]) => {
        const bytes = keyBytes(encodeParts(key));
        if (bytes.length > 0) bytes[position % bytes.length] = byte;
        return bytes;
      }),
      fc.tuple(anyKey, fc.nat()).map(([key, length]) => {
        const bytes = keyBytes(encodeParts(key));
        return bytes.subarray(0, length % (bytes.length + 1));
      }),
    );
    fc.assert(
      fc.property(damaged, (bytes) => {
        const encoded = keyFromBytes(bytes);
        expect(failureOf(() => decodeKey(encoded))).toSatisfy(
          (error) => error === undefined || error instanceof StoreCorruptError,
        );
        expect(describeEncodedKey(encoded)).toBeTypeOf('string');
      }),
      { numRuns: 5000 },
    );
  });

  test('are described as a person would write them', () => {
    const key = ['a"\0', 1.5, 10n, null, true, new Date(0), new Uint8Array([1, 255])];
    expect(describeKey(key)).toBe('["a\\"\\u0000", 1.5, 10n, null, true, 1970-01-01T00:00:00.000Z, bytes 01ff]');
  });
});
