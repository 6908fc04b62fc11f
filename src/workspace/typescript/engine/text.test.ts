import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { mostBytes, readText, writeText } from './text.ts';

it('brings every string back as it was', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const surrogates = fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff', '😀', '\ufffd', 'a', 'é');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.string({ unit: surrogates }), fc.string()), (text) => {
      const bytes = Buffer.alloc(mostBytes(text) + 7);
      const length = writeText(text, bytes.subarray(7));
      expect(readText(bytes, 7, 7 + length)).toBe(text);
    }),
  );
});
