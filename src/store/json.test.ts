// Records are exactly JSON: what is accepted comes back equal, and everything else is refused where it is.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyString } from '../../tests/support/arbitrary.ts';
import { StoreArgumentError } from './errors.ts';
import { encodeJson } from './json.ts';

const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number));

const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    anyNumber,
    anyString,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(anyString, fc.constantFrom('__proto__', 'toString', 'length', '0')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

class Thing {
  readonly x = 1;
}

const anyRefused: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[undefined, Number.NaN, Infinity, -0, 1n, Symbol('s'), () => 1, new Date(0), new Map(), new Thing()],
  ...[Object.create({ inherited: 1 }), new Array(2), { toJSON: () => 1 }, { [Symbol('s')]: 1 }, new Uint8Array(1)],
);

/** Where in the value the refused one is put. */
type Place = number | string;

const anyPlace: fc.Arbitrary<Place> = fc.oneof(fc.nat(3), fc.constantFrom('a', 'b c', '__proto__', ''));

function wrap(value: unknown, places: readonly Place[]): unknown {
  return places.reduceRight<unknown>((inner, place) => {
    if (typeof place === 'number') return [...Array.from({ length: place }, () => null), inner];
    return Object.defineProperty({}, place, { value: inner, enumerable: true });
  }, value);
}

describe('records', () => {
  test('come back equal', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(encodeJson(value, 'value'))).toStrictEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  test('with one thing in them that is not JSON are refused, with its path', () => {
    fc.assert(
      fc.property(anyRefused, fc.array(anyPlace, { maxLength: 6 }), (refused, places) => {
        const path = places.map((place) => (typeof place === 'number' ? `[${place}]` : `.${place}`)).join('');
        const text = Array.isArray(refused) ? `value${path}[0] ` : `value${path} `;
        expect(() => encodeJson(wrap(refused, places), 'value')).toThrow(StoreArgumentError);
        expect(() => encodeJson(wrap(refused, places), 'value')).toThrow(text);
      }),
      { numRuns: 1000 },
    );
  });

  test('may hold the same thing twice, but not themselves', () => {
    const shared = { n: 1 };
    expect(encodeJson({ a: shared, b: [shared, shared] }, 'value')).toBe('{"a":{"n":1},"b":[{"n":1},{"n":1}]}');
    const loop: unknown[] = [];
    loop.push({ loop });
    expect(() => encodeJson(loop, 'value')).toThrow('contains itself');
  });
});
