// Random keys for property tests: every kind of part, biased towards edge cases of the encoding.
import * as fc from 'fast-check';
import type { Key, KeyPart } from '../../src/store/key.ts';
import type { Range } from '../../src/store/range.ts';

/** Any sequence of UTF-16 units, including lone surrogates; mostly few distinct ones, so that common prefixes occur. */
export const anyString: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({ unit: fc.constantFrom('\0', '\x01', 'a', 'b', '\xff', '\ud83d', '\ude00', '￿') }),
  },
  { weight: 1, arbitrary: fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);

const anyBytes = fc.oneof(
  fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff)).map((bytes) => new Uint8Array(bytes)),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => new Uint8Array(bytes)),
);

export const anyPart: fc.Arbitrary<KeyPart> = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constantFrom(0, -0, 1, -1)),
  fc.oneof(fc.bigInt({ min: -(2n ** 1016n), max: 2n ** 1016n - 1n }), fc.bigInt({ min: -300n, max: 300n })),
  fc.date({ noInvalidDate: true }),
  anyString,
  anyBytes,
);

export const anyKey: fc.Arbitrary<Key> = fc.array(anyPart, { maxLength: 4 });

export const anyRange: fc.Arbitrary<Range> = fc.record(
  { prefix: fc.array(anyPart, { maxLength: 2 }), startsWith: anyString, from: anyKey, to: anyKey },
  { requiredKeys: [], noNullPrototype: true },
);

/** The error a call throws; undefined if none. */
export function failureOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}
