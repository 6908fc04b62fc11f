import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeKey } from '../../key.ts';
import { acceptableJson, readableKey, readableText } from './readable.ts';

describe('what people see', () => {
  test('ordinary JSON stays as it is', () => {
    const json = JSON.stringify({ text: 'a "quoted" \\ line\n', emoji: '😀', escape: '\\u0000 \\ud800' });
    expect(JSON.parse(acceptableJson(json))).toEqual(JSON.parse(json));
  });

  test('NUL and lone surrogates become signs, and nothing else changes', () => {
    const value = { 'a\0': ['\ud800', '\udc00x', '\\\0', '\\u0000'] };
    expect(JSON.parse(acceptableJson(JSON.stringify(value)))).toEqual({
      'a\u2400': ['\ufffd', '\ufffdx', '\\\u2400', '\\u0000'],
    });
  });

  test('whatever the value, the text is JSON without what jsonb refuses', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.array(fc.integer({ min: 0, max: 0xffff })),
        (value, units) => {
          const json = JSON.stringify([value, String.fromCharCode(...units)]);
          const accepted = acceptableJson(json);
          const [, text] = JSON.parse(accepted) as [unknown, string];
          expect(text.isWellFormed()).toBe(true);
          expect(text).not.toContain('\0');
          expect(text).toBe(readableText(String.fromCharCode(...units)));
        },
      ),
    );
  });

  test('keys', () => {
    const key = encodeKey(['a', 1, -Infinity, 2n, true, null, new Date(0), new Uint8Array([0, 255])]);
    expect(readableKey(key)).toBe('["a",1,"-Infinity","2",true,null,"1970-01-01T00:00:00.000Z","00ff"]');
  });
});
