// Rows of the change log come back as they were; damaged ones are an error, never a crash.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyKey, failureOf } from '../../../tests/support/arbitrary.ts';
import { StoreCorruptError } from '../errors.ts';
import { encodeParts } from '../key.ts';
import { decodeChanges, encodeChanges, type LoggedChange } from './log.ts';

const anyChange: fc.Arbitrary<LoggedChange> = fc.record(
  {
    kind: fc.constantFrom('put', 'remove', 'released'),
    collection: fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1)),
    key: anyKey.map(encodeParts),
  },
  { noNullPrototype: true },
);

const anyChanges = fc.array(anyChange, { maxLength: 5 });

function decodesOrIsCorrupt(bytes: Uint8Array): boolean {
  const error = failureOf(() => decodeChanges(7, bytes));
  return error === undefined || (error instanceof StoreCorruptError && error.message.includes('7'));
}

describe('log rows', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(anyChanges, (changes) => {
        expect(decodeChanges(1, encodeChanges(changes))).toStrictEqual(changes);
      }),
      { numRuns: 1000 },
    );
  });

  test('can be read from the middle of a larger buffer', () => {
    const changes: LoggedChange[] = [{ kind: 'remove', collection: 200, key: encodeParts(['k'.repeat(500)]) }];
    const larger = Buffer.concat([Buffer.from('before'), encodeChanges(changes), Buffer.from('after')]);
    expect(decodeChanges(1, larger.subarray(6, -5))).toStrictEqual(changes);
  });

  test('cut short, they are a beginning of what they were or an error', () => {
    fc.assert(
      fc.property(anyChanges, fc.nat(), (changes, length) => {
        const bytes = encodeChanges(changes);
        const cut = bytes.subarray(0, length % (bytes.length + 1));
        const whole = failureOf(() => decodeChanges(7, cut)) === undefined;
        const found = whole ? decodeChanges(7, cut) : [];
        expect(found).toStrictEqual(changes.slice(0, found.length));
        expect(decodesOrIsCorrupt(cut)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('damaged anywhere, they are no crash', () => {
    fc.assert(
      fc.property(anyChanges, fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 30 }), (changes, at, byte, noise) => {
        const bytes = encodeChanges(changes);
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        expect([decodesOrIsCorrupt(bytes), decodesOrIsCorrupt(noise)]).toStrictEqual([true, true]);
      }),
      { numRuns: 2000 },
    );
  });
});
